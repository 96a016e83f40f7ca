import { tablesOfCameras } from "../../engine/access/visible-tables.js";
import type { Database } from "../../engine/database/client.js";
import type { Transaction } from "../../engine/database/transaction.js";
import { Due } from "../../engine/leases/due.js";
import type { StepOutcome } from "../../engine/leases/worker.js";
import type { WorkspaceTurns } from "../../engine/leases/workspace-turns.js";
import { scheduleRemoval } from "../../engine/storage/object-removal.js";
import { type Alert, type Camera, type Facility, Prisma } from "../../generated/prisma/client.js";
import { later } from "../../platform/time.js";
import { scheduleAlertPictureRemoval } from "../alert/pictures/annotated-picture.service.js";
import { restorableForMs } from "../camera/restoring.js";
import { type DeletableRows, deleteSome } from "./delete-batch.js";

/** The limit of a batch, in milliseconds. */
const limits = { timeout: 30_000 };

/** The order of the indexes over the alerts of a camera and of a facility. */
const alertOrder = Prisma.sql`"createdAt" DESC, "id" DESC`;

type RemovedCamera = Pick<Camera, "workspaceId" | "id" | "imageLink" | "thumbnail">;
interface KeptCamera {
  removedAt: Date;
  keptUntil: Date | null;
  /** Whether its facility is still there. */
  hasFacility: boolean;
}

type RemovedFacility = Pick<Facility, "workspaceId" | "id">;

interface RemovedPlace {
  workspaceId: string;
  id: string;
  column: "cameraId" | "facilityId";
}

/** Purges a batch of the data of a deleted camera or, if none is left, of a deleted facility. Workspaces take turns. */
export async function purgeRemovedPlace(
  { prisma, transact }: Pick<Database, "prisma" | "transact">,
  turns: WorkspaceTurns,
  now: Date,
): Promise<StepOutcome> {
  let hasRemoved = false;
  const purged = await turns.claim(
    async (following) => {
      const first = {
        where: { workspaceId: following, removedAt: { not: null } },
        orderBy: { workspaceId: "asc" },
        select: { workspaceId: true },
      } as const;
      const isDue = [{ keptUntil: null }, new Due(now, restorableForMs).where("keptUntil")];
      const found = await Promise.all([
        prisma.camera.findFirst({ ...first, where: { ...first.where, OR: isDue } }),
        prisma.facility.findFirst(first),
      ]);
      const workspaces = found.filter((each) => each !== null).sort(byWorkspace);
      hasRemoved ||= workspaces.length > 0;
      return workspaces[0] ?? null;
    },
    (workspaceId) =>
      transact(async (transaction) => {
        const purgedCameras = await purgeCamera(transaction, workspaceId, now);
        return purgedCameras.length > 0 ? purgedCameras : purgeFacility(transaction, workspaceId, now);
      }, limits),
  );
  if (purged.length > 0) return "more";
  return hasRemoved ? "locked" : { dueInMs: 3_600_000 };
}

const byWorkspace = (one: { workspaceId: string }, other: { workspaceId: string }) =>
  one.workspaceId < other.workspaceId ? -1 : 1;

/**
 * Purges a batch of a deleted camera's data: the comments on its alerts, then the alerts; once it cannot be restored any
 * more, its histories, and finally the camera with its rules. Returns the camera whose data was purged; none if other writers have locked the
 * remaining data.
 */
async function purgeCamera(
  transaction: Transaction,
  workspaceId: string,
  now: Date,
): Promise<RemovedCamera[]> {
  const [camera] = await transaction.$queryRaw<(RemovedCamera & KeptCamera)[]>(Prisma.sql`
    SELECT "workspaceId", "id", "imageLink", "thumbnail", "removedAt", "keptUntil", EXISTS (
        SELECT FROM "Facility" AS facility WHERE facility."workspaceId" = ${workspaceId}::uuid AND facility."id" = camera."facilityId" AND facility."removedAt" IS NULL
      ) AS "hasFacility" FROM "Camera" AS camera
    WHERE "workspaceId" = ${workspaceId}::uuid AND "removedAt" IS NOT NULL AND ("keptUntil" IS NULL OR ${new Due(now, restorableForMs).of(Prisma.sql`"keptUntil"`)})
    ORDER BY "removedAt" LIMIT 1 FOR UPDATE SKIP LOCKED`);
  if (!camera) return [];
  const place: RemovedPlace = { workspaceId, id: camera.id, column: "cameraId" };
  if (await purgeAlerts(transaction, place, now)) return [camera];
  if (await hasAlerts(transaction, place)) return [];
  if (camera.hasFacility && camera.keptUntil === null) {
    const keptUntil = later(camera.removedAt, restorableForMs);
    await transaction.camera.update({
      where: { workspaceId_id: { workspaceId, id: camera.id } },
      data: { keptUntil },
    });
    await transaction.cameraFeed.deleteMany({ where: { workspaceId, cameraId: camera.id } });
    return [camera];
  }
  if (await purgeHistories(transaction, place)) return [camera];
  const calibration = await transaction.calibration.findUnique({
    where: { workspaceId_cameraId: { workspaceId, cameraId: camera.id } },
  });
  const { calibratedImage = null, croppedImage = null, gridImage = null } = calibration ?? {};
  await transaction.camera.delete({ where: { workspaceId_id: { workspaceId, id: camera.id } } });
  await scheduleRemoval(
    transaction,
    workspaceId,
    [camera.imageLink, camera.thumbnail, calibratedImage, croppedImage, gridImage],
    now,
  );
  return [camera];
}

/**
 * Purges a deleted facility once its cameras are gone, with its accesses. Before that, purges a batch of the alerts
 * that other cameras raised there, with their comments. Returns the facility; none if other writers have locked the
 * remaining data.
 */
async function purgeFacility(
  transaction: Transaction,
  workspaceId: string,
  now: Date,
): Promise<RemovedFacility[]> {
  const [facility] = await transaction.$queryRaw<RemovedFacility[]>(Prisma.sql`
    SELECT "workspaceId", "id" FROM "Facility" AS facility
    WHERE "workspaceId" = ${workspaceId}::uuid AND "removedAt" IS NOT NULL AND NOT EXISTS (
      SELECT FROM "Camera" AS camera
      WHERE camera."workspaceId" = ${workspaceId}::uuid AND camera."facilityId" = facility."id" AND camera."removedAt" IS NOT NULL)
    ORDER BY "removedAt" LIMIT 1 FOR UPDATE SKIP LOCKED`);
  if (!facility) return [];
  // An earlier version, running beside this one, may have added cameras.
  const added = await transaction.camera.updateMany({
    where: { workspaceId, facilityId: facility.id, removedAt: null },
    data: { removedAt: now },
  });
  if (added.count > 0) return [facility];
  const place: RemovedPlace = { workspaceId, id: facility.id, column: "facilityId" };
  if (await purgeAlerts(transaction, place, now)) return [facility];
  if (await hasAlerts(transaction, place)) return [];
  await transaction.facility.delete({ where: { workspaceId_id: { workspaceId, id: facility.id } } });
  return [facility];
}

const rowsOf = (
  table: Prisma.ModelName,
  { workspaceId, id, column }: RemovedPlace,
  locked: DeletableRows["locked"],
): DeletableRows => ({
  table,
  workspaceId,
  condition: Prisma.sql`${Prisma.raw(`"${column}"`)} = ${id}::uuid`,
  locked,
});

/** Purges a batch of comments or, if none are left, of alerts. A single alert may have many comments. */
async function purgeAlerts(transaction: Transaction, place: RemovedPlace, now: Date): Promise<boolean> {
  const comments = rowsOf("AlertComment", place, "wait");
  if ((await deleteSome(transaction, comments, Prisma.sql`"id"`)).rows.length > 0) return true;
  const pictures = Prisma.sql`"id", "url", "thumbnailUrl"`;
  const { rows: alerts } = await deleteSome<Pick<Alert, "id" | "url" | "thumbnailUrl">>(
    transaction,
    { ...rowsOf("Alert", place, "skip"), order: alertOrder },
    pictures,
  );
  await scheduleAlertPictureRemoval(transaction, place.workspaceId, alerts, now);
  return alerts.length > 0;
}

/** Whether alerts are left. After a batch of none, another writer has locked them. */
async function hasAlerts(
  transaction: Transaction,
  { workspaceId, id, column }: RemovedPlace,
): Promise<boolean> {
  const remaining = await transaction.$queryRaw<object[]>(Prisma.sql`
    SELECT "id" FROM "Alert" WHERE "workspaceId" = ${workspaceId}::uuid AND ${Prisma.raw(`"${column}"`)} = ${id}::uuid
    ORDER BY ${alertOrder} LIMIT 1`);
  return remaining.length > 0;
}

/** Purging these takes more than deleting their rows. */
const purgedApart: readonly Prisma.ModelName[] = ["Calibration", "StreamRequest"];

/**
 * Purges a batch of another table with an unlimited number of rows per camera. Waits for writers that have locked a
 * row, such as the delivery of a stream request: otherwise, the row would disappear with the camera and leave its
 * look-up behind.
 */
async function purgeHistories(transaction: Transaction, camera: RemovedPlace): Promise<boolean> {
  const { rows: requests } = await deleteSome<{ requestId: string }>(
    transaction,
    rowsOf("StreamRequest", camera, "wait"),
    Prisma.sql`"requestId"`,
  );
  if (requests.length > 0) {
    await transaction.streamRequestLookup.deleteMany({
      where: { requestId: { in: requests.map(({ requestId }) => requestId) } },
    });
    return true;
  }
  for (const table of tablesOfCameras.filter((each) => !purgedApart.includes(each))) {
    const { isMoreLeft } = await deleteSome(
      transaction,
      rowsOf(table, camera, "wait"),
      Prisma.sql`"workspaceId"`,
    );
    if (isMoreLeft) return true;
  }
  return false;
}
