import { inTurns } from "../platform/queues/turns.js";
import { answerStatement } from "./answer-statement.js";
import { receiveAnswers } from "./answer-text.js";
import type { EntityType } from "./entity-type.js";
import { defineLoader, type ReadingContext } from "./loader.js";
import { relationStatement } from "./relation-statement.js";
import { receiveResults } from "./rows.js";
import {
  argsKey,
  type Relation,
  type RelationLoader,
  type RelationOptions,
  type Selection,
} from "./selection.js";
import { StatementTemplates } from "./statement-template.js";
import type { PerParentRun } from "./visibility.js";

/**
 * How a selection becomes one statement, and its rows become an answer. Start reading
 * here.
 *
 * Features declare. An entity type (entity-type.ts) names the rows that the caller may
 * see (visibility.ts) and their columns; a relation (this file) says which rows of an
 * entity type belong to a parent. Decorators (annotations.ts) tie both to the GraphQL
 * schema: `@BackedBy` names a type's entity type, `@RequiresColumns` the columns that a
 * field's resolver needs, and `@ReadAhead` the relation that it loads. `assertReadable`
 * (schema-check.ts) refuses a schema that contradicts itself.
 *
 * 1. Plan. A walk through the selected fields (plan.ts) finds the columns they need and,
 *    below them, the relations that can be read ahead. It is made once for a document.
 *    Its arguments are given the values of variables by binding.ts, which makes a
 *    selection.
 * 2. Statement. A resolver loads a relation with the selection that its `@Selected()`
 *    parameter is. DataLoader (loader.ts) collects all parents that are asked for in one
 *    tick. For an answer, `answerStatement` writes a subquery that returns the response
 *    for one parent; otherwise `relationStatement` writes one that returns its rows as
 *    JSON. Nested relations are nested subqueries, and `VisibleRecords.queryPerParent`
 *    runs all of it for all parents. That is the one statement of a whole view.
 * 3. Answer. `receiveAnswers` (answer-text.ts) fills the gaps that PostgreSQL has left
 *    for what a resolver works out or loads.
 *
 * Where graphql-js executes an operation, there are rows instead. `receiveResults`
 * (rows.ts) parses them, and puts those of nested relations into the loaders of these
 * relations, each under its parent's id. When graphql-js comes to a nested field, its
 * resolver loads the same relation with the same selection. The loader has the rows, so
 * nothing is read.
 *
 * A field that is not read ahead costs one statement for all its parents: relations that
 * need a permission, fields that @include or @skip may leave out, to-one relations of
 * many rows to a few (an alert's camera). Lists that are read page by page are relations,
 * too (paginated-relation.ts), and their pages become connections (connection.ts).
 */

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
  return defineRelation<Row | null, Args>(
    { ...options, entityType, parentColumn, isToOne: true },
    () => null,
  );
}

function defineRelation<Value, Args>(
  relation: Relation<Args>,
  missing: () => Value,
): RelationLoader<Value, Args> {
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
  return Object.assign(
    (context: ReadingContext, selection: Selection, args: Args) => loader(context, { selection, args }),
    { relation },
  );
}
