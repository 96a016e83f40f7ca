import type { GraphQLFieldResolver, GraphQLResolveInfo, GraphQLSchema } from "graphql";
import { isAnswerInfo } from "../../src/reading/selection.js";

/** What runs the root field of a query: graphql-js, a program that it was compiled to, or a statement that writes the answer. */
export type Execution = "graphql-js" | "compiled" | "written";

/**
 * Notes from now on what runs each root field of a query, in the order of the calls: the schema is that of this process, and the three ways
 * tell its resolvers apart by what they pass as their `info`.
 */
export function observeExecutions(schema: GraphQLSchema): Execution[] {
  const executions: Execution[] = [];
  for (const field of Object.values(schema.getQueryType()?.getFields() ?? {})) {
    const resolve = field.resolve as GraphQLFieldResolver<unknown, unknown>;
    field.resolve = (source, values, context, info) => {
      executions.push(executionOf(schema, info));
      return resolve(source, values, context, info);
    };
  }
  return executions;
}

function executionOf(schema: GraphQLSchema, info: GraphQLResolveInfo): Execution {
  if (isAnswerInfo(info)) return "written";
  // Operations are compiled for a schema of their own, with a type for the values of variables.
  return info.schema === schema ? "graphql-js" : "compiled";
}
