import { countOfParents, identifier } from "../database/parent-counts.js";
import { Prisma } from "../generated/prisma/client.js";
import { type Connection, type PageArguments, type PageRequest, type Position, pageRequest, toConnection } from "../platform/connection.js";
import { defineLoader } from "../platform/loader.js";
import type { Selection } from "../platform/selection.js";
import { defineRecordList, type RecordKind, type RecordReader } from "./records.js";
import type { RequestContext } from "./request-context.js";
import type { VisibleSources } from "./visibility.js";

/** A kind of list that grows without bound and is read newest first, for many parents in one statement. */
export interface NewestListDefinition<Filter> {
  kind: RecordKind;
  /** The column by which a row names its parent. */
  parentColumn: string;
  /** What must hold of a row with the alias `item`. */
  conditions: (filter: Filter) => Prisma.Sql[];
  /** The statement that counts parents' lists, where there is a faster one than to count their rows: it answers as {@link countOfParents}. */
  count?: (sources: VisibleSources, list: { parentColumn: string; parentIds: readonly string[]; filter: Filter }) => Prisma.Sql;
  /** The filter in a field's arguments: the same for the same rows. */
  filterOf: (values: Record<string, unknown>) => Filter;
}

/** One page to read. */
export interface NewestListRequest<Filter> {
  filter: Filter;
  page: PageRequest;
}

/** Reads one parent's page. */
export interface NewestList<Row, Filter> {
  (context: RequestContext, parentId: string, selection: Selection, values: object): Promise<Connection<Row>>;
  /** The rows of the pages, each with one row more than `first` where it is asked whether more follow. */
  pages: RecordReader<Row[], NewestListRequest<Filter>>;
}

const newestFirst = Prisma.sql`ORDER BY item."createdAt" DESC, item."id" DESC`;
/** Written out: the server keeps no plan of a statement whose number of rows it does not know. */
const limit = (rows: number) => Prisma.raw(`LIMIT ${Math.trunc(rows)}`);
const skip = (rows: number | undefined) => (rows ? Prisma.sql` OFFSET ${rows}::int` : Prisma.empty);

/** Makes the reader of a kind of list: parents asked for in one tick with the same request share one statement. */
export function defineNewestList<Row extends Position, Filter>(list: NewestListDefinition<Filter>): NewestList<Row, Filter> {
  const requestOf = (values: Record<string, unknown>): NewestListRequest<Filter> => ({
    filter: list.filterOf(values),
    page: pageRequest(values as unknown as PageArguments),
  });
  const pages = defineRecordList<Row, NewestListRequest<Filter>>({
    kind: list.kind,
    conditions: (parentId, { filter, page: { after } }) => [
      Prisma.sql`item.${identifier(list.parentColumn)} = ${parentId}`,
      ...list.conditions(filter),
      ...(after ? [Prisma.sql`(item."createdAt", item."id") < (${after.createdAt}::timestamptz, ${after.id}::uuid)`] : []),
    ],
    order: ({ page: { first, offset } }, { asksForMore }) => Prisma.sql`${newestFirst} ${limit(asksForMore ? first + 1 : first)}${skip(offset)}`,
    orderBehindOthers: ({ page: { offset } }) => (offset ? newestFirst : undefined),
    requestOf,
    expectedRows: ({ page }) => page.first + 1,
  });
  const counts = defineLoader<RequestContext, number, Filter>(
    async (context, parentIds, filter) => {
      const { parentColumn } = list;
      const rows = await context.visible.query<{ parentId: string; count: number }>(
        (sources) =>
          list.count?.(sources, { parentColumn, parentIds, filter }) ??
          countOfParents({ source: sources[list.kind.source], parentColumn, parentIds, conditions: list.conditions(filter) }),
      );
      return new Map(rows.map((row) => [row.parentId, row.count]));
    },
    () => 0,
  );
  const read = async (context: RequestContext, parentId: string, selection: Selection, values: object) => {
    const request = requestOf(values as Record<string, unknown>);
    const rows = await pages(context, selection, request).load(parentId);
    return toConnection(rows, request.page, () => counts(context, request.filter).load(parentId));
  };
  return Object.assign(read, { pages });
}
