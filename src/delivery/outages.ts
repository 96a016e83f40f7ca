import { streamError } from "../camera/status-detail.js";
import { type Camera, Prisma } from "../generated/prisma/client.js";
import type { EventWrite } from "../operation/notifications.js";
import type { ConfiguredChannels } from "./alert-deliveries.js";
import type { OutageNotification } from "./messages/notification.js";
import { hostOf, lifetimeMs, queueIdOf, targetIdOf } from "./outbox/delivery-queue.js";

/**
 * Owes it to the addresses of a camera that its stream cannot be opened, or can be again.
 * Any detail other than the error ends it, as it says that the stream was seen: the news
 * come in pairs, and nothing has to be kept of what was told.
 */
export async function queueCameraOutage(
  write: EventWrite,
  { before, after }: { before: Camera; after: Camera },
  channels: ConfiguredChannels,
): Promise<void> {
  const [wasLost, isLost] = [before, after].map(({ statusDetail }) => statusDetail === streamError);
  if (!channels.email || wasLost === isLost || after.emailAddresses.length === 0) return;
  const { workspaceId, id } = after;
  const isNotified = Prisma.sql`camera."id" = ${id}::uuid`;
  await queueOutages(write, {
    kind: isLost ? "CAMERA_LOST" : "CAMERA_RECOVERED",
    workspaceId,
    cameraId: Prisma.sql`${id}::uuid`,
    isNotified,
  });
}

/**
 * Owes it to the addresses of all cameras of facilities that these are offline, or back.
 */
export async function queueFacilityOutages(
  write: EventWrite,
  {
    kind,
    workspaceId,
    facilityIds,
  }: { kind: "FACILITY_OFFLINE" | "FACILITY_BACK"; workspaceId: string; facilityIds: readonly string[] },
  channels: ConfiguredChannels,
): Promise<void> {
  if (!channels.email) return;
  const isNotified = Prisma.sql`camera."facilityId" = ANY(${[...facilityIds]}::uuid[])`;
  await queueOutages(write, { kind, workspaceId, cameraId: Prisma.sql`NULL::uuid`, isNotified });
}

interface Outages {
  kind: OutageNotification["kind"];
  workspaceId: string;
  /** Of the deliveries: null for outages of facilities. */
  cameraId: Prisma.Sql;
  /** Which cameras' addresses are told. */
  isNotified: Prisma.Sql;
}

/** Each address is told once of each facility. */
async function queueOutages(
  { transaction, now }: EventWrite,
  { kind, workspaceId, cameraId, isNotified }: Outages,
): Promise<void> {
  const [channel, name] = [Prisma.sql`'EMAIL'`, Prisma.sql`told."name"`];
  const targetId = targetIdOf(channel, name);
  const subjectId = Prisma.sql`coalesce(${cameraId}, told."facilityId")`;
  await transaction.$executeRaw(Prisma.sql`
    INSERT INTO "Delivery" ("id", "workspaceId", "facilityId", "cameraId", "kind", "channel", "target", "targetId", "queueId",
      "host", "queuedAt", "createdAt", "expiresAt")
    SELECT gen_random_uuid(), ${workspaceId}::uuid, told."facilityId", ${cameraId}, ${kind}, ${channel}, ${name},
      ${targetId}, ${queueIdOf(Prisma.sql`${kind}::text`, subjectId, targetId)}, ${hostOf(channel, name)},
      (SELECT clock_timestamp()), ${now}::timestamptz, ${new Date(now.getTime() + lifetimeMs)}::timestamptz
    FROM (
      SELECT DISTINCT ON (camera."facilityId", lower(address."name" COLLATE "C")) camera."facilityId", address."name"
      FROM "Camera" AS camera CROSS JOIN LATERAL unnest(camera."emailAddresses") AS address("name")
      WHERE camera."workspaceId" = ${workspaceId}::uuid AND camera."removedAt" IS NULL AND ${isNotified}
      ORDER BY camera."facilityId", lower(address."name" COLLATE "C"), address."name"
    ) AS told`);
}
