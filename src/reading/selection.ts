import type DataLoader from "dataloader";
import type { GraphQLResolveInfo } from "graphql";
import type { Prisma } from "../generated/prisma/client.js";
import type { Completion } from "./completion.js";
import type { EntityType } from "./entity-type.js";
import type { ReadingContext } from "./loader.js";
import type { VisibleSources } from "./visibility.js";

// What is read: relations, and what is selected of their rows. The types refer to each
// other.

/** What a relation may say besides its rows and their parents. */
export interface RelationOptions<Args> {
  /** The columns that are read of every row, besides those that are selected. */
  columns?: readonly string[];
  /** What else must hold of a row with the alias `item`. */
  conditions?(args: Args): Prisma.Sql[];
  /**
   * The rows that are selected from, if they are fewer than those of the entity type; to
   * be read in an order over the alias `item`.
   */
  source?(sources: VisibleSources, args: Args, parentId: Prisma.Sql, order: Prisma.Sql): RowSource;
  /** The columns, over the alias `item`, by which the rows of a parent are ordered. */
  orderBy?: Prisma.Sql;
  /**
   * Which parts of a parent's rows are read; all rows without it. `pageInfo`: whether
   * rows around a page must show that there are more.
   */
  ranges?(args: Args, pageInfo: SelectedPageInfo): RowRange[];
  /** What the relation needs of the arguments of its field, where that has any. */
  argsOf?(fieldArguments: Record<string, unknown>): Args;
  /** The same text for arguments that read the same; by default their JSON. */
  argsKey?(args: Args): string;
  /** Of a list that is read page by page. */
  list?: PaginatedList<Args>;
}

/**
 * What rows are selected from, with the WITH clause that it refers to, if any, and a
 * blank after that.
 */
export interface RowSource {
  clause: Prisma.Sql;
  rows: Prisma.Sql;
}

/** A part of a parent's rows. */
export interface RowRange {
  /**
   * What must hold of a row with the alias `item`, besides the conditions of the
   * relation.
   */
  conditions?: Prisma.Sql[];
  /**
   * The order in which rows are taken, if it is not the one in which they are returned.
   */
  orderBy?: Prisma.Sql;
  /** LIMIT and OFFSET. */
  rows: number;
  offset?: number | undefined;
  /**
   * On which side of the page those rows are that only show that there are more, and how
   * many of the range come before them.
   */
  around?: { side: PageSide; after: number };
}

/** Where a row is, seen from a page. */
export type PageSide = "previous" | "next";

/** What a list that is read page by page needs for its cursors and its total count. */
export interface PaginatedList<Args> {
  /** The column that orders the list, with the id. */
  orderColumn: string;
  encodeCursor(row: object): string;
  /** Counts the whole list of a parent. */
  count(context: ReadingContext, parentId: string, args: Args): Promise<number>;
}

/** A relation as it was defined. */
export interface Relation<Args> extends RelationOptions<Args> {
  entityType: EntityType;
  /** The column of a row that holds the parent's id. */
  parentColumn: string;
  /** Whether a parent has at most one row. */
  isToOne: boolean;
}

/**
 * Loads a relation by the parent's id: the relations of many parents in one statement,
 * with everything nested in them.
 */
export interface RelationLoader<Value, Args> {
  (context: ReadingContext, selection: Selection, args: Args): DataLoader<string, Value, string>;
  relation: Relation<Args>;
}

/** Which fields of `pageInfo` are selected that take more rows than those of the page. */
export interface SelectedPageInfo {
  hasNextPage: boolean;
  hasPreviousPage: boolean;
}

export const noPageInfo: SelectedPageInfo = { hasNextPage: false, hasPreviousPage: false };

/**
 * What is read of the rows of an entity type: columns, and the rows of relations that are
 * read ahead.
 */
export interface Selection {
  columns: readonly string[];
  children: readonly ChildSelection[];
  pageInfo: SelectedPageInfo;
  /** The same for selections that read the same. */
  key: string;
  /** What PostgreSQL writes, if that is the answer instead of rows. */
  answer?: Answer;
}

/** A relation that is read together with its parents, and what is read of its rows. */
export interface ChildSelection {
  loader: RelationLoader<unknown, unknown>;
  args: unknown;
  selection: Selection;
}

/** The selection of columns alone. */
export function columnsOnly(columns: readonly string[]): Selection {
  return { columns, children: [], pageInfo: noPageInfo, key: [...columns].sort().join() };
}

/**
 * An answer that PostgreSQL writes as it goes to the client, instead of rows of which
 * graphql-js makes one: with the fields of the selection, in its order, under its names.
 * The gateway never parses it, which saves most of the work of a nested view. For what
 * only the gateway can tell, such as a signed link, PostgreSQL leaves a gap with the
 * columns that are needed for it (answer-text.ts).
 *
 * The rows, and which of them the caller may see, are those of the relations, as for any
 * other selection.
 */
export interface Answer {
  /** What is written of each row; or, of a page of rows, its parts. */
  written: { fields: readonly AnswerField[] } | { parts: readonly AnswerPart[] };
  /**
   * What fills its gaps, with those of everything nested in it: fields refer to them by
   * their index.
   */
  gaps: readonly Gap[];
  /** Whether it has objects of which nothing is known, but that they are JSON. */
  hasFreeJson: boolean;
  /**
   * Whether it is the same each time that the operation runs, as no variable is part of
   * it.
   */
  isConstant: boolean;
}

/** A selection whose answer PostgreSQL writes. */
export type AnswerSelection = Selection & { readonly answer: Answer };

/** A field of an answer, under its name in the response. */
export type AnswerField = { name: string } & (
  | { kind: "type name"; typeName: string }
  | { kind: "column"; column: string; values: StoredValues }
  | { kind: "part"; column: string; gap: number }
  | { kind: "resolved"; columns: readonly string[]; gap: number }
  | { kind: "relation"; loader: RelationLoader<unknown, unknown>; args: unknown; selection: AnswerSelection }
);

/**
 * What a column has to be looked at for: SQL can store values that its type in GraphQL
 * does not allow.
 */
export type StoredValues = "any" | "dates" | "lists" | "objects" | "objects or null";

/** A part of a page, under its name in the response. */
export type AnswerPart = { name: string } & (
  | { kind: "type name"; typeName: string }
  | { kind: "nodes"; fields: readonly AnswerField[] }
  | { kind: "edges"; parts: readonly EdgePart[] }
  | { kind: "page info"; parts: readonly PageInfoPart[] }
  | { kind: "total count"; gap: number }
);

/** A part of an edge. */
export type EdgePart = { name: string } & (
  | { kind: "type name"; typeName: string }
  | { kind: "cursor"; gap: number }
  | { kind: "node"; fields: readonly AnswerField[] }
);

/** A part of the position of a page in its list. */
export type PageInfoPart = { name: string } & (
  | { kind: "type name"; typeName: string }
  | { kind: "hasNextPage" }
  | { kind: "hasPreviousPage" }
  | { kind: "startCursor"; gap: number }
  | { kind: "endCursor"; gap: number }
);

/** What fills a gap. */
export type Gap = RowGap | PartGap;

/** A value that is worked out of columns of its row, or loaded by them. */
export interface RowGap {
  columns: readonly { name: string; isDate: boolean }[];
  resolve(row: Record<string, unknown>, context: ReadingContext): unknown;
  completion: Completion;
}

/** What is selected of a stored value. */
export interface PartGap {
  completion: Completion;
  /** Matches, where it begins to search, a text that needs no completion. */
  pattern?: RegExp | undefined;
}

/**
 * What a resolver is told about its field if PostgreSQL writes the rows that it loads.
 */
export interface AnswerInfo extends GraphQLResolveInfo {
  readonly answerSelection: AnswerSelection;
}

/**
 * What a resolver is told about its field if PostgreSQL writes the rows in members of the
 * objects that it returns, by their fields.
 */
export interface AnsweredMembersInfo extends GraphQLResolveInfo {
  readonly memberSelections: ReadonlyMap<string, AnswerSelection>;
}

/** The same text for arguments of a relation that read the same. */
export const argsKey = <Args>(relation: Relation<Args>, args: Args): string =>
  relation.argsKey?.(args) ?? JSON.stringify(args) ?? "";
