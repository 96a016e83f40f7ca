import { type ClassType, Field, Int, ObjectType } from "type-graphql";
import { z } from "zod";
import { argumentsType, graphqlField } from "../platform/input-type.js";
import { maxTimestamp, minTimestamp } from "../platform/scalars.js";
import { dealOut } from "../platform/turns.js";
import { PartOfConnection, RequiresColumns } from "./annotations.js";
import { unitsOfRow } from "./rows.js";

/** The largest `first`; MAX_PAGE_SIZE can lower it. */
export const maxPageSize = 1000;
/** The `first` of a connection that is selected without one. */
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
  first: number;
  after?: Position;
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

/** The arguments of every connection field. */
export type PageArguments = InstanceType<typeof PageArguments>;
export const PageArguments = argumentsType(
  z.object({
    first: z
      .int()
      .min(1, "must be at least 1")
      .max(maxPageSize, `must be at most ${maxPageSize}`)
      .nullish()
      .describe("The maximum number of items to return, 1 to 1000.")
      .register(graphqlField, { defaultValue: defaultPageSize }),
    after: z
      .string()
      .max(maxCursorLength, { error: "is not a cursor of this list", abort: true })
      .refine((cursor) => decodeCursor(cursor) !== undefined, "is not a cursor of this list")
      .nullish()
      .describe("The cursor of an item: the page starts right after it."),
  }),
);

/** The page that the (already validated) arguments of a connection field select. */
export function pageRequest(page: PageArguments & { offset?: number | null }): PageRequest {
  const after = page.after == null ? undefined : decodeCursor(page.after);
  return { first: page.first ?? defaultPageSize, ...(after && { after }), ...(page.offset && { offset: page.offset }) };
}

@ObjectType({ description: "The position of a page in its list.", simpleResolvers: true })
export class PageInfo {
  @Field(() => Boolean, { description: "Whether there are older items: pass `endCursor` as `after` to read them." })
  hasNextPage!: boolean;

  @Field(() => Boolean, { description: "Whether there may be newer items: true when `after` was given." })
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

/** Makes a connection of the rows of a page; a row beyond `first` shows that more follow, and is not part of the page. */
export async function toConnection<Node extends Position>(
  context: object,
  rows: Node[],
  page: PageRequest,
  count: () => Promise<number>,
): Promise<Connection<Node>> {
  const listed = rows.slice(0, page.first);
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
        hasNextPage: rows.length > page.first,
        hasPreviousPage: page.after !== undefined,
        startCursor: first ? encodeCursor(first) : null,
        endCursor: last ? encodeCursor(last) : null,
      };
    },
    get totalCount() {
      return count();
    },
  };
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
