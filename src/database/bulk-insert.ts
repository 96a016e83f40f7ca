import type { Prisma } from "../generated/prisma/client.js";

type StatementRunner = Pick<Prisma.TransactionClient, "$executeRawUnsafe">;

/**
 * Inserts rows of one shape in one statement, with the values as JSON. Columns that the
 * rows lack get their defaults.
 */
export async function bulkInsert(
  database: StatementRunner,
  table: Prisma.ModelName,
  rows: readonly object[],
): Promise<void> {
  const [first] = rows;
  if (!first) return;
  const columns = Object.keys(first)
    .map((name) => `"${name.replaceAll('"', "")}"`)
    .join(", ");
  const sql = `INSERT INTO "${table}" (${columns}) SELECT ${columns} FROM jsonb_populate_recordset(NULL::"${table}", $1::jsonb)`;
  await database.$executeRawUnsafe(sql, JSON.stringify(rows));
}
