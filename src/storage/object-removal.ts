import { Prisma, type PrismaClient } from "../generated/prisma/client.js";
import { ServiceError } from "../platform/errors.js";
import type { StepOutcome } from "../platform/worker.js";
import type { FollowingWorkspaces, WorkspaceTurns } from "../platform/workspace-turns.js";
import type { ObjectStore } from "./object-store.js";

const batchSize = 500;
/** After this time, objects that a gateway claimed but has not deleted, because it crashed, are deleted by another. */
const claimTimeoutMs = 5 * 60_000;
/** How long an object is preserved until the write that refers to it. */
const reservationTimeoutMs = 5 * 60_000;

/**
 * Schedules the deletion of a workspace's objects, in the transaction that drops the references to them. Absolute URLs are
 * ignored: they are not in the store.
 */
export async function scheduleRemoval(
  transaction: Prisma.TransactionClient,
  workspaceId: string,
  stored: readonly (string | null)[],
  now: Date,
): Promise<void> {
  const keys = stored.filter((value): value is string => value !== null && !/^https?:\/\//i.test(value));
  if (keys.length > 0) await transaction.objectRemoval.createMany({ data: keys.map((key) => ({ workspaceId, key, dueAt: now })) });
}

/** Objects of a workspace by their keys in the store. */
export interface WorkspaceObjects {
  workspaceId: string;
  keys: readonly string[];
}

/** Reserves keys before their objects are stored: the objects are deleted unless {@link keepObjects} is called in time. */
export async function reserveObjects(prisma: PrismaClient, { workspaceId, keys }: WorkspaceObjects, now: Date): Promise<void> {
  const dueAt = new Date(now.getTime() + reservationTimeoutMs);
  await prisma.objectRemoval.createMany({ data: keys.map((key) => ({ workspaceId, key, dueAt })) });
}

/** Cancels the deletion of reserved objects, in the transaction that stores the references to them. */
export async function keepObjects(transaction: Prisma.TransactionClient, { workspaceId, keys }: WorkspaceObjects): Promise<void> {
  const { count } = await transaction.objectRemoval.deleteMany({ where: { workspaceId, key: { in: [...keys] }, claimedUntil: null } });
  if (count !== keys.length) throw new ServiceError("UNAVAILABLE", "The upload took too long; it is safe to retry", { retryAfter: 1 });
}

/** Schedules reserved objects for deletion now, because no write refers to them; including those whose reservation has expired. */
export async function releaseObjects(prisma: PrismaClient, { workspaceId, keys }: WorkspaceObjects, now: Date): Promise<void> {
  await prisma.$transaction([
    prisma.objectRemoval.deleteMany({ where: { workspaceId, key: { in: [...keys] } } }),
    prisma.objectRemoval.createMany({ data: keys.map((key) => ({ workspaceId, key, dueAt: now })) }),
  ]);
}

/** Schedules what an earlier process reserved or was deleting for deletion now. Only valid for the sole user of a database. */
export async function releaseAllObjects(prisma: PrismaClient, now: Date): Promise<void> {
  await prisma.objectRemoval.updateMany({ data: { dueAt: now } });
  await prisma.objectRemoval.updateMany({ where: { claimedUntil: { not: null } }, data: { claimedUntil: now } });
}

/** What {@link removeObjects} works on. */
export interface ObjectRemovalDependencies {
  prisma: PrismaClient;
  store: ObjectStore;
  turns: WorkspaceTurns;
  now: () => Date;
}

/** Deletes a batch of the objects of a workspace whose deletion is due. Safe to repeat after a crash. */
export async function removeObjects({ prisma, store, turns, now }: ObjectRemovalDependencies): Promise<StepOutcome> {
  const next = await prisma.objectRemoval.findFirst({ orderBy: { dueAt: "asc" }, select: { dueAt: true } });
  if (!next) return "nothing";
  if (next.dueAt > now()) return { dueInMs: next.dueAt.getTime() - now().getTime() };
  // Claimed in a statement of its own: no transaction must stay open while the store does not respond.
  const claimed = await turns.claim(
    (workspaceId) => findWorkspace(prisma, workspaceId, now()),
    (workspaceId) => claim(prisma, workspaceId, now()),
  );
  const [first] = claimed;
  if (!first) return "locked";
  const { workspaceId } = first;
  try {
    const refused = new Set(await store.delete(claimed.map(({ key }) => key)));
    const done = claimed.filter(({ key }) => !refused.has(key));
    await prisma.objectRemoval.deleteMany({ where: { workspaceId, id: { in: done.map(({ id }) => id) } } });
    if (refused.size > 0) throw new Error(`The store refused to delete ${refused.size} objects, among them ${[...refused][0]}`);
    return "more";
  } catch (error) {
    await prisma.objectRemoval.updateMany({ where: { workspaceId, id: { in: claimed.map(({ id }) => id) } }, data: { claimedUntil: now() } });
    throw error;
  }
}

function findWorkspace(prisma: PrismaClient, workspaceId: FollowingWorkspaces, now: Date): Promise<{ workspaceId: string } | null> {
  const isUnclaimed = [{ claimedUntil: null }, { claimedUntil: { lte: now } }];
  return prisma.objectRemoval.findFirst({
    where: { workspaceId, dueAt: { lte: now }, OR: isUnclaimed },
    orderBy: { workspaceId: "asc" },
    select: { workspaceId: true },
  });
}

/** Objects that were never tried come first, so that objects that cannot be deleted do not block the others. */
function claim(prisma: PrismaClient, workspaceId: string, now: Date): Promise<{ workspaceId: string; id: string; key: string }[]> {
  return prisma.$queryRaw(Prisma.sql`
    UPDATE "ObjectRemoval" SET "claimedUntil" = ${new Date(now.getTime() + claimTimeoutMs)}::timestamptz
    WHERE "workspaceId" = ${workspaceId}::uuid AND "id" IN (
      SELECT "id" FROM "ObjectRemoval"
      WHERE "workspaceId" = ${workspaceId}::uuid AND "dueAt" <= ${now}::timestamptz AND ("claimedUntil" IS NULL OR "claimedUntil" <= ${now}::timestamptz)
      ORDER BY "claimedUntil" NULLS FIRST, "dueAt" LIMIT ${batchSize}::int FOR UPDATE SKIP LOCKED)
    RETURNING "workspaceId", "id", "key"`);
}
