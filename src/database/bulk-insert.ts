import type { Prisma } from "../generated/prisma/client.js";

type Writer = Pick<Prisma.TransactionClient, "$executeRawUnsafe">;

/** Inserts rows of one shape with one statement; columns that the rows do not name get their defaults. Values travel as JSON. */
export async function bulkInsert(database: Writer, table: Prisma.ModelName, rows: readonly object[]): Promise<void> {
  const [first] = rows;
  if (!first) return;
  const columns = Object.keys(first)
    .map((name) => `"${name.replaceAll('"', "")}"`)
    .join(", ");
  const sql = `INSERT INTO "${table}" (${columns}) SELECT ${columns} FROM jsonb_populate_recordset(NULL::"${table}", $1::jsonb)`;
  await database.$executeRawUnsafe(sql, JSON.stringify(rows));
}
