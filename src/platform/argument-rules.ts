import { Extensions } from "type-graphql";
import type { z } from "zod";

/**
 * Attaches the rules for a field's arguments. They are checked for the whole operation before anything is read, so that
 * resolvers only ever see valid arguments.
 */
export function ArgumentRules(rules: z.ZodObject) {
  return Extensions({ argumentRules: rules });
}
