import { Prisma } from "../generated/prisma/client.js";

/** Which rows of a workspace to delete, and how many at most. */
export interface Batch {
  table: Prisma.ModelName;
  workspaceId: string;
  condition: Prisma.Sql;
  size: number;
  /**
   * The order of the index that has the rows, where the condition alone may match many
   * rows of a large table: as long as its statistics are from before those were deleted,
   * PostgreSQL would expect to find some soon, and read all rows of the table one after
   * the other.
   */
  order?: Prisma.Sql;
  /**
   * What becomes of rows that another writer has locked: they are left to a later batch,
   * since whoever never waits cannot deadlock, or they are waited for.
   */
  locked: "skip" | "wait";
}

/**
 * Deletes rows of a workspace, and returns the given columns of those that were deleted.
 */
export function deleteBatch<Row extends object>(
  client: Pick<Prisma.TransactionClient, "$queryRaw">,
  { table, workspaceId, condition, size, order, locked }: Batch,
  returned: Prisma.Sql,
): Promise<Row[]> {
  const name = Prisma.raw(`"${table}"`);
  const rows = Prisma.sql`"workspaceId" = ${workspaceId}::uuid AND ${condition}`;
  const ordered = order ? Prisma.sql`ORDER BY ${order}` : Prisma.empty;
  const lock = locked === "skip" ? Prisma.sql`FOR UPDATE SKIP LOCKED` : Prisma.sql`FOR UPDATE`;
  return client.$queryRaw<Row[]>(Prisma.sql`
    DELETE FROM ${name} WHERE "workspaceId" = ${workspaceId}::uuid AND ctid = ANY(ARRAY(
      SELECT ctid FROM ${name} WHERE ${rows} ${ordered} LIMIT ${size}::int ${lock}))
    RETURNING ${returned}`);
}
