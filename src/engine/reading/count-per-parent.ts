import { Prisma } from "../../generated/prisma/client.js";
import { identifier } from "./identifier.js";

/** The rows to count for each of many parents. */
interface RowsPerParent {
  source: Prisma.Sql;
  parentColumn: string;
  parentIds: readonly string[];
  /** The conditions on the rows, over the alias `item`. */
  conditions: Prisma.Sql[];
}

/** Counts the rows of each of many parents. Returns `parentId` and `count`, but nothing for a parent without rows. */
export function countPerParent({ source, parentColumn, parentIds, conditions }: RowsPerParent): Prisma.Sql {
  const parent = Prisma.sql`item.${identifier(parentColumn)}`;
  const all = [Prisma.sql`${parent} = ANY(${parentIds}::uuid[])`, ...conditions];
  return Prisma.sql`
    SELECT ${parent} AS "parentId", count(*)::int AS "count" FROM ${source} AS item
    WHERE ${Prisma.join(all, " AND ")} GROUP BY ${parent}`;
}
