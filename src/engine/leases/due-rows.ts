import { Prisma } from "../../generated/prisma/client.js";
import { isUnavailable } from "../../platform/errors/database-errors.js";
import { Due } from "./due.js";
import type { StepOutcome } from "./worker.js";
import { type FollowingWorkspaces, type ListWorkspaces, WorkspaceTurns } from "./workspace-turns.js";

/** Rows of a table that are work once they are due. The instance that has changed or locked one has it for itself. */
export interface DueRows {
  table: Prisma.ModelName;
  /** The column that tells a row from others of its workspace. */
  key: string;
  /** The column with the time at which a row is due. */
  dueAt: string;
  /** Whether rows without a time are due, too. */
  isDueWithoutTime?: boolean;
  /**
   * How far ahead that time can be. Further ahead, a clock that was ahead has set it, and the row is due now. Infinite
   * if somebody else sees to that.
   */
  maxAheadMs: number;
  /** Which rows are work at all; all by default. */
  where?: Prisma.Sql;
}

type Client = Pick<Prisma.TransactionClient, "$queryRaw">;

const name = (text: string) => Prisma.raw(`"${text}"`);
const always = Prisma.sql`TRUE`;

const isDue = ({ dueAt, isDueWithoutTime, maxAheadMs, where = always }: DueRows, now: Date) =>
  Prisma.sql`${new Due(now, maxAheadMs).of(name(dueAt))} ${Prisma.raw(isDueWithoutTime ? "IS NOT FALSE" : "")} AND ${where}`;

/** The first and the last time at which rows are due; null if there are none. */
export async function dueTimes(
  client: Client,
  { table, dueAt, where = always }: DueRows,
): Promise<{ first: Date | null; last: Date | null }> {
  const [found] = await client.$queryRaw<{ first: Date | null; last: Date | null }[]>(Prisma.sql`
    SELECT min(${name(dueAt)}) AS "first", max(${name(dueAt)}) AS "last" FROM ${name(table)} WHERE ${where}`);
  return found ?? { first: null, last: null };
}

/**
 * When the next row is due; "locked" if one is that nobody has claimed so far. While a node of the database is away,
 * nobody knows, so one may be due.
 */
export async function untilDue(client: Client, rows: DueRows, now: Date): Promise<StepOutcome> {
  try {
    const { first, last } = await dueTimes(client, rows);
    if (!first || !last) return "nothing";
    const due = new Due(now, rows.maxAheadMs);
    if (due.includes(first) || due.includes(last)) return "locked";
    return { dueInMs: first.getTime() - now.getTime() };
  } catch (error) {
    if (isUnavailable(error)) return "locked";
    throw error;
  }
}

/** Claims rows of the next workspace that has any, unless it is one of the excepted. */
export const claimInTurn = <Claimed>(
  client: Client,
  turns: WorkspaceTurns,
  rows: DueRows,
  now: Date,
  claim: (workspaceId: string) => Promise<Claimed[]>,
  except: readonly string[] = [],
): Promise<Claimed[]> =>
  turns.claim(async (following) => {
    const [found] = await client.$queryRaw<{ workspaceId: string }[]>(Prisma.sql`
      SELECT "workspaceId" FROM ${name(rows.table)}
      WHERE ${isFollowing(following)} AND "workspaceId" <> ALL(${[...except]}::uuid[]) AND ${isDue(rows, now)}
      ORDER BY "workspaceId" LIMIT 1`);
    return found ?? null;
  }, claim);

/** The condition on the following workspaces. */
export const isFollowing = (following: FollowingWorkspaces): Prisma.Sql =>
  "gt" in following
    ? Prisma.sql`"workspaceId" > ${following.gt}::uuid`
    : Prisma.sql`"workspaceId" >= ${following.gte}::uuid`;

/** Which rows to claim of a workspace. */
interface Share {
  workspaceId: string;
  now: Date;
  limit: number;
  /** The order in which rows are claimed; by default, by the time at which they are due. */
  order?: Prisma.Sql;
}

/** The condition on rows of a workspace that are due, and locks them. Leaves out rows that others have locked. */
export function lockedDueRows(rows: DueRows, { workspaceId, now, limit, order }: Share): Prisma.Sql {
  const ofWorkspace = Prisma.sql`"workspaceId" = ${workspaceId}::uuid`;
  const key = name(rows.key);
  return Prisma.sql`${ofWorkspace} AND ${key} = ANY(ARRAY(
    SELECT ${key} FROM ${name(rows.table)} WHERE ${ofWorkspace} AND ${isDue(rows, now)}
    ORDER BY ${order ?? name(rows.dueAt)} LIMIT ${limit}::int FOR UPDATE SKIP LOCKED))`;
}

/** How to do what is due. */
export interface Leases<Claimed> {
  rows: DueRows;
  /** Claims rows of a workspace, and may do the work. */
  claim: (workspaceId: string, now: Date) => Promise<Claimed[]>;
  /** The time between looks where nothing announces due rows. */
  pollMs?: number;
}

/** The step of a worker that does what is due, workspaces in turns. */
export function leaseStep<Claimed>(
  { prisma, listWorkspaces }: { prisma: Client; listWorkspaces: ListWorkspaces },
  now: () => Date,
  { rows, claim, pollMs }: Leases<Claimed>,
): () => Promise<StepOutcome> {
  const turns = new WorkspaceTurns(listWorkspaces);
  return async () => {
    const at = now();
    const outcome = await untilDue(prisma, rows, at);
    if (outcome === "nothing" && pollMs !== undefined) return { dueInMs: pollMs };
    if (outcome !== "locked") return outcome;
    const claimed = await claimInTurn(prisma, turns, rows, at, (workspaceId) => claim(workspaceId, at));
    return claimed.length > 0 ? "more" : outcome;
  };
}
