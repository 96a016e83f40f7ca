import { Prisma } from "../generated/prisma/client.js";

/** The rows of a workspace to delete, and their maximum number. */
export interface Batch {
  table: Prisma.ModelName;
  workspaceId: string;
  condition: Prisma.Sql;
  size: number;
  /**
   * The order of an index over the rows. Needed where the condition alone may match many
   * rows of a large table. Until its statistics are renewed after a deletion, PostgreSQL
   * would expect to find matches soon, and read all rows of the table one after the
   * other.
   */
  order?: Prisma.Sql;
  /**
   * The treatment of rows that another writer has locked. Skipping leaves them to a later
   * batch: a writer that never waits cannot deadlock. Otherwise the batch waits for them.
   */
  locked: "skip" | "wait";
}

/** Deletes rows of a workspace, and returns the given columns of the deleted rows. */
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
