import type { RawStatements } from "../../engine/database/transaction.js";
import { Prisma } from "../../generated/prisma/client.js";
import { BatchSize } from "./batch-size.js";

/** The maximum number of rows that a statement deletes. */
const maxAtOnce = 2_000;

export interface DeletableRows {
  table: Prisma.ModelName;
  workspaceId: string;
  condition: Prisma.Sql;
  /**
   * The order of an index over the rows. Needed where the condition alone may match many rows of a large table: until
   * its statistics are renewed after a deletion, PostgreSQL would expect to find matches soon, and read all rows of the
   * table one after the other.
   */
  order?: Prisma.Sql;
  /**
   * The treatment of rows that another writer has locked. Skipping leaves them to a later batch: a writer that never
   * waits cannot deadlock. Otherwise the batch waits for them.
   */
  locked: "skip" | "wait";
}

interface Batch extends DeletableRows {
  size: number;
}

type Client = Pick<RawStatements, "$queryRaw">;

const sizes = new Map<Prisma.ModelName, BatchSize>();

/**
 * Deletes rows of a workspace by statements that take a short time each, and returns the given columns of
 * the deleted rows.
 */
export async function deleteBatch<Row extends object>(
  client: Client,
  { size, ...rows }: Batch,
  returned: Prisma.Sql,
): Promise<Row[]> {
  const deleted: Row[] = [];
  for (let isMoreLeft = true; isMoreLeft && deleted.length < size; ) {
    const some = await deleteSome<Row>(client, rows, returned, size - deleted.length);
    deleted.push(...some.rows);
    isMoreLeft = some.isMoreLeft;
  }
  return deleted;
}

/**
 * Deletes as many of the rows of a workspace, `most` at most, as a short statement can. Returns the given
 * columns of the deleted rows, and whether there may be more.
 */
export async function deleteSome<Row extends object>(
  client: Client,
  { table, workspaceId, condition, order, locked }: DeletableRows,
  returned: Prisma.Sql,
  most = maxAtOnce,
): Promise<{ rows: Row[]; isMoreLeft: boolean }> {
  const size = sizes.get(table) ?? new BatchSize(maxAtOnce);
  sizes.set(table, size);
  const limit = Math.min(size.rows, most);
  const name = Prisma.raw(`"${table}"`);
  const matching = Prisma.sql`"workspaceId" = ${workspaceId}::uuid AND ${condition}`;
  const ordered = order ? Prisma.sql`ORDER BY ${order}` : Prisma.empty;
  const lock = locked === "skip" ? Prisma.sql`FOR UPDATE SKIP LOCKED` : Prisma.sql`FOR UPDATE`;
  const startedAt = performance.now();
  const rows = await client.$queryRaw<Row[]>(Prisma.sql`
    DELETE FROM ${name} WHERE "workspaceId" = ${workspaceId}::uuid AND ctid = ANY(ARRAY(
      SELECT ctid FROM ${name} WHERE ${matching} ${ordered} LIMIT ${limit}::int ${lock}))
    RETURNING ${returned}`);
  size.note(rows.length, performance.now() - startedAt);
  return { rows, isMoreLeft: rows.length === limit };
}
