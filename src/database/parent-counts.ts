import { Prisma } from "../generated/prisma/client.js";

/** A list of rows that belong to parents. */
export interface ListOfParents {
  /** What the rows are selected from. */
  source: Prisma.Sql;
  /** The column that names a row's parent. */
  parentColumn: string;
  parentIds: readonly string[];
  /** What must hold of the rows, each over the alias `item`. */
  conditions: Prisma.Sql[];
}

/** One statement that counts the whole list of each of many parents: rows of `parentId` and `count`, none for an empty list. */
export function countOfParents(list: ListOfParents): Prisma.Sql {
  const parent = Prisma.sql`item.${identifier(list.parentColumn)}`;
  const conditions = [Prisma.sql`${parent} = ANY(${list.parentIds}::uuid[])`, ...list.conditions];
  return Prisma.sql`
    SELECT ${parent} AS "parentId", count(*)::int AS "count" FROM ${list.source} AS item
    WHERE ${Prisma.join(conditions, " AND ")} GROUP BY ${parent}`;
}

/** A column of ours by name, quoted. */
export function identifier(name: string): Prisma.Sql {
  if (!/^[A-Za-z]+$/.test(name)) throw new Error(`Not a column name: ${name}`);
  return Prisma.raw(`"${name}"`);
}
