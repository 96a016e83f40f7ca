import type { GraphQLFieldResolver, GraphQLResolveInfo, GraphQLSchema } from "graphql";

/**
 * The executor of a root field of a query: graphql-js, or PostgreSQL, which writes the
 * rows.
 */
export type Execution = "graphql-js" | "written";

/**
 * Notes from now on which executor runs each root field of a query, in the order of
 * calls. Both executors call the resolvers of this process's schema, but with different
 * `info`.
 */
export function observeExecutions(schema: GraphQLSchema): Execution[] {
  const executions: Execution[] = [];
  for (const field of Object.values(schema.getQueryType()?.getFields() ?? {})) {
    const resolve = field.resolve as GraphQLFieldResolver<unknown, unknown>;
    field.resolve = (source, values, context, info) => {
      executions.push(executionOf(info));
      return resolve(source, values, context, info);
    };
  }
  return executions;
}

const executionOf = (info: GraphQLResolveInfo): Execution =>
  "answerSelection" in info || "memberSelections" in info ? "written" : "graphql-js";
