import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
} from "graphql";
import { z } from "zod";

/**
 * Checks that the rules for arguments (see `ArgumentRules`) agree with the GraphQL types: the same fields, and for each whether it
 * may be omitted, whether it is a list, and the kind of its values. Otherwise, a field that was added to an input but not to
 * its rules would not be validated.
 */
export function assertRulesMatchTypes(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith("__")) continue;
    const problems = Object.values(type.getFields()).flatMap((field) =>
      problemsOfField(field).map((problem) => `${type.name}.${field.name}(${problem})`),
    );
    if (problems.length > 0) throw new Error(`The rules for arguments do not match the schema: ${problems.join("; ")}`);
  }
}

function problemsOfField({ args, extensions }: GraphQLField<unknown, unknown>): string[] {
  const rules = (extensions.argumentRules as z.ZodObject | undefined)?.shape ?? {};
  return [
    ...unknownMembers(rules, args, ""),
    ...args.flatMap((arg) => {
      const rule = rules[arg.name] as z.ZodType | undefined;
      // Arguments that are validated by their scalar need no rule. Rules may be shared by fields of which only some require an argument.
      if (rule) return compare(arg.name, isNonNullType(arg.type) ? optional(arg.type.ofType, rule) : [arg.type, rule], arg.defaultValue);
      return isInputObjectType(getNamedType(arg.type)) ? [`${arg.name}: has no rules`] : [];
    }),
  ];
}

const optional = (type: GraphQLInputType, rule: z.ZodType): [GraphQLInputType, z.ZodType] => [type, rule.optional()];

const unknownMembers = (rules: object, known: readonly (GraphQLArgument | GraphQLInputField)[], path: string) =>
  Object.keys(rules)
    .filter((name) => known.every((each) => each.name !== name))
    .map((name) => `${path}${name}: is not in the schema`);

/** What differs between a type and its rule, each with its path. */
function compare(path: string, [type, rule]: [GraphQLInputType, z.ZodType], defaultValue?: unknown): string[] {
  const isRequired = isNonNullType(type);
  const [value, isOptional] = unwrap(rule);
  if (isRequired && isOptional) return [`${path}: is required by the schema but not by its rule`];
  if (!isRequired && !isOptional && defaultValue === undefined) return [`${path}: is required by its rule but not by the schema`];
  return value instanceof z.ZodUnknown ? [] : compareValue(path, isRequired ? type.ofType : type, value);
}

function compareValue(path: string, type: GraphQLInputType, rule: z.ZodType): string[] {
  if (isListType(type)) {
    return rule instanceof z.ZodArray ? compare(`${path}[]`, [type.ofType, rule.element as z.ZodType]) : differs(path, "a list", rule);
  }
  const named = getNamedType(type);
  if (isInputObjectType(named)) return rule instanceof z.ZodObject ? compareFields(path, named, rule) : differs(path, "an object", rule);
  const kinds = isEnumType(named) ? ["enum"] : (kindsOfScalar[named.name] ?? []);
  return kinds.includes(rule.type) ? [] : differs(path, kinds.join(" or ") || named.name, rule);
}

function compareFields(path: string, type: GraphQLInputObjectType, { shape }: z.ZodObject): string[] {
  const fields = Object.values(type.getFields());
  return [
    ...unknownMembers(shape, fields, `${path}.`),
    ...fields.flatMap(({ name, type: fieldType, defaultValue }) => {
      const rule = shape[name] as z.ZodType | undefined;
      return rule ? compare(`${path}.${name}`, [fieldType, rule], defaultValue) : [`${path}.${name}: has no rule`];
    }),
  ];
}

const differs = (path: string, expected: string, rule: z.ZodType) => [`${path}: is ${expected} in the schema, but its rule is for ${rule.type}`];

/** The rules that fit values of scalars. */
const kindsOfScalar: Record<string, z.ZodType["type"][]> = {
  String: ["string", "enum", "literal"],
  UUID: ["string"],
  DateTimeISO: ["date"],
  Boolean: ["boolean"],
  Int: ["number"],
  Float: ["number"],
  SafeInt: ["number"],
  JSONObject: ["object", "record", "custom"],
};

/** The rule for values that are given, and whether they may be omitted. */
function unwrap(rule: z.ZodType): [rule: z.ZodType, isOptional: boolean] {
  if (rule instanceof z.ZodOptional) return [unwrap(rule.unwrap() as z.ZodType)[0], true];
  if (rule instanceof z.ZodNullable) return unwrap(rule.unwrap() as z.ZodType);
  return rule instanceof z.ZodPipe ? unwrap(rule.in as z.ZodType) : [rule, false];
}
