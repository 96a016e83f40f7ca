import type { GraphQLSchema } from "graphql";
import { Extensions } from "type-graphql";

/**
 * Marks a mutation that counts against a limit of its own. A request with this field alone
 * does not count as a request, unless it fails.
 */
export const CountedByItself = () => Extensions({ countedByItself: true });

/** Whether a mutation counts against a limit of its own. */
export const isCountedByItself = (schema: GraphQLSchema, mutation: string): boolean =>
  schema.getMutationType()?.getFields()[mutation]?.extensions.countedByItself === true;
