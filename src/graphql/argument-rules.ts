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

const rulesByField = new WeakMap<GraphQLField<unknown, unknown>, z.ZodType | undefined>();

/**
 * The rules for a field's arguments: its own (see `ArgumentRules`), or those of its input
 * types (see `inputType`).
 */
export function argumentRulesOf(field: GraphQLField<unknown, unknown>): z.ZodType | undefined {
  if (!rulesByField.has(field)) {
    const inputs = field.args.filter(({ type }) => isInputObjectType(getNamedType(type)));
    const ofInputs =
      inputs.length > 0
        ? z.object(Object.fromEntries(inputs.map(({ name, type }) => [name, rulesOfInput(type)])))
        : undefined;
    rulesByField.set(field, (field.extensions.argumentRules as z.ZodType | undefined) ?? ofInputs);
  }
  return rulesByField.get(field);
}

function rulesOfInput(type: GraphQLInputType): z.ZodType {
  const rules = getNamedType(type).extensions.rules as z.ZodType;
  const value = isListType(getNullableType(type)) ? z.array(rules) : rules;
  return isNonNullType(type) ? value : value.nullish();
}
