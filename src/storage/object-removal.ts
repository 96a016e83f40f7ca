import { Prisma, type PrismaClient } from "../generated/prisma/client.js";
import type { StepOutcome } from "../platform/worker.js";
import type { ObjectStore } from "./object-store.js";

const removalsAtOnce = 500;
/** Milliseconds that one batch may wait for its turn, and may take. */
const removalTime = { maxWait: 10_000, timeout: 60_000 };

/** Notes, in the transaction that gives up objects, that they are to be deleted. Absolute URLs are not ours to delete. */
export async function scheduleRemoval(transaction: Prisma.TransactionClient, stored: readonly (string | null)[]): Promise<void> {
  const keys = stored.filter((value): value is string => value !== null && !/^https?:\/\//i.test(value));
  if (keys.length > 0) await transaction.objectRemoval.createMany({ data: keys.map((key) => ({ key })) });
}

/** Deletes some of the objects that are to be deleted. Safe to repeat after a crash. */
export async function removeObjects(prisma: PrismaClient, store: ObjectStore): Promise<StepOutcome> {
  return prisma.$transaction(async (transaction) => {
    const removals = await transaction.$queryRaw<{ id: string; key: string }[]>(
      Prisma.sql`SELECT "id", "key" FROM "ObjectRemoval" ORDER BY "id" LIMIT ${removalsAtOnce}::int FOR UPDATE SKIP LOCKED`,
    );
    await Promise.all(removals.map(({ key }) => store.delete(key)));
    await transaction.objectRemoval.deleteMany({ where: { id: { in: removals.map(({ id }) => id) } } });
    if (removals.length > 0) return "more";
    return (await transaction.objectRemoval.count({ take: 1 })) > 0 ? "later" : "nothing";
  }, removalTime);
}
