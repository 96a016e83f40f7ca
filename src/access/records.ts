import type DataLoader from "dataloader";
import { identifier } from "../database/parent-counts.js";
import { Prisma } from "../generated/prisma/client.js";
import { defineLoader } from "../platform/loader.js";
import type { FollowedEdge, Selection } from "../platform/selection.js";
import type { RequestContext } from "./request-context.js";
import type { VisibleSources } from "./visibility.js";

/** A kind of record: which of the visible rows they are, and what is read of each whatever was asked. */
export interface RecordKind {
  source: keyof VisibleSources;
  keys: readonly string[];
  /** The columns that hold moments. */
  moments: ReadonlySet<string>;
  /** The expression that reads a column of the row with the alias `item`, where it is not simply the column. */
  column?: (name: string) => Prisma.Sql;
}

type Moments<Row> = { [Column in keyof Row]-?: NonNullable<Row[Column]> extends Date ? Column : never }[keyof Row];

/** Names all columns of a model that hold moments; the compiler knows whether one is missing. */
export function momentsOf<Row>(columns: Record<Moments<Row>, true>): ReadonlySet<string> {
  return new Set(Object.keys(columns));
}

/** Which records of a kind belong to a parent. */
export interface RecordsBelow<Request> {
  kind: RecordKind;
  /** What must hold of a row with the alias `item`, given the parent's id. */
  conditions: (parentId: Prisma.Sql, request: Request) => Prisma.Sql[];
  /** ORDER BY, LIMIT and the like. */
  order: (request: Request, selection: Selection) => Prisma.Sql;
  /** The ORDER BY alone where many rows are passed over: these are counted off by an index, and only the others read. */
  orderBehindOthers?: (request: Request) => Prisma.Sql | undefined;
  /** What a field's arguments ask for, where it has any. */
  requestOf?: (values: Record<string, unknown>) => Request;
  expectedRows?: (request: Request) => number;
}

/** Reads records below parents: many parents in one statement, and whatever hangs on the records in the same. */
export interface RecordReader<Value, Request> extends FollowedEdge<Request> {
  (context: RequestContext, selection: Selection, request: Request): DataLoader<string, Value, string>;
  below: RecordsBelow<Request>;
  isSingle: boolean;
}

/** Defines the reading of lists: every parent has a list of records. */
export function defineRecordList<Row, Request = void>(below: RecordsBelow<Request>): RecordReader<Row[], Request> {
  return defineReader<Row[], Request>(below, false, () => []);
}

/** Defines the reading of single records: every parent has one, or none. */
export function defineRecord<Row, Request = void>(below: RecordsBelow<Request>): RecordReader<Row | null, Request> {
  return defineReader<Row | null, Request>(below, true, () => null);
}

type AnyReader = RecordReader<unknown, unknown>;
type ReadRow = Record<string, unknown> & { id: string };

const usualRows = 20;

function defineReader<Value, Request>(below: RecordsBelow<Request>, isSingle: boolean, missing: () => Value): RecordReader<Value, Request> {
  const loader = defineLoader<RequestContext, Value, { selection: Selection; request: Request }>(
    async (context, parentIds, { selection, request }) => {
      const below = await context.visible.queryBelow<ReadRow | ReadRow[] | null>(parentIds, (sources) =>
        jsonOf(sources, reader as AnyReader, Prisma.sql`parent."id"`, selection, request),
      );
      for (const found of below.values()) receive(context, reader as AnyReader, selection, found);
      return below as Map<string, Value>;
    },
    missing,
    ({ selection, request }) => `${JSON.stringify(request) ?? ""} ${selection.key}`,
  );
  const reader: RecordReader<Value, Request> = Object.assign(
    (context: RequestContext, selection: Selection, request: Request) => loader(context, { selection, request }),
    {
      below,
      isSingle,
      keys: below.kind.keys,
      requestOf: below.requestOf ?? (() => undefined as Request),
      expectedRows: below.expectedRows ?? (() => (isSingle ? 1 : usualRows)),
    },
  );
  return reader;
}

/** A subquery that answers the records below a parent, and what hangs on them, as JSON. */
function jsonOf(
  sources: VisibleSources,
  { below, isSingle }: AnyReader,
  parentId: Prisma.Sql,
  selection: Selection,
  request: unknown,
  depth = 1,
): Prisma.Sql {
  const { source, column = (name: string) => Prisma.sql`item.${identifier(name)}` } = below.kind;
  const conditions = Prisma.join(below.conditions(parentId, request), " AND ");
  const columns = Prisma.join(selection.columns.map(column));
  const found = Prisma.sql`FROM ${sources[source]} AS item WHERE ${conditions} ${below.order(request, selection)}`;
  const order = below.orderBehindOthers?.(request);
  const items = order
    ? Prisma.sql`SELECT ${columns} FROM (SELECT item."id" ${found}) AS place JOIN ${sources[source]} AS item ON item."id" = place."id" ${order}`
    : Prisma.sql`SELECT ${columns} ${found}`;
  const level = Prisma.raw(`level${depth}`);
  const children = selection.children.map(
    (child, index) =>
      Prisma.sql`(${jsonOf(sources, child.edge as unknown as AnyReader, Prisma.sql`${level}."id"`, child.selection, child.request, depth + 1)}) AS ${Prisma.raw(`"${childColumn(index)}"`)}`,
  );
  const rows = children.length === 0 ? items : Prisma.sql`SELECT ${level}.*, ${Prisma.join(children)} FROM (${items}) AS ${level}`;
  return isSingle
    ? Prisma.sql`SELECT to_json(answer) FROM (${rows}) AS answer`
    : Prisma.sql`SELECT coalesce(json_agg(answer), '[]') FROM (${rows}) AS answer`;
}

const childColumn = (index: number) => `child${index}`;

/** Makes rows of what came as JSON, and hands what hangs on them to its loaders. */
function receive(context: RequestContext, { below, isSingle }: AnyReader, selection: Selection, found: ReadRow | ReadRow[] | null): void {
  if (found === null) return;
  const rows = isSingle ? [found as ReadRow] : (found as ReadRow[]);
  const moments = selection.columns.filter((column) => below.kind.moments.has(column));
  for (const row of rows) {
    for (const moment of moments) if (row[moment] !== null) row[moment] = new Date(row[moment] as string);
  }
  for (const [index, child] of selection.children.entries()) {
    const reader = child.edge as unknown as AnyReader;
    const loader = reader(context, child.selection, child.request);
    for (const row of rows) {
      const hanging = row[childColumn(index)] as ReadRow | ReadRow[] | null;
      receive(context, reader, child.selection, hanging);
      loader.prime(row.id, hanging);
    }
  }
}
