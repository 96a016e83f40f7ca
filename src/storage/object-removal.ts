import { Prisma, type PrismaClient } from "../generated/prisma/client.js";
import { Due } from "../platform/due.js";
import { ServiceError } from "../platform/errors.js";
import type { WorkspaceTurns } from "../platform/queues/workspace-turns.js";
import { type StepOutcome, untilDue } from "../platform/workers/worker.js";
import { isStoredKey, type ObjectStore } from "./object-store.js";

const batchSize = 500;
/** Another gateway deletes the claimed objects of a crashed gateway after this time. */
const claimTimeoutMs = 5 * 60_000;
/**
 * The lifetime of a reservation. The write that refers to the object must commit before
 * its end.
 */
const reservationTimeoutMs = 5 * 60_000;
/** Drawn pictures stay for a day after they were last opened; clocks differ a little. */
const maxAheadMs = 25 * 3_600_000;

/**
 * Schedules the deletion of a workspace's objects. Call this in the transaction that
 * drops the references to them. Ignores absolute URLs, because they are not in the store.
 */
export async function scheduleRemoval(
  transaction: Prisma.TransactionClient,
  workspaceId: string,
  stored: readonly (string | null)[],
  now: Date,
): Promise<void> {
  const keys = stored.filter((value): value is string => value !== null && isStoredKey(value));
  if (keys.length > 0)
    await transaction.objectRemoval.createMany({
      data: keys.map((key) => ({ workspaceId, key, dueAt: now })),
    });
}

/** Objects of a workspace by their keys in the store. */
export interface WorkspaceObjects {
  workspaceId: string;
  keys: readonly string[];
}

/** The end of a reservation made now. */
export const reservationEnd = (now: Date): Date => new Date(now.getTime() + reservationTimeoutMs);

/**
 * Reserves keys before their objects are stored. The objects are deleted unless
 * {@link keepObjects} is called in time.
 */
export async function reserveObjects(
  prisma: PrismaClient,
  { workspaceId, keys }: WorkspaceObjects,
  now: Date,
): Promise<void> {
  const dueAt = reservationEnd(now);
  await prisma.objectRemoval.createMany({ data: keys.map((key) => ({ workspaceId, key, dueAt })) });
}

/**
 * Cancels the deletion of reserved objects. Call this in the transaction that stores the
 * references to them.
 */
export async function keepObjects(
  transaction: Prisma.TransactionClient,
  { workspaceId, keys }: WorkspaceObjects,
): Promise<void> {
  const { count } = await transaction.objectRemoval.deleteMany({
    where: { workspaceId, key: { in: [...keys] }, claimedUntil: null },
  });
  if (count !== keys.length)
    throw new ServiceError("UNAVAILABLE", "The upload took too long; it is safe to retry", { retryAfter: 1 });
}

/**
 * Schedules reserved objects for immediate deletion because no write refers to them, even
 * if their reservation has expired.
 */
export async function releaseObjects(
  prisma: PrismaClient,
  { workspaceId, keys }: WorkspaceObjects,
  now: Date,
): Promise<void> {
  await prisma.$transaction(async (transaction) => {
    await transaction.objectRemoval.deleteMany({ where: { workspaceId, key: { in: [...keys] } } });
    await transaction.objectRemoval.createMany({
      data: keys.map((key) => ({ workspaceId, key, dueAt: now })),
    });
  });
}

/**
 * Schedules everything that an earlier process reserved or was deleting for immediate
 * deletion. Only valid for the sole user of a database.
 */
export async function releaseAllObjects(prisma: PrismaClient, now: Date): Promise<void> {
  await prisma.objectRemoval.updateMany({ data: { dueAt: now } });
  await prisma.objectRemoval.updateMany({
    where: { claimedUntil: { not: null } },
    data: { claimedUntil: now },
  });
}

/** The dependencies of {@link removeObjects}. */
export interface ObjectRemovalDependencies {
  prisma: PrismaClient;
  store: ObjectStore;
  turns: WorkspaceTurns;
  now: () => Date;
}

/** Deletes a batch of due objects of a workspace. Safe to repeat after a crash. */
export async function removeObjects(dependencies: ObjectRemovalDependencies): Promise<StepOutcome> {
  const { prisma, store, now } = dependencies;
  const due = new Due(now(), maxAheadMs);
  const next = due.next((dueAt) =>
    prisma.objectRemoval.findFirst({ where: { dueAt }, orderBy: { dueAt: "asc" }, select: { dueAt: true } }),
  );
  const outcome = await untilDue(next, now());
  if (outcome !== "locked") return outcome;
  // Start with objects that were never tried, so that undeletable objects of one
  // workspace do not block those of any other.
  const claimed =
    (await claimInTurn("new", dependencies)) ?? (await claimInTurn("tried before", dependencies)) ?? [];
  const [first] = claimed;
  if (!first) return outcome;
  const { workspaceId } = first;
  try {
    const refused = new Set(await store.delete(claimed.map(({ key }) => key)));
    const done = claimed.filter(({ key }) => !refused.has(key));
    await prisma.objectRemoval.deleteMany({ where: { workspaceId, id: { in: done.map(({ id }) => id) } } });
    if (refused.size > 0)
      throw new Error(`The store refused to delete ${refused.size} objects, among them ${[...refused][0]}`);
    return "more";
  } catch (error) {
    await prisma.objectRemoval.updateMany({
      where: { workspaceId, id: { in: claimed.map(({ id }) => id) } },
      data: { claimedUntil: now() },
    });
    throw error;
  }
}

interface DueObject {
  workspaceId: string;
  id: string;
  key: string;
}

/**
 * Claims objects of the next workspace that has any. Uses separate statements: no
 * transaction may stay open while the store does not respond.
 */
async function claimInTurn(
  objects: "new" | "tried before",
  { prisma, turns, now }: ObjectRemovalDependencies,
): Promise<DueObject[] | undefined> {
  const due = new Due(now(), maxAheadMs);
  const isFree = objects === "new" ? { claimedUntil: null } : due.where("claimedUntil");
  const claimed = await turns.claim(
    (following) =>
      prisma.objectRemoval.findFirst({
        where: { workspaceId: following, AND: [due.where("dueAt"), isFree] },
        orderBy: { workspaceId: "asc" },
        select: { workspaceId: true },
      }),
    (workspaceId) => claim(prisma, objects, workspaceId, now()),
  );
  return claimed.length > 0 ? claimed : undefined;
}

function claim(
  prisma: PrismaClient,
  objects: "new" | "tried before",
  workspaceId: string,
  now: Date,
): Promise<DueObject[]> {
  const due = new Due(now, maxAheadMs);
  const isFree = objects === "new" ? Prisma.sql`"claimedUntil" IS NULL` : due.of(Prisma.sql`"claimedUntil"`);
  return prisma.$queryRaw(Prisma.sql`
    UPDATE "ObjectRemoval" SET "claimedUntil" = ${new Date(now.getTime() + claimTimeoutMs)}::timestamptz
    WHERE "workspaceId" = ${workspaceId}::uuid AND "id" = ANY(ARRAY(
      SELECT "id" FROM "ObjectRemoval" WHERE "workspaceId" = ${workspaceId}::uuid AND ${due.of(Prisma.sql`"dueAt"`)} AND ${isFree}
      ORDER BY "claimedUntil", "dueAt" LIMIT ${batchSize}::int FOR UPDATE SKIP LOCKED))
    RETURNING "workspaceId", "id", "key"`);
}
