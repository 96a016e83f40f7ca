import { randomUUID } from "node:crypto";
import { type Digest, Prisma, type PrismaClient } from "../generated/prisma/client.js";
import { Due } from "../platform/due.js";
import { groupBy } from "../platform/group-by.js";
import type { WorkspaceTurns } from "../platform/queues/workspace-turns.js";
import { type StepOutcome, untilDue } from "../platform/workers/worker.js";
import { nextDigestAt } from "../user/digest-schedule.js";
import { maxDigestDelayMs } from "./digest-content.js";
import { queuePersonalMails } from "./personal-mails.js";

/** Nothing announces the digests that users set at other instances. */
const pollIntervalMs = 60_000;
const batchSize = 100;
/** The next digest may be on the next day, also on a day of 25 hours. */
const maxAheadMs = 50 * 3_600_000;

/**
 * Queues the mails of due digests for the next workspace that has any. Locks the digests
 * until their next times are written, so that only one instance queues each mail.
 */
export async function queueDueDigests(
  prisma: PrismaClient,
  turns: WorkspaceTurns,
  now: Date,
  onQueued: (workspaceId: string) => void,
): Promise<StepOutcome> {
  const due = new Due(now, maxAheadMs);
  const next = due.next((dueAt) =>
    prisma.digest.findFirst({ where: { dueAt }, orderBy: { dueAt: "asc" }, select: { dueAt: true } }),
  );
  const outcome = await untilDue(next, now);
  if (outcome === "nothing") return { dueInMs: pollIntervalMs };
  if (outcome !== "locked") return outcome;
  const queued = await turns.claim(
    (following) =>
      prisma.digest.findFirst({
        where: { workspaceId: following, ...due.where("dueAt") },
        orderBy: { workspaceId: "asc" },
        select: { workspaceId: true },
      }),
    (workspaceId) => prisma.$transaction((transaction) => queueBatch(transaction, workspaceId, now)),
  );
  for (const { workspaceId } of queued.slice(0, 1)) onQueued(workspaceId);
  return queued.length > 0 ? "more" : outcome;
}

type DueDigest = Digest & { email: string };

async function queueBatch(
  transaction: Prisma.TransactionClient,
  workspaceId: string,
  now: Date,
): Promise<DueDigest[]> {
  const digests = await transaction.$queryRaw<DueDigest[]>(Prisma.sql`
    SELECT digest.*, person."email" FROM "Digest" AS digest
    JOIN "User" AS person ON person."workspaceId" = ${workspaceId}::uuid AND person."id" = digest."userId"
    WHERE digest."workspaceId" = ${workspaceId}::uuid AND ${new Due(now, maxAheadMs).of(Prisma.sql`digest."dueAt"`)}
    ORDER BY digest."dueAt", digest."userId" LIMIT ${batchSize}::int FOR UPDATE OF digest SKIP LOCKED`);
  const due: (DueDigest & { queuedFor: Date })[] = [];
  for (const found of digests) {
    // A clock that was ahead may have left a time to come.
    const digest = {
      ...found,
      lastDueAt: found.lastDueAt && found.lastDueAt <= now ? found.lastDueAt : null,
    };
    const queuedFor = lastDueIn(digest, now);
    if (queuedFor) due.push({ ...digest, queuedFor });
    const lastDueAt = queuedFor ?? digest.lastDueAt;
    await transaction.digest.update({
      where: { workspaceId_userId: { workspaceId, userId: digest.userId } },
      data: { lastDueAt, dueAt: nextDigestAt({ ...digest, lastDueAt }, now) },
    });
  }
  for (const together of groupBy(due, ({ queuedFor }) => queuedFor.toISOString()).values()) {
    const { queuedFor: createdAt } = together[0] as { queuedFor: Date };
    await queuePersonalMails(transaction, {
      ...{ workspaceId, kind: "DIGEST", createdAt },
      mails: together.map(({ userId, email: address }) => ({ id: randomUUID(), userId, address })),
      expiresAt: new Date(createdAt.getTime() + maxDigestDelayMs),
    });
  }
  return digests;
}

/**
 * The time at which the digest that can still be sent was due; undefined if it is too
 * late for all that were missed.
 */
function lastDueIn(digest: Digest, now: Date): Date | undefined {
  const earliest = new Date(now.getTime() - maxDigestDelayMs);
  const dueAt = digest.dueAt as Date;
  const due = dueAt > earliest && dueAt <= now ? dueAt : nextDigestAt(digest, earliest);
  return due <= now ? due : undefined;
}
