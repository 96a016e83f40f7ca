import { Prisma, type PrismaClient } from "../../generated/prisma/client.js";
import { ServiceError } from "../../platform/errors/errors.js";
import { later } from "../../platform/time.js";
import type { Transact, Transaction } from "../database/transaction.js";
import { Due } from "../leases/due.js";
import { claimInTurn, type DueRows, lockedDueRows, untilDue } from "../leases/due-rows.js";
import type { StepOutcome } from "../leases/worker.js";
import { type ListWorkspaces, WorkspaceTurns } from "../leases/workspace-turns.js";
import { isStoredKey, type ObjectStore } from "./object-store.js";

const batchSize = 500;
/** Another gateway deletes the claimed objects of a crashed gateway after this time. */
const claimTimeoutMs = 5 * 60_000;
/** The lifetime of a reservation. The write that refers to the object must commit before its end. */
const reservationTimeoutMs = 5 * 60_000;
/**
 * How far ahead deletions are scheduled: drawn pictures stay for a day after they were last opened, and clocks differ.
 */
const maxAheadMs = 25 * 3_600_000;

/**
 * Schedules the deletion of a workspace's objects. Call this in the transaction that drops the references to
 * them. Ignores absolute URLs, because they are not in the store.
 */
export async function scheduleRemoval(
  transaction: Transaction,
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
export const reservationEnd = (now: Date): Date => later(now, reservationTimeoutMs);

/**
 * Reserves keys before their objects are stored. The objects are deleted unless {@link keepObjects} is called in time.
 */
export async function reserveObjects(
  prisma: PrismaClient,
  { workspaceId, keys }: WorkspaceObjects,
  now: Date,
): Promise<void> {
  const dueAt = reservationEnd(now);
  await prisma.objectRemoval.createMany({ data: keys.map((key) => ({ workspaceId, key, dueAt })) });
}

/** Cancels the deletion of reserved objects. Call this in the transaction that stores the references to them. */
export async function keepObjects(
  transaction: Transaction,
  { workspaceId, keys }: WorkspaceObjects,
): Promise<void> {
  const { count } = await transaction.objectRemoval.deleteMany({
    where: { workspaceId, key: { in: [...keys] }, claimedUntil: null },
  });
  if (count !== keys.length)
    throw new ServiceError("UNAVAILABLE", "The upload took too long; it is safe to retry", { retryAfter: 1 });
}

/** Schedules reserved objects for immediate deletion because no write refers to them, even after their reservation. */
export async function releaseObjects(
  transact: Transact,
  { workspaceId, keys }: WorkspaceObjects,
  now: Date,
): Promise<void> {
  await transact(async (transaction) => {
    await transaction.objectRemoval.deleteMany({ where: { workspaceId, key: { in: [...keys] } } });
    await transaction.objectRemoval.createMany({
      data: keys.map((key) => ({ workspaceId, key, dueAt: now })),
    });
  });
}

/** Schedules all that an earlier process reserved or was deleting for deletion now. Only for a database's sole user. */
export async function releaseAllObjects(prisma: PrismaClient, now: Date): Promise<void> {
  await prisma.objectRemoval.updateMany({ data: { dueAt: now } });
  await prisma.objectRemoval.updateMany({
    where: { claimedUntil: { not: null } },
    data: { claimedUntil: now },
  });
}

/** The dependencies of {@link objectRemover}. */
interface ObjectRemovalDependencies {
  database: { prisma: PrismaClient; listWorkspaces: ListWorkspaces };
  store: ObjectStore;
  now: () => Date;
}

interface DueObject {
  workspaceId: string;
  id: string;
  key: string;
}

const removals: DueRows = { table: "ObjectRemoval", key: "id", dueAt: "dueAt", maxAheadMs };

/**
 * The step that deletes a batch of due objects of a workspace. Safe to repeat after a crash. Uses separate statements:
 * no transaction may stay open while the store does not respond.
 */
export function objectRemover({ database, store, now }: ObjectRemovalDependencies) {
  const { prisma, listWorkspaces } = database;
  const turns = new WorkspaceTurns(listWorkspaces);
  return async (): Promise<StepOutcome> => {
    const at = now();
    const outcome = await untilDue(prisma, removals, at);
    if (outcome !== "locked") return outcome;
    const claim = (where: Prisma.Sql) => {
      const rows = { ...removals, where };
      return claimInTurn(prisma, turns, rows, at, (workspaceId) =>
        prisma.$queryRaw<DueObject[]>(Prisma.sql`
          UPDATE "ObjectRemoval" SET "claimedUntil" = ${later(at, claimTimeoutMs)}::timestamptz
          WHERE ${lockedDueRows(rows, { workspaceId, now: at, limit: batchSize, order: Prisma.sql`"claimedUntil", "dueAt"` })}
          RETURNING "workspaceId", "id", "key"`),
      );
    };
    // Start with objects that were never tried, so that undeletable objects of one workspace do not block others.
    const untried = await claim(Prisma.sql`"claimedUntil" IS NULL`);
    const claimed =
      untried.length > 0 ? untried : await claim(new Due(at, maxAheadMs).of(Prisma.sql`"claimedUntil"`));
    const [first] = claimed;
    if (!first) return outcome;
    const rowsOf = (objects: readonly DueObject[]) => ({
      where: { workspaceId: first.workspaceId, id: { in: objects.map(({ id }) => id) } },
    });
    try {
      const refused = new Set(await store.delete(claimed.map(({ key }) => key)));
      await prisma.objectRemoval.deleteMany(rowsOf(claimed.filter(({ key }) => !refused.has(key))));
      if (refused.size > 0)
        throw new Error(`The store refused to delete ${refused.size} objects, among them ${[...refused][0]}`);
      return "more";
    } catch (error) {
      await prisma.objectRemoval.updateMany({ ...rowsOf(claimed), data: { claimedUntil: now() } });
      throw error;
    }
  };
}
