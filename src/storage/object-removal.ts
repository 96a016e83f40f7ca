import { Prisma, type PrismaClient } from "../generated/prisma/client.js";
import { ServiceError } from "../platform/errors.js";
import type { StepOutcome } from "../platform/worker.js";
import type { ObjectStore } from "./object-store.js";

const removalsAtOnce = 500;
/** Milliseconds after which what a gateway has not deleted, because it crashed over it, is deleted by another. */
const claimTime = 5 * 60_000;
/** For how many milliseconds an object may wait for the write that refers to it. */
const reservationTime = 5 * 60_000;

/** Notes, in the transaction that gives up objects, that they are to be deleted. Absolute URLs are not ours to delete. */
export async function scheduleRemoval(transaction: Prisma.TransactionClient, stored: readonly (string | null)[], now: Date): Promise<void> {
  const keys = stored.filter((value): value is string => value !== null && !/^https?:\/\//i.test(value));
  if (keys.length > 0) await transaction.objectRemoval.createMany({ data: keys.map((key) => ({ key, dueAt: now })) });
}

/** Notes that objects, which are stored next, are to be deleted unless {@link keepObjects} follows in time. */
export async function reserveObjects(prisma: PrismaClient, keys: readonly string[], now: Date): Promise<void> {
  const dueAt = new Date(now.getTime() + reservationTime);
  await prisma.objectRemoval.createMany({ data: keys.map((key) => ({ key, dueAt })) });
}

/** Takes the reservations of objects back, in the transaction that refers to them from then on. */
export async function keepObjects(transaction: Prisma.TransactionClient, keys: readonly string[]): Promise<void> {
  const { count } = await transaction.objectRemoval.deleteMany({ where: { key: { in: [...keys] }, claimedUntil: null } });
  if (count !== keys.length) throw new ServiceError("UNAVAILABLE", "The upload took too long; a retry is safe", { retryAfter: 1 });
}

/** Gives reserved objects up, because no write refers to them. Those that came too late for their reservation go too. */
export async function releaseObjects(prisma: PrismaClient, keys: readonly string[], now: Date): Promise<void> {
  await prisma.$transaction([
    prisma.objectRemoval.deleteMany({ where: { key: { in: [...keys] } } }),
    prisma.objectRemoval.createMany({ data: keys.map((key) => ({ key, dueAt: now })) }),
  ]);
}

/** Gives up what an earlier process reserved, or died over while deleting it. Only for who uses the database alone. */
export async function releaseAllObjects(prisma: PrismaClient, now: Date): Promise<void> {
  await prisma.objectRemoval.updateMany({ data: { dueAt: now } });
  await prisma.objectRemoval.updateMany({ where: { claimedUntil: { not: null } }, data: { claimedUntil: now } });
}

/** Deletes some of the objects that are to be deleted by now. Safe to repeat after a crash. */
export async function removeObjects(prisma: PrismaClient, store: ObjectStore, now: () => Date): Promise<StepOutcome> {
  // Claimed first: a transaction must not wait for a store that does not answer.
  const claimed = await claim(prisma, now());
  if (claimed.length === 0) return nextRemoval(prisma, now());
  try {
    const refused = new Set(await store.delete(claimed.map(({ key }) => key)));
    const done = claimed.filter(({ key }) => !refused.has(key));
    await prisma.objectRemoval.deleteMany({ where: { id: { in: done.map(({ id }) => id) } } });
    if (refused.size > 0) throw new Error(`The store refuses to delete ${refused.size} objects, ${[...refused][0]} among them`);
    return "more";
  } catch (error) {
    await prisma.objectRemoval.updateMany({ where: { id: { in: claimed.map(({ id }) => id) } }, data: { claimedUntil: now() } });
    throw error;
  }
}

/** Those that were never tried come first, so that none that cannot be deleted holds up the others. */
function claim(prisma: PrismaClient, now: Date): Promise<{ id: string; key: string }[]> {
  return prisma.$queryRaw(Prisma.sql`
    UPDATE "ObjectRemoval" SET "claimedUntil" = ${new Date(now.getTime() + claimTime)}::timestamptz
    WHERE "id" IN (
      SELECT "id" FROM "ObjectRemoval" WHERE "dueAt" <= ${now}::timestamptz AND ("claimedUntil" IS NULL OR "claimedUntil" <= ${now}::timestamptz)
      ORDER BY "claimedUntil" NULLS FIRST, "dueAt" LIMIT ${removalsAtOnce}::int FOR UPDATE SKIP LOCKED)
    RETURNING "id", "key"`);
}

async function nextRemoval(prisma: PrismaClient, now: Date): Promise<StepOutcome> {
  const next = await prisma.objectRemoval.findFirst({ orderBy: { dueAt: "asc" }, select: { dueAt: true } });
  if (!next) return "nothing";
  return next.dueAt <= now ? "later" : { after: next.dueAt.getTime() - now.getTime() };
}
