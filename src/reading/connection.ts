import { type ClassType, Field, Int, ObjectType } from "type-graphql";
import { z } from "zod";
import { argumentsType, graphqlField } from "../platform/input-type.js";
import { maxTimestamp, minTimestamp } from "../platform/scalars.js";
import { dealOut } from "../platform/turns.js";
import { PartOfConnection, RequiresColumns } from "./annotations.js";
import { unitsOfRow } from "./rows.js";
import type { SelectedPageInfo } from "./selection.js";

/** The largest `first` or `last`; MAX_PAGE_SIZE can lower it. */
export const maxPageSize = 1000;
/** The size of a page that is selected without `first` and `last`. */
export const defaultPageSize = 20;

/** The largest value of GraphQL's Int and of PostgreSQL's integer. */
export const maxInt32 = 2 ** 31 - 1;

/** A position in a list that is ordered newest first: by `createdAt` descending, then by `id` descending. */
export interface Position {
  createdAt: Date;
  id: string;
}

/** The page that a connection field selects. */
export interface PageRequest {
  /** How many of the items between the cursors, at most. */
  size: number;
  /** Whether they are the last of these items instead of the first. */
  isBackward: boolean;
  after?: Position;
  before?: Position;
  /** How many of the first items to skip; not for a backward page. */
  offset?: number;
}

/** Longer than any cursor. */
const maxCursorLength = 100;

const cursorShape = /^(-?\d{1,15})\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/** A position as an opaque text. */
export function encodeCursor(position: Position): string {
  return Buffer.from(`${position.createdAt.getTime()}.${position.id}`).toString("base64url");
}

/** The position of a cursor from {@link encodeCursor}; undefined for any other text. */
function decodeCursor(cursor: string): Position | undefined {
  const match = cursorShape.exec(Buffer.from(cursor, "base64url").toString("latin1"));
  if (!match || Number(match[1]) < minTimestamp || Number(match[1]) > maxTimestamp) return undefined;
  const position = { createdAt: new Date(Number(match[1])), id: match[2] as string };
  // Base64 decoders ignore stray characters: only the exact text of a cursor is accepted.
  return encodeCursor(position) === cursor ? position : undefined;
}

const pageSize = z.int().min(1, "must be at least 1").max(maxPageSize, `must be at most ${maxPageSize}`).nullish();
const cursor = z
  .string()
  .max(maxCursorLength, { error: "is not a cursor of this list", abort: true })
  .refine((cursor) => decodeCursor(cursor) !== undefined, "is not a cursor of this list")
  .nullish();

/** The arguments of every connection field. */
export type PageArguments = InstanceType<typeof PageArguments>;
export const PageArguments = argumentsType(
  z.object({
    first: pageSize.describe("The maximum number of items to return, 1 to 1000.").register(graphqlField, { defaultValue: defaultPageSize }),
    after: cursor.describe("The cursor of an item: the page starts right after it."),
  }),
);

/** The rules for the arguments of a connection field whose list can be read in both directions. */
export const bothWaysPageRules = PageArguments.rules
  .extend({
    // Without a default value in the schema, which a page selected by `last` would have, too.
    first: pageSize.describe("The maximum number of items to return, 1 to 1000, from the newest on; 20 without `first` and `last`."),
    last: pageSize.describe("The maximum number of items to return, 1 to 1000, up to the oldest, or up to `before`. Not together with `first`."),
    before: cursor.describe(
      "The cursor of an item: the page ends right before it. Without `first` and `after`, the items nearest to it are returned.",
    ),
  })
  .refine(({ first, last }) => first == null || last == null, { path: ["last"], error: "must not be given together with first" });

/** The page that the (already validated) arguments of a connection field select. */
export function pageRequest({ first, last, offset, ...cursors }: z.infer<typeof bothWaysPageRules> & { offset?: number | null }): PageRequest {
  const after = cursors.after == null ? undefined : decodeCursor(cursors.after);
  const before = cursors.before == null ? undefined : decodeCursor(cursors.before);
  return {
    size: first ?? last ?? defaultPageSize,
    isBackward: last != null || (first == null && before !== undefined && after === undefined),
    ...(after && { after }),
    ...(before && { before }),
    ...(offset && { offset }),
  };
}

@ObjectType({ description: "The position of a page in its list.", simpleResolvers: true })
export class PageInfo {
  @Field(() => Boolean, { description: "Whether an item follows this page: pass `endCursor` as `after` to read on." })
  hasNextPage!: boolean;

  @Field(() => Boolean, { description: "Whether an item precedes this page. Looked up only if selected." })
  hasPreviousPage!: boolean;

  @Field(() => String, { nullable: true, description: "The cursor of the first item; null on an empty page." })
  startCursor!: string | null;

  @Field(() => String, { nullable: true, description: "The cursor of the last item; null on an empty page." })
  endCursor!: string | null;
}

/** The items of a list that is dealt out in turns, if it is long. */
type Dealt<Item> = (Item | Promise<Item>)[];

/** One page of a list. */
export interface Connection<Node> {
  nodes: Dealt<Node>;
  edges: Dealt<{ cursor: string; node: Node }>;
  pageInfo: PageInfo;
  /** Counts the whole list, when it is read. */
  readonly totalCount: Promise<number>;
}

/** The rows that were read for a page: those of the page, and around it rows that show that there are more. */
interface PageRows<Node> {
  rows: Node[];
  page: PageRequest;
  pageInfo: SelectedPageInfo;
}

/** Makes a connection of the rows of a page. */
export async function toConnection<Node extends Position>(
  context: object,
  read: PageRows<Node>,
  count: () => Promise<number>,
): Promise<Connection<Node>> {
  const { listed, hasNextPage, hasPreviousPage } = divide(read);
  const first = listed[0];
  const last = listed.at(-1);
  const nodes = await dealOut(context, listed, unitsOfRow);
  const edgeOf = (node: Node) => ({ cursor: encodeCursor(node), node });
  return {
    nodes,
    get edges() {
      return nodes.map((node) => (node instanceof Promise ? node.then(edgeOf) : edgeOf(node)));
    },
    get pageInfo() {
      return {
        hasNextPage,
        hasPreviousPage,
        startCursor: first ? encodeCursor(first) : null,
        endCursor: last ? encodeCursor(last) : null,
      };
    },
    get totalCount() {
      return count();
    },
  };
}

/** Divides rows into those of the page and what those around it say. */
function divide<Node extends Position>({ rows, page: { size, isBackward, after, before, offset }, pageInfo }: PageRows<Node>) {
  // With an offset, the row before the page is the first of the whole list.
  const skipped = offset && pageInfo.hasPreviousPage ? rows.slice(0, 1) : [];
  const others = rows.slice(skipped.length);
  const between = others.filter((row) => (!after || isOlder(row, after)) && (!before || isOlder(before, row)));
  const newer = skipped.length > 0 || (after !== undefined && others.some((row) => !isOlder(row, after)));
  const older = before !== undefined && others.some((row) => !isOlder(before, row));
  const isFull = between.length > size;
  return {
    listed: isBackward ? between.slice(-size) : between.slice(0, size),
    hasNextPage: older || (isFull && !isBackward),
    hasPreviousPage: newer || (isFull && isBackward),
  };
}

/** Whether a position comes after another one in a list. */
function isOlder(one: Position, other: Position): boolean {
  const difference = one.createdAt.getTime() - other.createdAt.getTime();
  return difference < 0 || (difference === 0 && one.id < other.id);
}

/** Defines the connection and edge types of a node type. `described` names the items in descriptions. */
export function connectionOf<Node extends object>(node: ClassType<Node>, name: string, described: string) {
  @PartOfConnection("edge")
  @ObjectType(`${name}Edge`, { description: "An item of a page, with its cursor.", simpleResolvers: true })
  class EdgeType {
    @Field(() => String, { description: "An opaque text; pass it as `after` to read the items that follow this one." })
    cursor!: string;

    @Field(() => node, { description: "The item itself." })
    node!: Node;
  }

  @PartOfConnection("connection")
  @ObjectType(`${name}Connection`, { description: `A page of ${described}, newest first.`, simpleResolvers: true })
  class ConnectionType {
    @Field(() => [node], { description: "The items of this page." })
    nodes!: Node[];

    @Field(() => [EdgeType], { description: "The items of this page, each with its cursor." })
    edges!: EdgeType[];

    @Field(() => PageInfo, { description: "Whether and how to read on." })
    pageInfo!: PageInfo;

    // With a resolver of its own (`simple: false`), as compiled operations await promises only from resolvers.
    @RequiresColumns()
    @Field(() => Int, { description: "The number of items in the whole list. Counted only if selected.", simple: false })
    totalCount!: number;
  }

  return ConnectionType;
}
