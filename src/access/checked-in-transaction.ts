import type { GraphQLSchema } from "graphql";
import { Extensions } from "type-graphql";

interface MutationExtensions {
  checkedInTransaction?: true;
}

/**
 * Marks a mutation that does nothing for its caller but in transactions of
 * `RequestContext.write`, where a cached caller is checked before the commit. It has to
 * be safe to repeat, as it is run again for a caller who has changed. For all other
 * mutations, the caller is loaded before they begin.
 */
export function CheckedInTransaction() {
  return Extensions({ checkedInTransaction: true } satisfies MutationExtensions);
}

/** Whether a mutation checks a cached caller in its transactions. */
export function isCheckedInTransaction(schema: GraphQLSchema, mutation: string): boolean {
  const field = schema.getMutationType()?.getFields()[mutation];
  return (field?.extensions as MutationExtensions | undefined)?.checkedInTransaction === true;
}
