import { Args, ArgsType, Extensions, Field, Float, InputType, Int } from "type-graphql";
import { z } from "zod";
import { PlainArguments, TakesPlainArguments } from "./plain-argument.js";
import { DateTimeIso, Uuid, uuid } from "./scalars.js";

/**
 * What a rule does not say by itself: a type other than that of its values, the value of
 * an omitted field, and why a field is deprecated.
 */
export const graphqlField = z.registry<{
  type?: object;
  defaultValue?: unknown;
  deprecationReason?: string;
}>();

uuid.register(graphqlField, { type: Uuid });

/** An ID in an input: the scalar has validated it. */
export const idField = z.string().register(graphqlField, { type: Uuid });

/**
 * A value as resolvers get it: fields that are not given are absent rather than
 * undefined.
 */
type Given<Value> = Value extends Date | ((...parameters: never) => unknown)
  ? Value
  : Value extends object
    ? { [Name in keyof Value]: Given<Exclude<Value[Name], undefined>> }
    : Value;

/** A type-graphql class with the rules that it was made from. */
interface CheckedType<Rules extends z.ZodObject = z.ZodObject> {
  new (): Given<z.input<Rules>>;
  rules: Rules;
}

/**
 * Makes an input type from the rules for its fields, so that they cannot differ. The
 * descriptions of the rules are those of the fields; a field is nullable if its rule is
 * optional. The rules are checked for the whole operation before anything is read, so
 * that resolvers only ever see valid arguments.
 */
export function inputType<Rules extends z.ZodObject>(
  name: string,
  description: string,
  rules: Rules,
): CheckedType<Rules> {
  const type = checkedType(rules);
  InputType(name, { description })(type);
  Extensions({ rules })(type);
  (rules as z.ZodObject).register(graphqlField, { type });
  return type;
}

/** Makes the arguments of a field from their rules. */
export function argumentsType<Rules extends z.ZodObject>(rules: Rules): CheckedType<Rules> {
  const type = checkedType(rules);
  ArgsType()(type);
  return type;
}

function checkedType<Rules extends z.ZodObject>(rules: Rules): CheckedType<Rules> {
  const type = Object.assign(class {}, { rules });
  for (const [name, rule] of Object.entries(rules.shape)) {
    const { type: fieldType, ...options } = fieldOf(rule as z.ZodType);
    Field(() => fieldType as typeof String, options)(type.prototype, name);
  }
  return type as unknown as CheckedType<Rules>;
}

interface FieldDefinition {
  type: object;
  nullable?: boolean;
  description?: string;
  defaultValue?: unknown;
  deprecationReason?: string;
}

function fieldOf(rule: z.ZodType): FieldDefinition {
  const { description } = rule;
  return {
    ...innerFieldOf(rule),
    ...(description !== undefined && { description }),
    ...graphqlField.get(rule),
  };
}

function innerFieldOf(rule: z.ZodType): FieldDefinition {
  if (rule instanceof z.ZodOptional) return { ...fieldOf(rule.unwrap() as z.ZodType), nullable: true };
  if (rule instanceof z.ZodNullable) return fieldOf(rule.unwrap() as z.ZodType);
  if (rule instanceof z.ZodPipe) return fieldOf(rule.in as z.ZodType);
  if (rule instanceof z.ZodArray) return { type: [fieldOf(rule.element as z.ZodType).type] };
  if (rule instanceof z.ZodString) return { type: String };
  if (rule instanceof z.ZodBoolean) return { type: Boolean };
  if (rule instanceof z.ZodDate) return { type: DateTimeIso };
  if (rule instanceof z.ZodNumber) return { type: rule.format === "safeint" ? Int : Float };
  if (rule instanceof z.ZodEnum) return { type: rule.enum };
  const { type } = graphqlField.get(rule) ?? {};
  if (!type) throw new Error(`A rule for ${rule.type} does not say its GraphQL type`);
  return { type };
}

/** Attaches the rules for a field's arguments, instead of those of their input types. */
export function ArgumentRules(argumentRules: z.ZodObject) {
  return Extensions({ argumentRules });
}

/** Beyond the parameters of any resolver. */
const unusedParameter = 100;

/** All arguments of a field, which have to satisfy the rules of their type. */
export function CheckedArgs(type: CheckedType): ParameterDecorator {
  return (target, method, index) => {
    // Tells the schema which arguments there are; what type-graphql makes of their values
    // is not used.
    Args(() => type)(target, method as string, unusedParameter);
    TakesPlainArguments()(target, method as string);
    PlainArguments()(target, method, index);
    ArgumentRules(type.rules)(target, method as string);
  };
}
