import { Prisma, type PrismaClient } from "../generated/prisma/client.js";
import { Due } from "../platform/due.js";
import type { WorkspaceTurns } from "../platform/queues/workspace-turns.js";
import { type StepOutcome, untilDue } from "../platform/workers/worker.js";
import { scheduleRemoval } from "../storage/object-removal.js";

const batchSize = 500;
/** Uploads last a day, also those of clocks that differ a little. */
const maxAheadMs = 26 * 3_600_000;

/**
 * Deletes a batch of a workspace's expired uploads that no alert uses, with their
 * pictures. Instances share the work.
 */
export async function purgeUnusedAlertUploads(
  prisma: PrismaClient,
  turns: WorkspaceTurns,
  now: Date,
): Promise<StepOutcome> {
  const due = new Due(now, maxAheadMs);
  const next = due.next((dueAt) =>
    prisma.alertUpload.findFirst({ where: { dueAt }, orderBy: { dueAt: "asc" }, select: { dueAt: true } }),
  );
  const outcome = await untilDue(next, now);
  if (outcome !== "locked") return outcome;
  const purged = await turns.claim(
    (following) =>
      prisma.alertUpload.findFirst({
        where: { workspaceId: following, ...due.where("dueAt") },
        orderBy: { workspaceId: "asc" },
        select: { workspaceId: true },
      }),
    (workspaceId) => prisma.$transaction((transaction) => purgeBatch(transaction, workspaceId, now)),
  );
  return purged.length > 0 ? "more" : outcome;
}

async function purgeBatch(
  transaction: Prisma.TransactionClient,
  workspaceId: string,
  now: Date,
): Promise<object[]> {
  const uploads = await transaction.$queryRaw<
    { url: string | null; thumbnailUrl: string | null }[]
  >(Prisma.sql`
    DELETE FROM "AlertUpload" WHERE "workspaceId" = ${workspaceId}::uuid AND "id" = ANY(ARRAY(
      SELECT "id" FROM "AlertUpload" WHERE "workspaceId" = ${workspaceId}::uuid AND ${new Due(now, maxAheadMs).of(Prisma.sql`"dueAt"`)}
      ORDER BY "dueAt" LIMIT ${batchSize}::int FOR UPDATE SKIP LOCKED))
    RETURNING "url", "thumbnailUrl"`);
  await scheduleRemoval(
    transaction,
    workspaceId,
    uploads.flatMap(({ url, thumbnailUrl }) => [url, thumbnailUrl]),
    now,
  );
  return uploads;
}
