import { Prisma, type PrismaClient } from "../generated/prisma/client.js";
import { ServiceError } from "../platform/errors.js";
import type { StepOutcome } from "../platform/worker.js";
import type { ObjectStore } from "./object-store.js";

const batchSize = 500;
/** After this time, objects that a gateway claimed but has not deleted, because it crashed, are deleted by another. */
const claimTimeoutMs = 5 * 60_000;
/** How long an object is preserved until the write that refers to it. */
const reservationTimeoutMs = 5 * 60_000;

/** Schedules the deletion of objects, in the transaction that drops the references to them. Absolute URLs are ignored: they are not in the store. */
export async function scheduleRemoval(transaction: Prisma.TransactionClient, stored: readonly (string | null)[], now: Date): Promise<void> {
  const keys = stored.filter((value): value is string => value !== null && !/^https?:\/\//i.test(value));
  if (keys.length > 0) await transaction.objectRemoval.createMany({ data: keys.map((key) => ({ key, dueAt: now })) });
}

/** Reserves keys before their objects are stored: the objects are deleted unless {@link keepObjects} is called in time. */
export async function reserveObjects(prisma: PrismaClient, keys: readonly string[], now: Date): Promise<void> {
  const dueAt = new Date(now.getTime() + reservationTimeoutMs);
  await prisma.objectRemoval.createMany({ data: keys.map((key) => ({ key, dueAt })) });
}

/** Cancels the deletion of reserved objects, in the transaction that stores the references to them. */
export async function keepObjects(transaction: Prisma.TransactionClient, keys: readonly string[]): Promise<void> {
  const { count } = await transaction.objectRemoval.deleteMany({ where: { key: { in: [...keys] }, claimedUntil: null } });
  if (count !== keys.length) throw new ServiceError("UNAVAILABLE", "The upload took too long; it is safe to retry", { retryAfter: 1 });
}

/** Schedules reserved objects for deletion now, because no write refers to them; including those whose reservation has expired. */
export async function releaseObjects(prisma: PrismaClient, keys: readonly string[], now: Date): Promise<void> {
  await prisma.$transaction([
    prisma.objectRemoval.deleteMany({ where: { key: { in: [...keys] } } }),
    prisma.objectRemoval.createMany({ data: keys.map((key) => ({ key, dueAt: now })) }),
  ]);
}

/** Schedules what an earlier process reserved or was deleting for deletion now. Only valid for the sole user of a database. */
export async function releaseAllObjects(prisma: PrismaClient, now: Date): Promise<void> {
  await prisma.objectRemoval.updateMany({ data: { dueAt: now } });
  await prisma.objectRemoval.updateMany({ where: { claimedUntil: { not: null } }, data: { claimedUntil: now } });
}

/** Deletes a batch of the objects whose deletion is due. Safe to repeat after a crash. */
export async function removeObjects(prisma: PrismaClient, store: ObjectStore, now: () => Date): Promise<StepOutcome> {
  // Claimed in a statement of its own: no transaction must stay open while the store does not respond.
  const claimed = await claim(prisma, now());
  if (claimed.length === 0) return nextRemoval(prisma, now());
  try {
    const refused = new Set(await store.delete(claimed.map(({ key }) => key)));
    const done = claimed.filter(({ key }) => !refused.has(key));
    await prisma.objectRemoval.deleteMany({ where: { id: { in: done.map(({ id }) => id) } } });
    if (refused.size > 0) throw new Error(`The store refused to delete ${refused.size} objects, among them ${[...refused][0]}`);
    return "more";
  } catch (error) {
    await prisma.objectRemoval.updateMany({ where: { id: { in: claimed.map(({ id }) => id) } }, data: { claimedUntil: now() } });
    throw error;
  }
}

/** Objects that were never tried come first, so that objects that cannot be deleted do not block the others. */
function claim(prisma: PrismaClient, now: Date): Promise<{ id: string; key: string }[]> {
  return prisma.$queryRaw(Prisma.sql`
    UPDATE "ObjectRemoval" SET "claimedUntil" = ${new Date(now.getTime() + claimTimeoutMs)}::timestamptz
    WHERE "id" IN (
      SELECT "id" FROM "ObjectRemoval" WHERE "dueAt" <= ${now}::timestamptz AND ("claimedUntil" IS NULL OR "claimedUntil" <= ${now}::timestamptz)
      ORDER BY "claimedUntil" NULLS FIRST, "dueAt" LIMIT ${batchSize}::int FOR UPDATE SKIP LOCKED)
    RETURNING "id", "key"`);
}

async function nextRemoval(prisma: PrismaClient, now: Date): Promise<StepOutcome> {
  const next = await prisma.objectRemoval.findFirst({ orderBy: { dueAt: "asc" }, select: { dueAt: true } });
  if (!next) return "nothing";
  return next.dueAt <= now ? "locked" : { dueInMs: next.dueAt.getTime() - now.getTime() };
}
