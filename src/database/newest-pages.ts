import { Prisma } from "../generated/prisma/client.js";
import type { PageRequest } from "../platform/connection.js";

/** A list of rows that belong to parents, newest first. */
export interface ListOfParents {
  /** What the rows are selected from. */
  source: Prisma.Sql;
  /** The column that names a row's parent. */
  parentColumn: string;
  parentIds: readonly string[];
  /** What must hold of the rows, each over the alias `item`. */
  conditions: Prisma.Sql[];
}

/**
 * One statement that reads a page for each of many parents: as many rows as `first` and one more, which tells whether
 * there is a next page. Every row carries its parent as `parentId`; `columns` are expressions over the alias `item`.
 */
export function newestPages(list: ListOfParents, columns: Prisma.Sql[], page: PageRequest): Prisma.Sql {
  const conditions = [Prisma.sql`item.${identifier(list.parentColumn)} = parent."id"`, ...list.conditions];
  const { after, first, offset = 0 } = page;
  if (after) conditions.push(Prisma.sql`(item."createdAt", item."id") < (${after.createdAt}::timestamptz, ${after.id}::uuid)`);
  return Prisma.sql`
    SELECT parent."id" AS "parentId", page.*
    FROM unnest(${list.parentIds}::uuid[]) AS parent("id")
    CROSS JOIN LATERAL (
      SELECT ${Prisma.join(columns)} FROM ${list.source} AS item WHERE ${Prisma.join(conditions, " AND ")}
      ORDER BY item."createdAt" DESC, item."id" DESC LIMIT ${first + 1}::int OFFSET ${offset}::int
    ) AS page
    ORDER BY parent."id", page."createdAt" DESC, page."id" DESC`;
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
