import { ArgsType, type ClassType, Field, Int, ObjectType } from "type-graphql";
import { z } from "zod";
import { earliestMoment, latestMoment } from "./scalars.js";
import { Reads } from "./selection.js";

/** The largest `first`, unless MAX_PAGE_SIZE says less. */
export const largestPage = 1000;
/** The `first` of a connection that was asked without one. */
export const defaultPage = 20;

/** The largest number that GraphQL's Int and PostgreSQL's integer hold. */
export const largestInteger = 2 ** 31 - 1;

/** A place in a list that is ordered newest first: `createdAt` descending, then `id` descending. */
export interface Position {
  createdAt: Date;
  id: string;
}

/** What a connection field asks for. */
export interface PageRequest {
  first: number;
  after?: Position;
  offset?: number;
}

const cursorShape = /^(-?\d{1,15})\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/** The opaque text of a position. */
export function encodeCursor(position: Position): string {
  return Buffer.from(`${position.createdAt.getTime()}.${position.id}`).toString("base64url");
}

/** The position of a cursor that came from {@link encodeCursor}; nothing for any other text. */
export function decodeCursor(cursor: string): Position | undefined {
  const match = cursorShape.exec(Buffer.from(cursor, "base64url").toString("latin1"));
  if (!match || Number(match[1]) < earliestMoment || Number(match[1]) > latestMoment) return undefined;
  const position = { createdAt: new Date(Number(match[1])), id: match[2] as string };
  // Only the one spelling that we gave out: base64 decoders overlook stray characters.
  return encodeCursor(position) === cursor ? position : undefined;
}

/** The rules for the arguments of every connection field. */
export const pageArguments = z.object({
  first: z.int().min(1, "must be at least 1").max(largestPage, `must be at most ${largestPage}`).nullish(),
  after: z
    .string()
    .refine((cursor) => decodeCursor(cursor) !== undefined, "is not a cursor of this list")
    .nullish(),
});

@ArgsType()
export class PageArguments {
  @Field(() => Int, { nullable: true, defaultValue: defaultPage, description: "How many items to read, 1 to 1000." })
  first!: number | null;

  @Field(() => String, { nullable: true, description: "The cursor of the item behind which to go on." })
  after?: string | null;
}

/** What the (already validated) arguments of a connection field ask for. */
export function pageRequest(page: PageArguments & { offset?: number | null }): PageRequest {
  const after = page.after == null ? undefined : decodeCursor(page.after);
  return { first: page.first ?? defaultPage, ...(after && { after }), ...(page.offset && { offset: page.offset }) };
}

@ObjectType({ description: "Where a page stands in its list.", simpleResolvers: true })
export class PageInfo {
  @Field(() => Boolean, { description: "Whether older items follow: pass `endCursor` as `after` to read them." })
  hasNextPage!: boolean;

  @Field(() => Boolean, { description: "Whether newer items come before: true when `after` was given." })
  hasPreviousPage!: boolean;

  @Field(() => String, { nullable: true, description: "The cursor of the first item; null on an empty page." })
  startCursor!: string | null;

  @Field(() => String, { nullable: true, description: "The cursor of the last item; null on an empty page." })
  endCursor!: string | null;
}

/** One page of a list, and how to count the whole list if anybody asks. */
export interface Connection<Node> {
  nodes: Node[];
  edges: { cursor: string; node: Node }[];
  pageInfo: PageInfo;
  /** Counts when it is read. */
  readonly totalCount: Promise<number>;
}

/** Makes a page of rows that were read with one row more than `first` if `hasNextPage` is asked for, which that row alone tells. */
export function toConnection<Node extends Position>(rows: Node[], page: PageRequest, count: () => Promise<number>): Connection<Node> {
  const nodes = rows.slice(0, page.first);
  const first = nodes[0];
  const last = nodes.at(-1);
  return {
    nodes,
    get edges() {
      return nodes.map((node) => ({ cursor: encodeCursor(node), node }));
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

/** Defines the connection and edge types over a node type. */
export function connectionOf<Node extends object>(node: ClassType<Node>, name: string, described: string) {
  @ObjectType(`${name}Edge`, { description: `One of ${described}, with its place in the list.`, simpleResolvers: true })
  class EdgeType {
    @Field(() => String, { description: "Opaque; pass it as `after` to go on behind this item." })
    cursor!: string;

    @Field(() => node)
    node!: Node;
  }

  @ObjectType(`${name}Connection`, { description: `A page of ${described}, newest first.`, simpleResolvers: true })
  class ConnectionType {
    @Field(() => [node], { description: "The items of this page." })
    nodes!: Node[];

    @Field(() => [EdgeType], { description: "The items of this page, each with its cursor." })
    edges!: EdgeType[];

    @Field(() => PageInfo)
    pageInfo!: PageInfo;

    // Compiled operations wait for promises only where there is a resolver.
    @Reads()
    @Field(() => Int, { description: "How many items the whole list has. Counted only when selected.", simple: false })
    totalCount!: number;
  }

  return ConnectionType;
}
