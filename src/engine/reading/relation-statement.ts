import { Prisma } from "../../generated/prisma/client.js";
import type { EntityType } from "./entity-type.js";
import { identifier, ownIdentifier } from "./identifier.js";
import type { Relation, RowRange, Selection } from "./selection/selection.js";
import type { VisibleSources } from "./visibility.js";

/** A row as parsed from JSON. Its nested relations have columns of their own. */
export type RelatedRow = Record<string, unknown> & { id: string };

/** The rows of one parent: a row or null for a to-one relation, a list for a to-many relation. */
export type RelatedRows = RelatedRow | RelatedRow[] | null;

/** The subquery that returns the rows of the parent with the alias `parent`, and everything nested in them, as JSON. */
export function relationStatement<Args>(
  sources: VisibleSources,
  relation: Relation<Args>,
  selection: Selection,
  args: Args,
): Prisma.Sql {
  return nestedStatement(sources, { relation, selection, args }, Prisma.sql`parent."id"`, 1);
}

export interface Nested {
  relation: Relation<unknown>;
  selection: Selection;
  args: unknown;
}

function nestedStatement(
  sources: VisibleSources,
  { relation, selection, args }: Nested,
  parentId: Prisma.Sql,
  depth: number,
): Prisma.Sql {
  const level = levelAt(depth);
  const items = itemsStatement(sources, { relation, selection, args }, parentId);
  const nested = selection.children.map(({ loader, selection, args }, index) => {
    const statement = nestedStatement(
      sources,
      { relation: loader.relation, selection, args },
      Prisma.sql`${level}."id"`,
      depth + 1,
    );
    return Prisma.sql`(${statement}) AS ${Prisma.raw(`"${nestedColumn(index)}"`)}`;
  });
  const rows =
    nested.length === 0
      ? items
      : Prisma.sql`SELECT ${level}.*, ${Prisma.join(nested, ", ")} FROM (${items}) AS ${level}`;
  return asJson(relation, rows);
}

export const nameOfSide = "side$";

export const levelAt = (depth: number) => ownIdentifier(`level${depth}`);

const record = ownIdentifier("record");

/** The rows of a relation as JSON. */
export const asJson = ({ isToOne }: Relation<unknown>, rows: Prisma.Sql) =>
  isToOne
    ? Prisma.sql`SELECT to_json(${record}) FROM (${rows}) AS ${record}`
    : Prisma.sql`SELECT coalesce(json_agg(${record}), '[]') FROM (${rows}) AS ${record}`;

/** The columns to read of a relation's rows. */
export function columnsRead({ columns = [] }: Relation<unknown>, selection: Selection): readonly string[] {
  const others = columns.filter((column) => !selection.columns.includes(column));
  return others.length === 0 ? selection.columns : [...selection.columns, ...others];
}

/** The column in which a row carries the rows of a nested relation. */
export const nestedColumn = (index: number) => `child${index}`;

/** The rows of the parent, with the columns of the selection. */
export function itemsStatement(
  sources: VisibleSources,
  { relation, selection, args }: Nested,
  parentId: Prisma.Sql,
): Prisma.Sql {
  const { entityType, parentColumn, orderBy } = relation;
  const source = sources[entityType.source];
  const columns = Prisma.join(
    columnsRead(relation, selection).map((name) => columnExpression(sources, entityType, name)),
    ", ",
  );
  const rangeStatement = (range?: RowRange) => {
    const conditions = [
      Prisma.sql`item.${identifier(parentColumn)} = ${parentId}`,
      ...(relation.conditions?.(args, sources) ?? []),
      ...(range?.conditions ?? []),
    ];
    const order = range?.orderBy ?? orderBy;
    const { clause, rows } = (order && relation.source?.(sources, args, parentId, order)) ?? {
      clause: Prisma.empty,
      rows: source,
    };
    const limited = Prisma.sql`FROM ${rows} AS item WHERE ${Prisma.join(conditions, " AND ")}${orderClause(order)}${range ? limitClause(range) : Prisma.empty}`;
    if (!range?.offset) return Prisma.sql`${clause}SELECT ${columns} ${limited}`;
    // Skip the rows before the offset in an index, and look up only those after it in the table, one by one. The
    // planner may turn a join around and read the page again for each row, as long as it has no statistics on a new
    // workspace.
    return Prisma.sql`SELECT ${columns} FROM (${clause}SELECT item."id" ${limited}) AS page CROSS JOIN LATERAL (
      SELECT * FROM ${source} AS item WHERE item."id" = page."id" OFFSET 0) AS item${orderClause(order)}`;
  };
  const { pageInfo } = selection;
  const [range, ...others] = relation.ranges?.(args, pageInfo) ?? [];
  const isMarked = pageInfo.hasNextPage || pageInfo.hasPreviousPage;
  if (others.length === 0 && !range?.orderBy && !isMarked) return rangeStatement(range);
  const ranges = [range, ...others].map((range) => {
    const statement = rangeStatement(range);
    return isMarked
      ? Prisma.sql`SELECT item.*, ${sideOf(range)} AS ${sideOfPage} FROM (${statement}) AS item`
      : Prisma.sql`(${statement})`;
  });
  return Prisma.sql`SELECT * FROM (${Prisma.join(ranges, " UNION ALL ")}) AS item${orderClause(orderBy)}`;
}

/** The column with the position of a row relative to the page: on it (0), before it (-1), or after it (1). */
export const sideOfPage = Prisma.raw(`"${nameOfSide}"`);

/** The side of each row of a range. The rows are in the order of the range. */
function sideOf(range: RowRange | undefined): Prisma.Sql {
  if (!range?.around) return Prisma.raw("0");
  const { side, after } = range.around;
  const around = side === "next" ? "1" : "-1";
  return Prisma.raw(
    after === 0 ? around : `CASE WHEN row_number() OVER () > ${Math.trunc(after)} THEN ${around} ELSE 0 END`,
  );
}

const orderClause = (orderBy: Prisma.Sql | undefined) =>
  orderBy ? Prisma.sql` ORDER BY ${orderBy}` : Prisma.empty;

function columnExpression(
  sources: VisibleSources,
  { computedColumns }: EntityType,
  name: string,
): Prisma.Sql {
  const expression = computedColumns[name];
  return expression
    ? Prisma.sql`${expression(sources)} AS ${identifier(name)}`
    : Prisma.sql`item.${identifier(name)}`;
}

/** The limit is part of the text: PostgreSQL keeps no plan for a statement that may return any number of rows. */
function limitClause({ rows, offset }: RowRange): Prisma.Sql {
  const limit = Prisma.raw(` LIMIT ${Math.trunc(rows)}`);
  return offset ? Prisma.sql`${limit} OFFSET ${offset}::int` : limit;
}
