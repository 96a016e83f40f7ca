import type { GraphQLSchema } from "graphql";
import { Extensions } from "type-graphql";

interface MutationExtensions {
  checkedInTransaction?: true;
}

/**
 * Marks a mutation that acts for its caller only within transactions of `RequestContext.write`, which check a cached
 * caller before the commit. The mutation must be safe to repeat, because it runs again for a caller who has changed.
 * For all other mutations, the caller is loaded before they begin.
 */
export function CheckedInTransaction() {
  return Extensions({ checkedInTransaction: true } satisfies MutationExtensions);
}

export function isCheckedInTransaction(schema: GraphQLSchema, mutation: string): boolean {
  const field = schema.getMutationType()?.getFields()[mutation];
  return field?.extensions.checkedInTransaction === true;
}
