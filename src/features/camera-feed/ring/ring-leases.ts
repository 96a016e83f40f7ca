import { type DueRows, lockedDueRows } from "../../../engine/leases/due-rows.js";
import { Prisma, type PrismaClient } from "../../../generated/prisma/client.js";
import { later } from "../../../platform/time.js";

/** How long an instance has a camera for itself after it last said so, in milliseconds. */
export const ringLeaseMs = 20_000;
const maxClockDifferenceMs = 60_000;

export interface RingCamera {
  workspaceId: string;
  cameraId: string;
}

/** A camera that an instance has for itself. */
export interface RingLease extends RingCamera {
  url: string;
  /** Whether a process of its own opens the stream: one that opened it before has died. */
  isAlone: boolean;
}

/** What is told of a ring: since when its frames are kept, and their codec; null while there are none. */
interface KeptRing {
  cameraId: string;
  from: Date | null;
  codec: string | null;
}

const everywhere = Prisma.sql`TRUE`;
const ofWorkspace = (workspaceId: string) => Prisma.sql`"workspaceId" = ${workspaceId}::uuid`;

/** Cameras whose last seconds are wanted, and that work. Those within a condition that holds for all their tables. */
const isWanted = (within: Prisma.Sql) => Prisma.sql`"failures" = 0 AND "quietUntil" IS NULL
  AND ("workspaceId", "cameraId") IN (
    SELECT "workspaceId", "cameraId" FROM "AlertRule" WHERE ${within} AND "evaluated" AND "status" = 'ACTIVE'
    UNION ALL SELECT "workspaceId", "id" FROM "Camera" WHERE ${within} AND "keepClips")
  AND EXISTS (SELECT 1 FROM "Camera" AS camera WHERE camera."workspaceId" = "CameraFeed"."workspaceId"
    AND camera."id" = "CameraFeed"."cameraId" AND camera."removedAt" IS NULL)`;

/** Cameras that are open, but were opened for the ring of an instance that has since ended: they may have another at once. */
const wasLeftOpen = (now: Date) => Prisma.sql`"openedAt" <= "ringUntil" AND "ringUntil" <= ${now}::timestamptz
  AND "openedAt" <= ${later(now, -ringLeaseMs)}::timestamptz`;

/** Cameras that nobody has for itself, that are not being opened, and that are not due: failures are told first. */
export const freeCameras = (now: Date, except: readonly string[], within = everywhere): DueRows => ({
  table: "CameraFeed",
  key: "cameraId",
  dueAt: "ringUntil",
  isDueWithoutTime: true,
  maxAheadMs: ringLeaseMs + maxClockDifferenceMs,
  where: Prisma.sql`"probedAt" IS NOT NULL AND ("openedAt" IS NULL OR (${wasLeftOpen(now)})) AND ("dueAt" > ${now}::timestamptz) IS NOT FALSE
    AND "cameraId" <> ALL(${[...except]}::uuid[]) AND ${isWanted(within)}`,
});

/** The cameras that other instances do not have for themselves. */
export const isNotElsewhere = (instanceId: string, now: Date): Prisma.Sql => Prisma.sql`(
  "ringUntil" BETWEEN ${now}::timestamptz AND ${leaseEnd(now, maxClockDifferenceMs)}::timestamptz
  AND "ringHolder" <> ${instanceId}::uuid) IS NOT TRUE`;

const leaseEnd = (now: Date, extraMs = 0) => later(now, ringLeaseMs + extraMs);

/** The columns of leases. */
const leases = (workspaceId: string, now: Date) => Prisma.sql`"CameraFeed"."workspaceId", "cameraId",
  coalesce("aloneUntil" > ${now}::timestamptz, false) AS "isAlone",
  (SELECT camera."url" FROM "Camera" AS camera
    WHERE camera."workspaceId" = ${workspaceId}::uuid AND camera."id" = "CameraFeed"."cameraId") AS "url"`;

/** Takes a camera of a workspace for an instance alone. The picture that another has not finished is due again. */
export function claimRing(
  prisma: PrismaClient,
  workspaceId: string,
  { instanceId, now, except }: { instanceId: string; now: Date; except: readonly string[] },
): Promise<RingLease[]> {
  const rows = freeCameras(now, except, ofWorkspace(workspaceId));
  return prisma.$queryRaw(Prisma.sql`
    UPDATE "CameraFeed" SET "ringHolder" = ${instanceId}::uuid, "ringUntil" = ${leaseEnd(now)}::timestamptz,
      "ringFrom" = NULL, "ringCodec" = NULL, "openedAt" = NULL,
      "dueAt" = CASE WHEN "openedAt" IS NULL THEN "dueAt" ELSE ${now}::timestamptz END
    WHERE ${lockedDueRows(rows, { workspaceId, now, limit: 1, order: Prisma.sql`"cameraId"` })}
    RETURNING ${leases(workspaceId, now)}`);
}

/** Tells of the rings of a workspace, and returns the leases of those that are still wanted, which go on. */
export function renewRings(
  prisma: PrismaClient,
  workspaceId: string,
  { instanceId, now, rings }: { instanceId: string; now: Date; rings: readonly KeptRing[] },
): Promise<RingLease[]> {
  return prisma.$queryRaw(Prisma.sql`
    UPDATE "CameraFeed" SET "ringUntil" = ${leaseEnd(now)}::timestamptz, "ringFrom" = kept."from", "ringCodec" = kept."codec"
    FROM unnest(${rings.map(({ cameraId }) => cameraId)}::uuid[], ${rings.map(({ from }) => from)}::timestamptz[],
      ${rings.map(({ codec }) => codec)}::text[]) AS kept("keptId", "from", "codec")
    WHERE ${ofWorkspace(workspaceId)} AND "cameraId" = kept."keptId" AND "ringHolder" = ${instanceId}::uuid
      AND ${isWanted(ofWorkspace(workspaceId))}
    RETURNING ${leases(workspaceId, now)}`);
}

/** Gives a camera back to all instances, and has its stream opened at once if its ring has failed. */
export async function releaseRing(
  prisma: PrismaClient,
  { workspaceId, cameraId }: RingCamera,
  {
    instanceId,
    now,
    hasFailed,
    until,
  }: { instanceId: string; now: Date; hasFailed: boolean; until: Date | null },
): Promise<void> {
  await prisma.$executeRaw(Prisma.sql`
    UPDATE "CameraFeed" SET "ringHolder" = ${until && instanceId}::uuid, "ringUntil" = ${until}::timestamptz,
      "ringFrom" = NULL, "ringCodec" = NULL,
      "dueAt" = CASE WHEN ${hasFailed} AND "openedAt" IS NULL THEN least("dueAt", ${now}::timestamptz) ELSE "dueAt" END
    WHERE ${ofWorkspace(workspaceId)} AND "cameraId" = ${cameraId}::uuid AND "ringHolder" = ${instanceId}::uuid`);
}
