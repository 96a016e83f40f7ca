import type { Prisma } from "../../generated/prisma/client.js";
import {
  type Connection,
  type PageArguments,
  type PageRequest,
  pageRequest,
  toConnection,
} from "./connection.js";
import { countPerParent } from "./count-per-parent.js";
import type { EntityType } from "./entity-type.js";
import type { ListOrder } from "./list-order.js";
import { defineLoader, type ReadingContext } from "./loader.js";
import { defineToMany } from "./relation.js";
import type {
  PageSide,
  RelationLoader,
  RowRange,
  RowSource,
  SelectedPageInfo,
  Selection,
} from "./selection/selection.js";
import type { VisibleSources } from "./visibility.js";

/** A relation that grows without bound and is read page by page. */
interface PaginatedRelation<Row, Filter> {
  order: ListOrder<Row>;
  /** What must hold of a row with the alias `item`, besides its parent. */
  conditions?(filter: Filter, sources: VisibleSources): Prisma.Sql[];
  /** The rows that are listed, if they are fewer than those of the entity type, in an order over the alias `item`. */
  source?(sources: VisibleSources, filter: Filter, parentId: Prisma.Sql, order: Prisma.Sql): RowSource;
  /** A statement that counts faster than {@link countPerParent}, and returns the same. */
  countStatement?(
    sources: VisibleSources,
    counted: { parentColumn: string; parentIds: readonly string[]; filter: Filter },
  ): Prisma.Sql;
  filterOf?(fieldArguments: Record<string, unknown>): Filter;
  /** The same text for filters that match the same; by default their JSON. */
  filterKey?(filter: Filter): string;
}

/** Which page of which list. */
interface FilteredPage<Filter> {
  filter: Filter;
  page: PageRequest;
}

/** Reads a page of one parent's list, by the arguments of the field. */
interface ConnectionLoader<Row, Filter> {
  (
    context: ReadingContext,
    parentId: string,
    selection: Selection,
    fieldArguments: object,
  ): Promise<Connection<Row>>;
  /** The rows of the page, for {@link ReadAhead}, and those around it that show that there are more, if selected. */
  pages: RelationLoader<Row[], FilteredPage<Filter>>;
}

/**
 * The rows of a page, and those that show that there are more: in the direction of the page one row more
 * than it has, and on the far side of a cursor or an offset the next row.
 */
function rangesOf(
  { backwards, condition }: ListOrder<never>,
  { size, isBackward, after, before, offset }: PageRequest,
  { hasNextPage, hasPreviousPage }: SelectedPageInfo,
): RowRange[] {
  const ahead: PageSide = isBackward ? "previous" : "next";
  const rows = size + Number(isBackward ? hasPreviousPage : hasNextPage);
  const conditions = [
    ...(after ? [condition("after", after)] : []),
    ...(before ? [condition("before", before)] : []),
  ];
  const ranges: RowRange[] = [
    {
      conditions,
      rows,
      offset,
      ...(isBackward && { orderBy: backwards }),
      around: { side: ahead, after: size },
    },
  ];
  const previous = { rows: 1, around: { side: "previous", after: 0 } } as const;
  // With an offset, there is a page before it if there is a first row.
  if (hasPreviousPage && offset) ranges.push(previous);
  else if (hasPreviousPage && after)
    ranges.push({ ...previous, conditions: [condition("not after", after)], orderBy: backwards });
  if (hasNextPage && before)
    ranges.push({
      conditions: [condition("not before", before)],
      rows: 1,
      around: { side: "next", after: 0 },
    });
  return ranges;
}

/** Defines a paginated relation. Its `totalCount` is counted by a statement of its own, for many parents at once. */
export function definePaginatedRelation<Row extends object, Filter = undefined>(
  entityType: EntityType,
  parentColumn: string,
  relation: PaginatedRelation<Row, Filter>,
): ConnectionLoader<Row, Filter> {
  const { order, source } = relation;
  const conditions = (filter: Filter, sources: VisibleSources) =>
    relation.conditions?.(filter, sources) ?? [];
  const filterKey = (filter: Filter) => relation.filterKey?.(filter) ?? JSON.stringify(filter) ?? "";
  const argsOf = (fieldArguments: Record<string, unknown>): FilteredPage<Filter> => ({
    filter: relation.filterOf?.(fieldArguments) as Filter,
    page: pageRequest(order, fieldArguments as PageArguments),
  });
  const pages = defineToMany<Row, FilteredPage<Filter>>(entityType, parentColumn, {
    ...(source && { source: (sources, { filter }, ...further) => source(sources, filter, ...further) }),
    conditions: ({ filter }, sources) => conditions(filter, sources),
    columns: [order.column],
    orderBy: order.forwards,
    ranges: ({ page }, pageInfo) => rangesOf(order, page, pageInfo),
    argsOf,
    list: {
      orderColumn: order.column,
      encodeCursor: (row) => order.encodeCursor(row as Row),
      count: (context, parentId, { filter }) => counts(context, filter).load(parentId),
    },
    argsKey: ({ filter, page }) => `${filterKey(filter)} ${JSON.stringify(page)}`,
  });
  const counts = defineLoader<number, Filter>(
    async (context, parentIds, filter) => {
      const rows = await context.visible.query<{ parentId: string; count: number }>(
        (sources) =>
          relation.countStatement?.(sources, { parentColumn, parentIds, filter }) ??
          countPerParent({
            source: sources[entityType.source],
            parentColumn,
            parentIds,
            conditions: conditions(filter, sources),
          }),
      );
      return new Map(rows.map(({ parentId, count }) => [parentId, count]));
    },
    () => 0,
    filterKey,
  );
  const load = async (
    context: ReadingContext,
    parentId: string,
    selection: Selection,
    fieldArguments: object,
  ) => {
    const args = argsOf(fieldArguments as Record<string, unknown>);
    const rows = await pages(context, selection, args).load(parentId);
    // PostgreSQL has written all of the connection.
    if (selection.answer) return rows as unknown as Connection<Row>;
    return toConnection(context, rows, order, () => counts(context, args.filter).load(parentId));
  };
  return Object.assign(load, { pages });
}
