import { Prisma } from "../../generated/prisma/client.js";
import type { RawStatements } from "./transaction.js";

/**
 * Inserts rows of one shape in one statement, with the values as JSON. Columns that the rows lack get their defaults.
 */
export async function bulkInsert(
  database: Pick<RawStatements, "$executeRaw">,
  table: Prisma.ModelName,
  rows: readonly object[],
): Promise<void> {
  const [first] = rows;
  if (!first) return;
  const columns = Object.keys(first)
    .map((name) => `"${name.replaceAll('"', "")}"`)
    .join(", ");
  const before = `INSERT INTO "${table}" (${columns}) SELECT ${columns} FROM jsonb_populate_recordset(NULL::"${table}", `;
  await database.$executeRaw(new Prisma.Sql([before, "::jsonb)"], [JSON.stringify(rows)]));
}
