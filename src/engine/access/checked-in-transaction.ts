import type { GraphQLSchema } from "graphql";
import { Extensions } from "type-graphql";

interface MutationExtensions {
  checkedInTransaction?: true;
}

/** Marks a mutation that may run again: its `write` checks a cached caller before the commit. */
export function CheckedInTransaction() {
  return Extensions({ checkedInTransaction: true } satisfies MutationExtensions);
}

export function isCheckedInTransaction(schema: GraphQLSchema, mutation: string): boolean {
  const field = schema.getMutationType()?.getFields()[mutation];
  return field?.extensions.checkedInTransaction === true;
}
