import { Prisma, type PrismaClient } from "../generated/prisma/client.js";
import { releaseObjects, reservationEnd } from "./object-removal.js";

/** How long an object is kept that can be made again. */
const lifetimeMs = 24 * 3_600_000;
/** How many of them a workspace may have; the oldest make room. */
const maxPerWorkspace = 2_000;

/**
 * An object that can be made again. Its only record is its scheduled deletion: until a
 * reservation before that, it is in the store.
 */
export interface CachedObject {
  workspaceId: string;
  key: string;
}

/** An SQL expression: whether an object is in the store, and will be for some minutes. */
export const isCached = ({ workspaceId, key }: CachedObject, now: Date): Prisma.Sql => Prisma.sql`EXISTS (
  SELECT 1 FROM "ObjectRemoval" AS removal WHERE removal."workspaceId" = ${workspaceId}::uuid AND removal."key" = ${key}
    AND removal."claimedUntil" IS NULL AND removal."dueAt" > ${reservationEnd(now)}::timestamptz)`;

/**
 * Reserves the key before the object is stored. Returns false if an earlier object with
 * this key is just being deleted.
 */
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

/**
 * Keeps a stored object for a day if `isWanted`, which locks what it belongs to, says so.
 * Otherwise it is deleted now.
 */
export async function keepCachedObject(
  prisma: PrismaClient,
  { workspaceId, key }: CachedObject,
  now: Date,
  isWanted: (transaction: Prisma.TransactionClient) => Promise<boolean>,
): Promise<void> {
  const isKept = await prisma.$transaction(async (transaction) => {
    if (!(await isWanted(transaction))) return false;
    const dueAt = new Date(now.getTime() + lifetimeMs);
    const { count } = await transaction.objectRemoval.updateMany({
      where: { workspaceId, key, claimedUntil: null },
      data: { dueAt },
    });
    await makeRoom(transaction, workspaceId, now);
    return count > 0;
  });
  if (!isKept) await releaseObjects(prisma, { workspaceId, keys: [key] }, now);
}

/** Schedules the oldest objects of a workspace for deletion now if it has too many. */
async function makeRoom(
  transaction: Prisma.TransactionClient,
  workspaceId: string,
  now: Date,
): Promise<void> {
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
 * Schedules what there may be of some objects for deletion now, in the transaction that
 * drops what they belong to.
 */
export async function dropCachedObjects(
  transaction: Prisma.TransactionClient,
  workspaceId: string,
  keys: readonly string[],
  now: Date,
): Promise<void> {
  // One text for any number of keys.
  await transaction.$executeRaw(Prisma.sql`
    UPDATE "ObjectRemoval" SET "dueAt" = ${now}::timestamptz
    WHERE "workspaceId" = ${workspaceId}::uuid AND "key" = ANY(${[...keys]}::text[]) AND "dueAt" > ${now}::timestamptz`);
}
