import { scheduleAlertPictureRemoval } from "../alert/pictures/annotated-picture.service.js";
import { type Alert, type Camera, Prisma, type PrismaClient } from "../generated/prisma/client.js";
import type { WorkspaceTurns } from "../platform/queues/workspace-turns.js";
import type { StepOutcome } from "../platform/workers/worker.js";
import { scheduleRemoval } from "../storage/object-removal.js";
import { type Batch, deleteBatch } from "./delete-batch.js";

const batchSize = 2_000;
/**
 * The limits of a batch, in milliseconds: the wait for a connection, and the transaction.
 */
const timeouts = { maxWait: 10_000, timeout: 30_000 };

/** The order of the index over a camera's alerts. */
const alertOrder = Prisma.sql`"createdAt" DESC, "id" DESC`;

type RemovedCamera = Pick<Camera, "workspaceId" | "id" | "imageLink" | "thumbnail">;

/**
 * Purges a batch of a deleted camera's data: the comments on its alerts, then the alerts,
 * then its histories. Finally purges the camera with its rules. Workspaces take turns,
 * and instances share the work. After a crash, only the current batch is repeated.
 */
export async function purgeRemovedCamera(
  prisma: PrismaClient,
  turns: WorkspaceTurns,
  now: Date,
): Promise<StepOutcome> {
  let hasRemovedCameras = false;
  const purged = await turns.claim(
    async (following) => {
      const found = await prisma.camera.findFirst({
        where: { workspaceId: following, removedAt: { not: null } },
        orderBy: { workspaceId: "asc" },
        select: { workspaceId: true },
      });
      hasRemovedCameras ||= found !== null;
      return found;
    },
    (workspaceId) =>
      prisma.$transaction((transaction) => purgeBatch(transaction, workspaceId, now), timeouts),
  );
  if (purged.length > 0) return "more";
  return hasRemovedCameras ? "locked" : "nothing";
}

/**
 * Returns the camera whose data was purged; none if other writers have locked the
 * remaining data.
 */
async function purgeBatch(
  transaction: Prisma.TransactionClient,
  workspaceId: string,
  now: Date,
): Promise<RemovedCamera[]> {
  const [camera] = await transaction.$queryRaw<RemovedCamera[]>(Prisma.sql`
    SELECT "workspaceId", "id", "imageLink", "thumbnail" FROM "Camera"
    WHERE "workspaceId" = ${workspaceId}::uuid AND "removedAt" IS NOT NULL ORDER BY "removedAt" LIMIT 1 FOR UPDATE SKIP LOCKED`);
  if (!camera) return [];
  if (await purgeComments(transaction, camera)) return [camera];
  if ((await purgeAlerts(transaction, camera, now)) || (await purgeHistories(transaction, camera)))
    return [camera];
  // Another writer has locked the remaining rows.
  const remaining = await transaction.$queryRaw<object[]>(Prisma.sql`
    SELECT "id" FROM "Alert" WHERE "workspaceId" = ${workspaceId}::uuid AND "cameraId" = ${camera.id}::uuid
    ORDER BY ${alertOrder} LIMIT 1`);
  if (remaining.length > 0) return [];
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

/** A batch of the rows of a table that belong to a camera. */
const batchOf = (
  table: Prisma.ModelName,
  { workspaceId, id }: RemovedCamera,
  locked: Batch["locked"],
): Batch => ({
  table,
  workspaceId,
  condition: Prisma.sql`"cameraId" = ${id}::uuid`,
  size: batchSize,
  locked,
});

/** Deleting alerts would delete their comments, but a single alert may have many. */
async function purgeComments(transaction: Prisma.TransactionClient, camera: RemovedCamera): Promise<boolean> {
  return (
    (await deleteBatch(transaction, batchOf("AlertComment", camera, "wait"), Prisma.sql`"id"`)).length > 0
  );
}

async function purgeAlerts(
  transaction: Prisma.TransactionClient,
  camera: RemovedCamera,
  now: Date,
): Promise<boolean> {
  const pictures = Prisma.sql`"id", "url", "thumbnailUrl"`;
  const batch: Batch = { ...batchOf("Alert", camera, "skip"), order: alertOrder };
  const alerts = await deleteBatch<Pick<Alert, "id" | "url" | "thumbnailUrl">>(transaction, batch, pictures);
  await scheduleAlertPictureRemoval(transaction, camera.workspaceId, alerts, now);
  return alerts.length > 0;
}

/**
 * Purges a batch of another table with an unlimited number of rows per camera. Waits for
 * writers that have locked a row, such as the delivery of a stream request. Otherwise,
 * the row would disappear with the camera and leave its look-up behind.
 */
async function purgeHistories(
  transaction: Prisma.TransactionClient,
  camera: RemovedCamera,
): Promise<boolean> {
  const requests = await deleteBatch<{ requestId: string }>(
    transaction,
    batchOf("StreamRequest", camera, "wait"),
    Prisma.sql`"requestId"`,
  );
  if (requests.length > 0) {
    await transaction.streamRequestLookup.deleteMany({
      where: { requestId: { in: requests.map(({ requestId }) => requestId) } },
    });
    return true;
  }
  for (const table of ["StatusChange", "AnalysisJob"] as const) {
    if ((await deleteBatch(transaction, batchOf(table, camera, "wait"), Prisma.sql`"id"`)).length > 0)
      return true;
  }
  return false;
}
