import { type ClassType, Field, Int, ObjectType } from "type-graphql";
import { z } from "zod";
import { argumentsType, graphqlField } from "../../platform/input/input-type.js";
import { resolveInSlices } from "../../platform/queues/slices.js";
import { PartOfConnection } from "./annotations.js";
import { byName, type ListOrder, newestFirst, type Position } from "./list-order.js";
import type { ReadingContext } from "./loader.js";
import { nameOfSide } from "./relation-statement.js";
import { unitsOfRow } from "./rows.js";

/** The largest `first` or `last`; MAX_PAGE_SIZE can lower it. */
export const maxPageSize = 1000;
/** The size of a page that is selected without `first` and `last`. */
export const defaultPageSize = 20;

/** The largest value of GraphQL's Int and of PostgreSQL's integer. */
export const maxInt32 = 2 ** 31 - 1;

export interface PageRequest {
  /** The maximum number of items between the cursors. */
  size: number;
  /** Whether to select the last of these items instead of the first. */
  isBackward: boolean;
  after?: Position;
  before?: Position;
  /** The number of items to skip from the beginning. Not for a backward page. */
  offset?: number;
}

const pageSize = z
  .int()
  .min(1, "must be at least 1")
  .max(maxPageSize, `must be at most ${maxPageSize}`)
  .nullish();
const cursorIn = (order: ListOrder<never>) =>
  z
    .string()
    .refine((cursor) => order.decodeCursor(cursor) !== undefined, "is not a cursor of this list")
    .nullish();

/** The arguments of a connection field whose list has an order. */
const pageArgumentsIn = (order: ListOrder<never>) =>
  argumentsType(
    z.object({
      first: pageSize
        .describe("The maximum number of items to return, 1 to 1000.")
        .register(graphqlField, { defaultValue: defaultPageSize }),
      after: cursorIn(order).describe("The cursor of an item: the page starts right after it."),
    }),
  );

export type PageArguments = InstanceType<typeof PageArguments>;
export const PageArguments = pageArgumentsIn(newestFirst);

export const PageByNameArguments = pageArgumentsIn(byName);

/** The rules for the arguments of a connection field whose list can be read in both directions. */
export const bothWaysPageRules = PageArguments.rules
  .extend({
    // The schema has no default value: a page selected by `last` would get it as well.
    first: pageSize.describe(
      "The maximum number of items to return, 1 to 1000, from the newest on; 20 without `first` and `last`.",
    ),
    last: pageSize.describe(
      "The maximum number of items to return, 1 to 1000, up to the oldest, or up to `before`. Not together with `first`.",
    ),
    before: cursorIn(newestFirst).describe(
      "The cursor of an item: the page ends right before it. Without `first` and `after`, the items nearest to it are returned.",
    ),
  })
  .refine(({ first, last }) => first == null || last == null, {
    path: ["last"],
    error: "must not be given together with first",
  });

/** The page that the arguments of a connection field select. The arguments must be valid. */
export function pageRequest(
  order: ListOrder<never>,
  { first, last, offset, ...cursors }: z.infer<typeof bothWaysPageRules> & { offset?: number | null },
): PageRequest {
  const after = cursors.after == null ? undefined : order.decodeCursor(cursors.after);
  const before = cursors.before == null ? undefined : order.decodeCursor(cursors.before);
  return {
    size: first ?? last ?? defaultPageSize,
    isBackward: last != null || (first == null && before !== undefined && after === undefined),
    ...(after && { after }),
    ...(before && { before }),
    ...(offset && { offset }),
  };
}

@ObjectType({ description: "The position of a page in its list.", simpleResolvers: true })
class PageInfo {
  @Field(() => Boolean, {
    description: "Whether an item follows this page: pass `endCursor` as `after` to read on.",
  })
  hasNextPage!: boolean;

  @Field(() => Boolean, { description: "Whether an item precedes this page. Looked up only if selected." })
  hasPreviousPage!: boolean;

  @Field(() => String, {
    nullable: true,
    description: "The cursor of the first item; null on an empty page.",
  })
  startCursor!: string | null;

  @Field(() => String, { nullable: true, description: "The cursor of the last item; null on an empty page." })
  endCursor!: string | null;
}

/** The items of a list. A long list comes in slices. */
type SlicedList<Item> = (Item | Promise<Item>)[];

/** One page of a list. */
export interface Connection<Node> {
  nodes: SlicedList<Node>;
  edges: SlicedList<{ cursor: string; node: Node }>;
  pageInfo: PageInfo;
  /** Counts the whole list, when it is read. */
  readonly totalCount: Promise<number>;
}

/**
 * Makes a connection from the rows read for a page: those on it, and those around it that prove that there are more.
 */
export async function toConnection<Node extends object>(
  context: Pick<ReadingContext, "answerSize">,
  rows: readonly Node[],
  { encodeCursor }: ListOrder<Node>,
  count: () => Promise<number>,
): Promise<Connection<Node>> {
  const listed = rows.filter((row) => !sideOf(row));
  const first = listed[0];
  const last = listed.at(-1);
  context.answerSize.addObjects(listed.length);
  const nodes = await resolveInSlices(context, listed, unitsOfRow);
  const edgeOf = (node: Node) => ({ cursor: encodeCursor(node), node });
  return new Page(nodes, {
    edges: () => nodes.map((node) => (node instanceof Promise ? node.then(edgeOf) : edgeOf(node))),
    pageInfo: () => ({
      hasNextPage: rows.some((row) => sideOf(row) > 0),
      hasPreviousPage: rows.some((row) => sideOf(row) < 0),
      startCursor: first ? encodeCursor(first) : null,
      endCursor: last ? encodeCursor(last) : null,
    }),
    totalCount: count,
  });
}

/** The position of a row relative to the page; 0 if no row around the page was requested. */
const sideOf = (row: object): number => (row as { [nameOfSide]?: number })[nameOfSide] ?? 0;

interface PageParts<Node> {
  edges: () => Connection<Node>["edges"];
  pageInfo: () => PageInfo;
  totalCount: () => Promise<number>;
}

/**
 * A page that computes its other fields when they are read. A class, because V8 keeps the getters of an object literal
 * with its shape, and so would keep each page until it collects the whole heap.
 */
class Page<Node> implements Connection<Node> {
  readonly #parts: PageParts<Node>;

  constructor(
    readonly nodes: SlicedList<Node>,
    parts: PageParts<Node>,
  ) {
    this.#parts = parts;
  }

  get edges(): Connection<Node>["edges"] {
    return this.#parts.edges();
  }

  get pageInfo(): PageInfo {
    return this.#parts.pageInfo();
  }

  get totalCount(): Promise<number> {
    return this.#parts.totalCount();
  }
}

/** Defines the connection and edge types of a node type. `described` names the items in descriptions. */
export function connectionOf<Node extends object>(
  node: ClassType<Node>,
  name: string,
  described: string,
  order: ListOrder<never> = newestFirst,
) {
  @PartOfConnection("edge")
  @ObjectType(`${name}Edge`, { description: "An item of a page, with its cursor.", simpleResolvers: true })
  class EdgeType {
    @Field(() => String, {
      description: "An opaque text; pass it as `after` to read the items that follow this one.",
    })
    cursor!: string;

    @Field(() => node, { description: "The item itself." })
    node!: Node;
  }

  @PartOfConnection("connection")
  @ObjectType(`${name}Connection`, {
    description: `A page of ${described}, ${order.described}.`,
    simpleResolvers: true,
  })
  class ConnectionType {
    @Field(() => [node], { description: "The items of this page." })
    nodes!: Node[];

    @Field(() => [EdgeType], { description: "The items of this page, each with its cursor." })
    edges!: EdgeType[];

    @Field(() => PageInfo, { description: "Whether and how to read on." })
    pageInfo!: PageInfo;

    @Field(() => Int, { description: "The number of items in the whole list. Counted only if selected." })
    totalCount!: number;
  }

  return ConnectionType;
}
