import { randomUUID } from "node:crypto";
import type { Transact, Transaction } from "../../engine/database/transaction.js";
import { type DueRows, type Leases, lockedDueRows } from "../../engine/leases/due-rows.js";
import { type Digest, Prisma } from "../../generated/prisma/client.js";
import { defined } from "../../platform/defined.js";
import { groupBy } from "../../platform/group-by.js";
import { later } from "../../platform/time.js";
import { nextDigestAt } from "../digest/digest-schedule.js";
import { maxDigestDelayMs } from "./digest-content.js";
import { personalMailDeliveries } from "./personal-mails.js";

/** Nothing announces the digests that users set at other instances. */
const pollMs = 60_000;
const batchSize = 100;
/** The next digest may be on the next day, also on a day of 25 hours. */
const maxAheadMs = 50 * 3_600_000;

const rows: DueRows = { table: "Digest", key: "userId", dueAt: "dueAt", maxAheadMs };

/** Queues the mails of due digests, which stay locked until their next times are written: one instance queues each. */
export const dueDigests = (
  transact: Transact,
  onQueued: (workspaceId: string) => void,
): Leases<DueDigest> => ({
  rows,
  pollMs,
  claim: async (workspaceId, now) => {
    const queued = await transact((transaction) => queueBatch(transaction, workspaceId, now));
    if (queued.length > 0) onQueued(workspaceId);
    return queued;
  },
});

type DueDigest = Digest & { email: string };

async function queueBatch(transaction: Transaction, workspaceId: string, now: Date): Promise<DueDigest[]> {
  const digests = await transaction.$queryRaw<DueDigest[]>(Prisma.sql`
    SELECT digest.*, (SELECT "email" FROM "User" AS person WHERE person."workspaceId" = ${workspaceId}::uuid AND person."id" = digest."userId") AS "email"
    FROM "Digest" AS digest WHERE ${lockedDueRows(rows, { workspaceId, now, limit: batchSize })} ORDER BY digest."dueAt", digest."userId"`);
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
  for (const [queuedFor, together] of groupBy(due, ({ queuedFor }) => queuedFor.toISOString())) {
    const createdAt = new Date(queuedFor);
    const mails = {
      workspaceId,
      kind: "DIGEST" as const,
      createdAt,
      mails: together.map(({ userId, email: address }) => ({ id: randomUUID(), userId, address })),
      expiresAt: later(createdAt, maxDigestDelayMs),
    };
    await transaction.$executeRaw(personalMailDeliveries(mails));
  }
  return digests;
}

/** The time at which the digest to send was due; undefined if it is too late for all that were missed. */
function lastDueIn(digest: Digest, now: Date): Date | undefined {
  const earliest = later(now, -maxDigestDelayMs);
  const dueAt = defined(digest.dueAt);
  const due = dueAt > earliest && dueAt <= now ? dueAt : nextDigestAt(digest, earliest);
  return due <= now ? due : undefined;
}
