import { inSlices } from "../../platform/queues/slices.js";
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
} from "./selection/selection.js";

/**
 * How a selection becomes one statement, and its rows become an answer. Start reading
 * here.
 *
 * Features declare what can be read. An entity type (entity-type.ts) names the rows that
 * the caller may see (visibility.ts) and their columns. A relation (this file) says which
 * rows of an entity type belong to a parent. Decorators (annotations.ts) tie both to the
 * GraphQL schema: `@BackedBy` names a type's entity type, `@RequiresColumns` the columns
 * that a field's resolver needs, and `@ReadAhead` the relation that it loads.
 * `assertReadable` (schema-check.ts) refuses a schema that contradicts itself.
 *
 * 1. Plan. Once per document, plan.ts walks through the selected fields, and finds the
 *    columns that they need and the relations that can be read ahead. For each request,
 *    binding.ts binds the plan's arguments to the values of variables. The result is a
 *    selection.
 * 2. Statement. A resolver receives its selection by a `@Selected()` parameter, and loads
 *    a relation with it. DataLoader (loader.ts) collects all parents of one tick. For an
 *    answer, `answerStatement` writes a subquery that returns the response for one
 *    parent; otherwise `relationStatement` writes one that returns rows as JSON. Nested
 *    relations become nested subqueries. `VisibleRecords.queryPerParent` runs the
 *    subquery for all parents: one statement for a whole view.
 * 3. Answer. PostgreSQL leaves gaps for values that a resolver computes or loads.
 *    `receiveAnswers` (answer-text.ts) fills them.
 *
 * If graphql-js executes the operation, PostgreSQL returns rows instead. `receiveResults`
 * (rows.ts) parses them, and puts the rows of nested relations into the loaders of these
 * relations, each under its parent's ID. When graphql-js comes to a nested field, its
 * resolver loads the same relation with the same selection. The loader already has the
 * rows, so nothing is read.
 *
 * A field that is not read ahead costs one statement for all its parents. Such fields are
 * relations that need a permission, fields that @include or @skip may leave out, and
 * to-one relations from many rows to a few (an alert's camera). Lists that are read page
 * by page are relations, too (paginated-relation.ts). Their pages become connections
 * (connection.ts).
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
  const loader = defineLoader<Value, { selection: Selection; args: Args }>(
    async (context, parentIds, { selection, args }) => {
      context.answerSize.assertWithinLimit();
      const { answer } = selection;
      const statement = answer ? answerStatement : relationStatement;
      const { size, results } = await context.visible.queryPerParent(
        parentIds,
        (sources) => statement(sources, relation, selection, args),
        answer?.templates && args === undefined ? { templates: answer.templates, relation } : undefined,
      );
      context.answerSize.add(size);
      const related: Map<string, unknown> = answer
        ? await receiveAnswers(context, relation, answer, results)
        : await inSlices(context, receiveResults(context, relation, selection, results));
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
