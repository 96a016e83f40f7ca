import { Prisma } from "../generated/prisma/client.js";
import { type Connection, type PageArguments, type PageRequest, type Position, pageRequest, toConnection } from "./connection.js";
import { countPerParent } from "./count-per-parent.js";
import type { EntityType } from "./entity-type.js";
import { defineLoader, type ReadingContext } from "./loader.js";
import { defineToMany, type RelationLoader } from "./relation.js";
import type { Selection } from "./selection.js";
import type { VisibleSources } from "./visibility.js";

/** A relation that grows without bound and is read page by page, newest first. */
export interface PaginatedRelation<Filter> {
  /** What must hold of a row with the alias `item`, besides its parent. */
  conditions?(filter: Filter): Prisma.Sql[];
  /** A statement that counts faster than {@link countPerParent}, and returns the same. */
  countStatement?(sources: VisibleSources, counted: { parentColumn: string; parentIds: readonly string[]; filter: Filter }): Prisma.Sql;
  /** The filter in a field's arguments. */
  filterOf?(fieldArguments: Record<string, unknown>): Filter;
  /** The same text for filters that match the same; by default their JSON. */
  filterKey?(filter: Filter): string;
}

/** Which page of which list. */
export interface FilteredPage<Filter> {
  filter: Filter;
  page: PageRequest;
}

/** Reads a page of one parent's list, by the arguments of the field. */
export interface ConnectionLoader<Row, Filter> {
  (context: ReadingContext, parentId: string, selection: Selection, fieldArguments: object): Promise<Connection<Row>>;
  /** The rows of the page, for {@link ReadAhead}; one more than `first` where `hasNextPage` is selected. */
  pages: RelationLoader<Row[], FilteredPage<Filter>>;
}

/** Defines a paginated relation. Its `totalCount` is counted by a statement of its own, for many parents at once. */
export function definePaginatedRelation<Row extends Position, Filter = undefined>(
  entityType: EntityType,
  parentColumn: string,
  relation: PaginatedRelation<Filter> = {},
): ConnectionLoader<Row, Filter> {
  const conditions = (filter: Filter) => relation.conditions?.(filter) ?? [];
  const filterKey = (filter: Filter) => relation.filterKey?.(filter) ?? JSON.stringify(filter) ?? "";
  const argsOf = (fieldArguments: Record<string, unknown>): FilteredPage<Filter> => ({
    filter: relation.filterOf?.(fieldArguments) as Filter,
    page: pageRequest(fieldArguments as unknown as PageArguments),
  });
  const pages = defineToMany<Row, FilteredPage<Filter>>(entityType, parentColumn, {
    conditions: ({ filter, page: { after } }) => [
      ...conditions(filter),
      ...(after ? [Prisma.sql`(item."createdAt", item."id") < (${after.createdAt}::timestamptz, ${after.id}::uuid)`] : []),
    ],
    orderBy: Prisma.sql`item."createdAt" DESC, item."id" DESC`,
    limit: ({ page: { first, offset } }, needsHasNextPage) => ({ rows: needsHasNextPage ? first + 1 : first, offset }),
    argsOf,
    argsKey: ({ filter, page }) => `${filterKey(filter)} ${JSON.stringify(page)}`,
  });
  const counts = defineLoader<number, Filter>(
    async (context, parentIds, filter) => {
      const rows = await context.visible.query<{ parentId: string; count: number }>(
        (sources) =>
          relation.countStatement?.(sources, { parentColumn, parentIds, filter }) ??
          countPerParent({ source: sources[entityType.source], parentColumn, parentIds, conditions: conditions(filter) }),
      );
      return new Map(rows.map(({ parentId, count }) => [parentId, count]));
    },
    () => 0,
    filterKey,
  );
  const load = async (context: ReadingContext, parentId: string, selection: Selection, fieldArguments: object) => {
    const args = argsOf(fieldArguments as Record<string, unknown>);
    const rows = await pages(context, selection, args).load(parentId);
    return toConnection(context, rows, args.page, () => counts(context, args.filter).load(parentId));
  };
  return Object.assign(load, { pages });
}
