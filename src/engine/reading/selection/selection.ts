import type DataLoader from "dataloader";
import type { GraphQLResolveInfo } from "graphql";
import type { Prisma } from "../../../generated/prisma/client.js";
import type { EntityType } from "../entity-type.js";
import type { ReadingContext } from "../loader.js";
import type { StatementTemplates } from "../statement-template.js";
import type { PerParentRun, VisibleSources } from "../visibility.js";
import type { Completion } from "./completion.js";

// The types of relations and selections, which refer to each other.

/** The optional parts of a relation. */
export interface RelationOptions<Args> {
  /** The columns that are read of every row, besides those that are selected. */
  columns?: readonly string[];
  /** Further conditions on a row with the alias `item`. */
  conditions?(args: Args, sources: VisibleSources): Prisma.Sql[];
  /**
   * The rows to select from, if they are fewer than those of the entity type; read in an order over the alias `item`.
   */
  source?(sources: VisibleSources, args: Args, parentId: Prisma.Sql, order: Prisma.Sql): RowSource;
  /** The columns, over the alias `item`, by which the rows of a parent are ordered. */
  orderBy?: Prisma.Sql;
  /**
   * The ranges of rows to read; all without it. `pageInfo` tells whether rows around must prove that there are more.
   */
  ranges?(args: Args, pageInfo: SelectedPageInfo): RowRange[];
  /** Takes the relation's arguments from those of its field. */
  argsOf?(fieldArguments: Record<string, unknown>): Args;
  /** The same text for arguments that read the same; by default their JSON. */
  argsKey?(args: Args): string;
  list?: PaginatedList<Args>;
}

/** A FROM item, and the WITH clause that it refers to, if any, followed by a space. */
export interface RowSource {
  clause: Prisma.Sql;
  rows: Prisma.Sql;
}

/** A part of a parent's rows. */
export interface RowRange {
  /** The conditions on a row with the alias `item`, besides those of the relation. */
  conditions?: Prisma.Sql[];
  /** The order in which to take rows, if they are returned in another order. */
  orderBy?: Prisma.Sql;
  rows: number;
  offset?: number | undefined;
  /** The side of the page on which rows only prove that there are more, and the rows of the range before them. */
  around?: { side: PageSide; after: number };
}

/** The position of a row relative to a page. */
export type PageSide = "previous" | "next";

/** The cursors and the total count of a list that is read page by page. */
export interface PaginatedList<Args> {
  /** The column that orders the list, together with the ID. */
  orderColumn: string;
  encodeCursor(row: object): string;
  /** Counts the whole list of a parent. */
  count(context: ReadingContext, parentId: string, args: Args): Promise<number>;
}

/** A relation as it was defined. */
export interface Relation<Args> extends RelationOptions<Args> {
  entityType: EntityType;
  parentColumn: string;
  isToOne: boolean;
}

/**
 * Loads a relation by the parent's id: the relations of many parents in one statement, with everything nested in them.
 */
export interface RelationLoader<Value, Args> {
  (context: ReadingContext, selection: Selection, args: Args): DataLoader<string, Value, string>;
  relation: Relation<Args>;
}

/** Which of the fields of `pageInfo` are selected that need rows around the page. */
export interface SelectedPageInfo {
  hasNextPage: boolean;
  hasPreviousPage: boolean;
}

export const noPageInfo: SelectedPageInfo = { hasNextPage: false, hasPreviousPage: false };

/** The columns of an entity type's rows to read, and the relations to read ahead. */
export interface Selection {
  columns: readonly string[];
  children: readonly ChildSelection[];
  pageInfo: SelectedPageInfo;
  /** Equal for selections that read the same. */
  key: string;
  /** The answer that PostgreSQL writes instead of returning rows. */
  answer?: Answer;
}

/** A relation that is read together with its parents, and the selection of its rows. */
export interface ChildSelection {
  loader: RelationLoader<unknown, unknown>;
  args: unknown;
  selection: Selection;
}

export function columnsOnly(columns: readonly string[]): Selection {
  return { columns, children: [], pageInfo: noPageInfo, key: [...columns].sort().join() };
}

/**
 * An answer that PostgreSQL writes exactly as the client receives it: with the fields of the selection, in their order,
 * under their names. The gateway never parses it, which saves most of the work of a nested view. Where only the gateway
 * knows the value, such as a signed link, PostgreSQL leaves a gap with the columns that the gateway needs
 * (answer-text.ts). As with any other selection, the relations decide which rows there are and which of them the caller
 * may see.
 */
export interface Answer {
  /** The fields of each row, or the parts of a page. */
  written: { fields: readonly AnswerField[] } | { parts: readonly AnswerPart[] };
  /** The gaps of the answer and of everything nested in it. Fields refer to them by index. */
  gaps: readonly Gap[];
  /** Whether it contains free JSON, such as `metadata`. */
  hasFreeJson: boolean;
  /** The statements of an answer that is the same whenever the operation runs, because it holds no variable. */
  templates: StatementTemplates<PerParentRun> | undefined;
}

export type AnswerSelection = Selection & { readonly answer: Answer };

/** A field of an answer, under its name in the response. */
export type AnswerField = { name: string } & (
  | { kind: "type name"; typeName: string }
  | { kind: "column"; column: string; values: StoredValues }
  | { kind: "part"; column: string; gap: number }
  | { kind: "resolved"; columns: readonly string[]; gap: number }
  | { kind: "relation"; loader: RelationLoader<unknown, unknown>; args: unknown; selection: AnswerSelection }
);

/** The check that a column needs: SQL can store values that its GraphQL type does not allow. */
export type StoredValues = "any" | "dates" | "lists" | "objects" | "objects or null";

export type AnswerPart = { name: string } & (
  | { kind: "type name"; typeName: string }
  | { kind: "nodes"; fields: readonly AnswerField[] }
  | { kind: "edges"; parts: readonly EdgePart[] }
  | { kind: "page info"; parts: readonly PageInfoPart[] }
  | { kind: "total count"; gap: number }
);

export type EdgePart = { name: string } & (
  | { kind: "type name"; typeName: string }
  | { kind: "cursor"; gap: number }
  | { kind: "node"; fields: readonly AnswerField[] }
);

export type PageInfoPart = { name: string } & (
  | { kind: "type name"; typeName: string }
  | { kind: "hasNextPage" }
  | { kind: "hasPreviousPage" }
  | { kind: "startCursor"; gap: number }
  | { kind: "endCursor"; gap: number }
);

export type Gap = RowGap | PartGap;

/** A value that a resolver computes from columns of the row, or loads by them. */
export interface RowGap {
  columns: readonly { name: string; isDate: boolean }[];
  resolve(row: Record<string, unknown>, context: ReadingContext): unknown;
  completion: Completion;
}

/** The selected members of a value that is stored as JSON. */
export interface PartGap {
  completion: Completion;
  /** Matches, at the position where the search begins, a text that needs no completion. */
  pattern?: RegExp | undefined;
}

/** The `info` of a resolver whose rows PostgreSQL writes. */
export interface AnswerInfo extends GraphQLResolveInfo {
  readonly answerSelection: AnswerSelection;
}

/**
 * The `info` of a resolver that returns objects with members whose rows PostgreSQL writes, by the name of
 * the member's field.
 */
export interface AnsweredMembersInfo extends GraphQLResolveInfo {
  readonly memberSelections: ReadonlyMap<string, AnswerSelection>;
}

/** Equal for arguments of a relation that read the same. */
export const argsKey = <Args>(relation: Relation<Args>, args: Args): string =>
  relation.argsKey?.(args) ?? JSON.stringify(args) ?? "";
