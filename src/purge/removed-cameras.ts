import { Prisma, type PrismaClient } from "../generated/prisma/client.js";
import type { StepOutcome } from "../platform/worker.js";
import { scheduleRemoval } from "../storage/object-removal.js";

const batchSize = 2_000;
/** How long a batch may wait for a connection and may take, in milliseconds. */
const timeouts = { maxWait: 10_000, timeout: 30_000 };
/** The tables, besides alerts, with an unlimited number of rows per camera. */
const histories = ["StatusChange", "StreamRequest", "AnalysisJob"] as const;

/**
 * Purges a batch of the data of a deleted camera: its alerts, then its histories and, once there are none left, the camera with
 * its rules. Instances share the work; after a crash only the current batch is repeated.
 */
export function purgeRemovedCamera(prisma: PrismaClient, now: Date): Promise<StepOutcome> {
  return prisma.$transaction(async (transaction) => {
    const [camera] = await transaction.$queryRaw<{ id: string; imageLink: string | null; thumbnail: string | null }[]>(
      Prisma.sql`SELECT "id", "imageLink", "thumbnail" FROM "Camera" WHERE "removedAt" IS NOT NULL ORDER BY "removedAt" LIMIT 1 FOR UPDATE SKIP LOCKED`,
    );
    if (!camera) return (await transaction.camera.count({ where: { removedAt: { not: null } } })) > 0 ? "locked" : "nothing";
    if ((await purgeAlerts(transaction, camera.id, now)) || (await purgeHistories(transaction, camera.id))) return "more";
    // The remaining rows are locked by another writer.
    if ((await transaction.alert.count({ where: { cameraId: camera.id }, take: 1 })) > 0) return "locked";
    const calibration = await transaction.calibration.findUnique({ where: { cameraId: camera.id } });
    const { calibratedImage = null, croppedImage = null, gridImage = null } = calibration ?? {};
    await transaction.camera.delete({ where: { id: camera.id } });
    await scheduleRemoval(transaction, [camera.imageLink, camera.thumbnail, calibratedImage, croppedImage, gridImage], now);
    return "more";
  }, timeouts);
}

async function purgeAlerts(transaction: Prisma.TransactionClient, cameraId: string, now: Date): Promise<boolean> {
  // Locked rows are left to the next batch: a writer that never waits cannot deadlock.
  const alerts = await transaction.$queryRaw<{ url: string | null; thumbnailUrl: string | null }[]>(Prisma.sql`
    DELETE FROM "Alert" WHERE ctid = ANY(ARRAY(
      SELECT ctid FROM "Alert" WHERE "cameraId" = ${cameraId}::uuid LIMIT ${batchSize}::int FOR UPDATE SKIP LOCKED))
    RETURNING "url", "thumbnailUrl"`);
  await scheduleRemoval(
    transaction,
    alerts.flatMap(({ url, thumbnailUrl }) => [url, thumbnailUrl]),
    now,
  );
  return alerts.length > 0;
}

async function purgeHistories(transaction: Prisma.TransactionClient, cameraId: string): Promise<boolean> {
  for (const table of histories) {
    const deleted = await transaction.$executeRaw(Prisma.sql`
      DELETE FROM ${Prisma.raw(`"${table}"`)} WHERE ctid = ANY(ARRAY(
        SELECT ctid FROM ${Prisma.raw(`"${table}"`)} WHERE "cameraId" = ${cameraId}::uuid LIMIT ${batchSize}::int))`);
    if (deleted > 0) return true;
  }
  return false;
}
