import { Prisma, type PrismaClient } from "../../generated/prisma/client.js";
import { later } from "../../platform/time.js";
import type { Transact, Transaction } from "../database/transaction.js";
import { releaseObjects, reservationEnd } from "./object-removal.js";

/** The lifetime of stored objects that can be made again. */
const lifetimeMs = 24 * 3_600_000;
/** The maximum number of such objects per workspace. The oldest make room. */
const maxPerWorkspace = 2_000;

/**
 * An object that can be made again, recorded by its scheduled deletion alone. The store has it until shortly before.
 */
export interface CachedObject {
  workspaceId: string;
  key: string;
}

/** An SQL expression: the store has an object, and will keep it for some minutes. */
export const isCached = ({ workspaceId, key }: CachedObject, now: Date): Prisma.Sql => Prisma.sql`EXISTS (
  SELECT 1 FROM "ObjectRemoval" AS removal WHERE removal."workspaceId" = ${workspaceId}::uuid AND removal."key" = ${key}
    AND removal."claimedUntil" IS NULL AND removal."dueAt" > ${reservationEnd(now)}::timestamptz)`;

/** Reserves a key before its object is stored. Returns false if an earlier object with this key is being deleted. */
export async function reserveCachedObject(
  prisma: PrismaClient,
  { workspaceId, key }: CachedObject,
  now: Date,
): Promise<boolean> {
  const dueAt = reservationEnd(now);
  const { count } = await prisma.objectRemoval.updateMany({
    where: { workspaceId, key, claimedUntil: null },
    data: { dueAt },
  });
  if (count > 0) return true;
  if ((await prisma.objectRemoval.count({ where: { workspaceId, key } })) > 0) return false;
  await prisma.objectRemoval.create({ data: { workspaceId, key, dueAt } });
  return true;
}

/** Keeps a stored object for a day if `isWanted`, which locks the row it belongs to, agrees; or else deletes it now. */
export async function keepCachedObject(
  transact: Transact,
  { workspaceId, key }: CachedObject,
  now: Date,
  isWanted: (transaction: Transaction) => Promise<boolean>,
): Promise<void> {
  const isKept = await transact(async (transaction) => {
    if (!(await isWanted(transaction))) return false;
    const dueAt = later(now, lifetimeMs);
    const { count } = await transaction.objectRemoval.updateMany({
      where: { workspaceId, key, claimedUntil: null },
      data: { dueAt },
    });
    await makeRoom(transaction, workspaceId, now);
    return count > 0;
  });
  if (!isKept) await releaseObjects(transact, { workspaceId, keys: [key] }, now);
}

/** Schedules the oldest objects of a workspace for immediate deletion if there are too many. */
async function makeRoom(transaction: Transaction, workspaceId: string, now: Date): Promise<void> {
  const gt = reservationEnd(now);
  const oldest = await transaction.objectRemoval.findFirst({
    where: { workspaceId, dueAt: { gt } },
    orderBy: { dueAt: "desc" },
    skip: maxPerWorkspace,
    select: { dueAt: true },
  });
  if (oldest)
    await transaction.objectRemoval.updateMany({
      where: { workspaceId, dueAt: { gt, lte: oldest.dueAt } },
      data: { dueAt: now },
    });
}

/**
 * Schedules objects for deletion now, if they exist. Call this in the transaction that drops the rows they belong to.
 */
export async function dropCachedObjects(
  transaction: Transaction,
  workspaceId: string,
  keys: readonly string[],
  now: Date,
): Promise<void> {
  // The text of the statement is the same for any number of keys.
  await transaction.$executeRaw(Prisma.sql`
    UPDATE "ObjectRemoval" SET "dueAt" = ${now}::timestamptz
    WHERE "workspaceId" = ${workspaceId}::uuid AND "key" = ANY(${[...keys]}::text[]) AND "dueAt" > ${now}::timestamptz`);
}
