import { Prisma, type PrismaClient } from "../generated/prisma/client.js";
import type { StepOutcome } from "../platform/worker.js";
import { scheduleRemoval } from "../storage/object-removal.js";

const batchSize = 500;

/** Deletes a batch of expired uploads that no alert uses, with their pictures. Instances share the work. */
export async function purgeUnusedAlertUploads(prisma: PrismaClient, now: Date): Promise<StepOutcome> {
  const purged = await prisma.$transaction(async (transaction) => {
    const uploads = await transaction.$queryRaw<{ url: string | null; thumbnailUrl: string | null }[]>(Prisma.sql`
      DELETE FROM "AlertUpload" WHERE "id" IN (
        SELECT "id" FROM "AlertUpload" WHERE "dueAt" <= ${now}::timestamptz ORDER BY "dueAt" LIMIT ${batchSize}::int FOR UPDATE SKIP LOCKED)
      RETURNING "url", "thumbnailUrl"`);
    await scheduleRemoval(
      transaction,
      uploads.flatMap(({ url, thumbnailUrl }) => [url, thumbnailUrl]),
      now,
    );
    return uploads.length;
  });
  if (purged > 0) return "more";
  const next = await prisma.alertUpload.findFirst({ orderBy: { dueAt: "asc" }, select: { dueAt: true } });
  if (!next) return "nothing";
  return next.dueAt <= now ? "locked" : { dueInMs: next.dueAt.getTime() - now.getTime() };
}
