// Decorators need it. The modules of inputs may be the first of a bundle that run.
import "reflect-metadata";
import { Arg, Args, ArgsType, Extensions, Field, Float, InputType, Int } from "type-graphql";
import { z } from "zod";
import { existingId } from "./descriptions.js";
import { DateTimeIso, Uuid, uuid } from "./scalars.js";

/**
 * What a field's rule cannot express: a GraphQL type other than that of its values, the value of an omitted field, and
 * the reason for a deprecation.
 */
export const graphqlField = z.registry<{
  type?: object;
  defaultValue?: unknown;
  deprecationReason?: string;
}>();

uuid.register(graphqlField, { type: Uuid });

/** An ID in an input. The scalar validates it. */
export const idField = z.string().register(graphqlField, { type: Uuid });

/** A value as resolvers receive it: omitted fields are absent rather than undefined. */
type Given<Value> = Value extends Date | ((...parameters: never) => unknown)
  ? Value
  : Value extends object
    ? { [Name in keyof Value]: Given<Exclude<Value[Name], undefined>> }
    : Value;

/** A type-graphql class, and the rules that define it. */
interface CheckedType<Rules extends z.ZodObject = z.ZodObject> {
  new (): Given<z.input<Rules>>;
  rules: Rules;
}

declare module "graphql" {
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs> {
    argumentRules?: z.ZodType;
  }
}

/**
 * Makes an input type from the rules for its fields, so that the two cannot differ. Fields take their descriptions from
 * the rules, and are nullable if their rule is optional or takes null. All rules of an operation are checked before
 * anything is read, so resolvers only ever see valid arguments.
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

export function argumentsType<Rules extends z.ZodObject>(rules: Rules): CheckedType<Rules> {
  const type = checkedType(rules);
  ArgsType()(type);
  return type;
}

function checkedType<Rules extends z.ZodObject>(rules: Rules): CheckedType<Rules> {
  const type = Object.assign(class {}, { rules });
  for (const [name, rule] of Object.entries(rules.shape)) {
    const { type: fieldType, ...options } = fieldOf(rule);
    Field(() => fieldType, options)(type.prototype, name);
  }
  return type as CheckedType<Rules>;
}

interface FieldDefinition {
  type: object;
  nullable?: boolean;
  description?: string;
  defaultValue?: unknown;
  deprecationReason?: string;
}

function fieldOf(rule: z.core.$ZodType): FieldDefinition {
  const { description } = z.globalRegistry.get(rule) ?? {};
  return {
    ...innerFieldOf(rule),
    ...(description !== undefined && { description }),
    ...graphqlField.get(rule),
  };
}

function innerFieldOf(rule: z.core.$ZodType): FieldDefinition {
  if (rule instanceof z.ZodOptional || rule instanceof z.ZodNullable)
    return { ...fieldOf(rule.unwrap()), nullable: true };
  if (rule instanceof z.ZodPipe) return fieldOf(rule.in);
  if (rule instanceof z.ZodArray) return { type: [fieldOf(rule.element).type] };
  if (rule instanceof z.ZodString) return { type: String };
  if (rule instanceof z.ZodBoolean) return { type: Boolean };
  if (rule instanceof z.ZodDate) return { type: DateTimeIso };
  if (rule instanceof z.ZodNumber) return { type: rule.format === "safeint" ? Int : Float };
  if (rule instanceof z.ZodEnum) return { type: rule.enum };
  const { type } = graphqlField.get(rule) ?? {};
  if (!type) throw new Error(`A rule for ${rule._zod.def.type} does not say its GraphQL type`);
  return { type };
}

/** Attaches rules for the arguments of a field, which replace the rules of the input types. */
export function ArgumentRules(argumentRules: z.ZodObject) {
  return Extensions({ argumentRules });
}

/** Injects all arguments of a field, which satisfy the rules of their type. */
export function CheckedArgs(type: CheckedType): ParameterDecorator {
  return (target, method, index) => {
    Args(() => type)(target, String(method), index);
    ArgumentRules(type.rules)(target, String(method));
  };
}

/** Injects the argument with the ID of an object that must exist. */
export const IdArg = (what: string, name = "id") => Arg(name, () => Uuid, { description: existingId(what) });

export const InputArg = (type: CheckedType, description: string) => Arg("input", () => type, { description });
