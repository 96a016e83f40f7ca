import { Extensions } from "type-graphql";
import type { z } from "zod";

/**
 * Attaches the rules for a field's arguments. They are checked for the whole operation before anything is read, so that
 * the resolver only ever sees good arguments.
 */
export function ArgumentRules(rules: z.ZodType) {
  return Extensions({ argumentRules: rules });
}
