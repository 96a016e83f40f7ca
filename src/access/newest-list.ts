import { countOfParents, identifier, type ListOfParents, newestPages } from "../database/newest-pages.js";
import { Prisma } from "../generated/prisma/client.js";
import { type Connection, type PageRequest, type Position, toConnection } from "../platform/connection.js";
import { defineLoader, groupBy } from "../platform/loader.js";
import type { RequestContext } from "./request-context.js";
import type { VisibleSources } from "./visibility.js";

/** A kind of list that grows without bound and is read newest first, for many parents in one statement. */
export interface NewestList<Filter> {
  source: keyof VisibleSources;
  /** The columns by which a row may name its parent. */
  parentColumns: readonly string[];
  /** The expression that reads a column of the row with the alias `item`, where it is not simply the column. */
  column?: (name: string) => Prisma.Sql;
  conditions: (filter: Filter) => Prisma.Sql[];
}

/** One page to read. */
export interface NewestListRequest<Filter> {
  parentColumn: string;
  columns: string[];
  filter: Filter;
  page: PageRequest;
}

/** Makes the reader of a kind of list: parents asked for in one tick with the same request share one statement. */
export function defineNewestList<Row extends Position, Filter>(list: NewestList<Filter>) {
  type Request = NewestListRequest<Filter>;
  type Counted = Pick<Request, "parentColumn" | "filter">;
  const ofParents = (sources: VisibleSources, parentIds: readonly string[], request: Counted): ListOfParents => {
    if (!list.parentColumns.includes(request.parentColumn)) throw new Error(`${request.parentColumn} names no parent`);
    return { source: sources[list.source], parentColumn: request.parentColumn, parentIds, conditions: list.conditions(request.filter) };
  };
  const pages = defineLoader<RequestContext, Row[], Request>(
    async (context, parentIds, request) => {
      const columns = request.columns.map(list.column ?? ((name) => Prisma.sql`item.${identifier(name)}`));
      const rows = await context.visible.query<Row & { parentId: string }>((sources) =>
        newestPages(ofParents(sources, parentIds, request), columns, request.page),
      );
      return groupBy(rows, (row) => row.parentId);
    },
    () => [],
  );
  const counts = defineLoader<RequestContext, number, Counted>(
    async (context, parentIds, request) => {
      const rows = await context.visible.query<{ parentId: string; count: number }>((sources) =>
        countOfParents(ofParents(sources, parentIds, request)),
      );
      return new Map(rows.map((row) => [row.parentId, row.count]));
    },
    () => 0,
  );
  return async (context: RequestContext, parentId: string, request: Request): Promise<Connection<Row>> => {
    const rows = await pages(context, request).load(parentId);
    const { parentColumn, filter } = request;
    return toConnection(rows, request.page, () => counts(context, { parentColumn, filter }).load(parentId));
  };
}
