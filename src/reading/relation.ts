import type DataLoader from "dataloader";
import type { Prisma } from "../generated/prisma/client.js";
import { inTurns } from "../platform/turns.js";
import { answerStatement } from "./answer-statement.js";
import { receiveAnswers } from "./answer-text.js";
import type { EntityType } from "./entity-type.js";
import { defineLoader, type ReadingContext } from "./loader.js";
import { relationStatement } from "./relation-statement.js";
import { receiveResults } from "./rows.js";
import type { SelectedPageInfo, Selection } from "./selection.js";
import { StatementTemplates } from "./statement-template.js";
import type { PerParentRun, VisibleSources } from "./visibility.js";

/**
 * How a selection becomes one statement, and its rows become results. Start reading here.
 *
 * Features declare. An entity type (entity-type.ts) names the rows that the caller may see (visibility.ts) and their columns; a
 * relation (this file) says which rows of an entity type belong to a parent. Decorators (annotations.ts) tie both to the GraphQL
 * schema: `@BackedBy` names a type's entity type, `@RequiresColumns` the columns that a field's resolver needs, and `@ReadAhead`
 * the relation that it loads. `assertReadable` (schema-check.ts) refuses a schema that contradicts itself.
 *
 * 1. Selection. The `@Selected()` parameter of a root field's resolver (selection.ts) is the result of a walk through the selected
 *    fields: the columns they need and, below them, a selection for each relation that can be read ahead, with its arguments.
 * 2. Statement. The resolver loads a relation with the selection. DataLoader (loader.ts) collects all parents that are asked for
 *    in one tick; `relationStatement` writes a subquery that returns the rows of one parent as JSON, nested relations as nested
 *    subqueries; and `VisibleRecords.queryPerParent` runs it for all of them. That is the one statement of a whole view.
 * 3. Rows. `receiveResults` (rows.ts) turns the JSON into rows, and puts those of nested relations into the loaders of these
 *    relations, each under its parent's id.
 * 4. Results. When the executor comes to a nested field, its resolver loads the same relation with the same selection. The loader
 *    has the rows, so nothing is read.
 *
 * A field that is not read ahead works in the same way and costs one statement for all its parents: relations that need a
 * permission, fields that @include or @skip may leave out, to-one relations of many rows to a few (an alert's camera), counts.
 * Lists that are read page by page are relations, too (paginated-relation.ts), and their pages become connections (connection.ts).
 */
interface RelationOptions<Args> {
  /** The columns that are read of every row, besides those that are selected. */
  columns?: readonly string[];
  /** What else must hold of a row with the alias `item`. */
  conditions?(args: Args): Prisma.Sql[];
  /** The rows that are selected from, if they are fewer than those of the entity type; to be read in an order over the alias `item`. */
  source?(sources: VisibleSources, args: Args, parentId: Prisma.Sql, order: Prisma.Sql): RowSource;
  /** The columns, over the alias `item`, by which the rows of a parent are ordered. */
  orderBy?: Prisma.Sql;
  /** Which parts of a parent's rows are read; all rows without it. `pageInfo`: whether rows around a page must show that there are more. */
  ranges?(args: Args, pageInfo: SelectedPageInfo): RowRange[];
  /** What the relation needs of the arguments of its field, where that has any. */
  argsOf?(fieldArguments: Record<string, unknown>): Args;
  /** The same text for arguments that read the same; by default their JSON. */
  argsKey?(args: Args): string;
}

/** What rows are selected from, with the WITH clause that it refers to, if any, and a blank after that. */
export interface RowSource {
  clause: Prisma.Sql;
  rows: Prisma.Sql;
}

/** A part of a parent's rows. */
export interface RowRange {
  /** What must hold of a row with the alias `item`, besides the conditions of the relation. */
  conditions?: Prisma.Sql[];
  /** The order in which rows are taken, if it is not the one in which they are returned. */
  orderBy?: Prisma.Sql;
  /** LIMIT and OFFSET. */
  rows: number;
  offset?: number | undefined;
}

/** A relation as it was defined. */
export interface Relation<Args> extends RelationOptions<Args> {
  entityType: EntityType;
  /** The column of a row that holds the parent's id. */
  parentColumn: string;
  /** Whether a parent has at most one row. */
  isToOne: boolean;
}

/** Loads a relation by the parent's id: the relations of many parents in one statement, with everything nested in them. */
export interface RelationLoader<Value, Args> {
  (context: ReadingContext, selection: Selection, args: Args): DataLoader<string, Value, string>;
  relation: Relation<Args>;
}

/** Defines a relation in which every parent has any number of rows. */
export function defineToMany<Row, Args = void>(
  entityType: EntityType,
  parentColumn: string,
  options: RelationOptions<Args> = {},
): RelationLoader<Row[], Args> {
  return defineRelation<Row[], Args>({ ...options, entityType, parentColumn, isToOne: false }, () => []);
}

/** Defines a relation in which every parent has one row, or none. */
export function defineToOne<Row, Args = void>(
  entityType: EntityType,
  parentColumn: string,
  options: RelationOptions<Args> = {},
): RelationLoader<Row | null, Args> {
  return defineRelation<Row | null, Args>({ ...options, entityType, parentColumn, isToOne: true }, () => null);
}

function defineRelation<Value, Args>(relation: Relation<Args>, missing: () => Value): RelationLoader<Value, Args> {
  const templates = new StatementTemplates<PerParentRun>();
  const loader = defineLoader<Value, { selection: Selection; args: Args }>(
    async (context, parentIds, { selection, args }) => {
      context.answerSize.assertWithinLimit();
      const { answer } = selection;
      const statement = answer ? answerStatement : relationStatement;
      const { size, results } = await context.visible.queryPerParent(
        parentIds,
        (sources) => statement(sources, relation, selection, args),
        answer?.isConstant && args === undefined ? { templates, by: answer } : undefined,
      );
      context.answerSize.add(size);
      const related: Map<string, unknown> = answer
        ? await receiveAnswers(context, relation, answer, results)
        : await inTurns(context, receiveResults(context, relation, selection, results));
      return related as Map<string, Value>;
    },
    missing,
    ({ selection, args }) => `${argsKey(relation, args)} ${selection.key}`,
  );
  return Object.assign((context: ReadingContext, selection: Selection, args: Args) => loader(context, { selection, args }), { relation });
}

/** The same text for arguments of a relation that read the same. */
export const argsKey = <Args>(relation: Relation<Args>, args: Args): string => relation.argsKey?.(args) ?? JSON.stringify(args) ?? "";
