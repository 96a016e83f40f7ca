import {
  type GraphQLField,
  type GraphQLInputType,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from "graphql";
import { z } from "zod";

/** The rules for a field's arguments. */
export const argumentRulesOf = ({ extensions }: GraphQLField<unknown, unknown>): z.ZodType | undefined =>
  extensions.argumentRules;

/** Gives a field the rules for its arguments: its own (`ArgumentRules`), or those of its input types (`inputType`). */
export function addArgumentRules(field: GraphQLField<unknown, unknown>): void {
  const inputs = field.args.filter(({ type }) => isInputObjectType(getNamedType(type)));
  if (argumentRulesOf(field) || inputs.length === 0) return;
  const argumentRules = z.object(
    Object.fromEntries(inputs.map(({ name, type }) => [name, rulesOfInput(type)])),
  );
  field.extensions = { ...field.extensions, argumentRules };
}

function rulesOfInput(type: GraphQLInputType): z.ZodType {
  const rules = getNamedType(type).extensions.rules as z.ZodType;
  const value = isListType(getNullableType(type)) ? z.array(rules) : rules;
  return isNonNullType(type) ? value : value.nullish();
}
