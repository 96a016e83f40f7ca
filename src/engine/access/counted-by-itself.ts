import type { GraphQLSchema } from "graphql";
import { Extensions } from "type-graphql";

/** A request with this field alone does not count as a request, unless it fails. */
export const CountedByItself = () => Extensions({ countedByItself: true });

export const isCountedByItself = (schema: GraphQLSchema, mutation: string): boolean =>
  schema.getMutationType()?.getFields()[mutation]?.extensions.countedByItself === true;
