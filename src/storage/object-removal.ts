import { Prisma, type PrismaClient } from "../generated/prisma/client.js";
import type { ObjectStore } from "./object-store.js";

const removalsAtOnce = 500;

/** Notes, in the transaction that gives up objects, that they are to be deleted. Absolute URLs are not ours to delete. */
export async function scheduleRemoval(transaction: Prisma.TransactionClient, stored: readonly (string | null)[]): Promise<void> {
  const keys = stored.filter((value): value is string => value !== null && !/^https?:\/\//i.test(value));
  if (keys.length > 0) await transaction.objectRemoval.createMany({ data: keys.map((key) => ({ key })) });
}

/** Deletes some of the objects that are to be deleted; answers whether there were any. Safe to repeat after a crash. */
export async function removeObjects(prisma: PrismaClient, store: ObjectStore): Promise<boolean> {
  return prisma.$transaction(async (transaction) => {
    const removals = await transaction.$queryRaw<{ id: string; key: string }[]>(
      Prisma.sql`SELECT "id", "key" FROM "ObjectRemoval" ORDER BY "id" LIMIT ${removalsAtOnce}::int FOR UPDATE SKIP LOCKED`,
    );
    await Promise.all(removals.map(({ key }) => store.delete(key)));
    await transaction.objectRemoval.deleteMany({ where: { id: { in: removals.map(({ id }) => id) } } });
    return removals.length > 0;
  });
}
