import type { GraphQLSchema } from "graphql";
import { Extensions } from "type-graphql";

/** Marks a mutation with a limit of its own. A request with this field alone does not count, unless it fails. */
export const CountedByItself = () => Extensions({ countedByItself: true });

export const isCountedByItself = (schema: GraphQLSchema, mutation: string): boolean =>
  schema.getMutationType()?.getFields()[mutation]?.extensions.countedByItself === true;
