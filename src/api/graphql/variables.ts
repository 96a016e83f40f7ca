import {
  type GraphQLEnumType,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLScalarType,
  type GraphQLSchema,
  isInputObjectType,
  isListType,
  isNonNullType,
  type OperationDefinitionNode,
  typeFromAST,
  valueFromAST,
} from "graphql";
import { badRequest, type ErrorDetail, maxDetails } from "../../platform/errors/errors.js";
import { messageOf } from "../../platform/thrown.js";
import { addValues, exceedsValues, tooManyValues } from "./value-limit.js";

type Values = Record<string, unknown>;

export interface Variable {
  name: string;
  type: GraphQLInputType;
  /** The value if none is given; undefined without a default. */
  defaultValue: unknown;
}

export function variablesOf(
  schema: GraphQLSchema,
  { variableDefinitions = [] }: OperationDefinitionNode,
): Variable[] {
  return variableDefinitions.map(({ variable, type: typeNode, defaultValue }) => {
    // In a valid document, variables have input types.
    const type = typeFromAST(schema, typeNode) as GraphQLInputType;
    return {
      name: variable.name.value,
      type,
      defaultValue: defaultValue && valueFromAST(defaultValue, type),
    };
  });
}

/** The coerced values of an operation's variables, counted first. BAD_REQUEST with every issue and its path. */
export function coerceVariables(variables: readonly Variable[], given: Readonly<Values>): Values {
  if (exceedsValues(addValues(given))) throw badRequest([{ path: "variables", message: tooManyValues }]);
  const coerced = coerceValid(variables, given);
  if (!coerced) throw badRequest(issuesOf(variables, given));
  return coerced;
}

/**
 * Coerces valid values, the usual case; undefined if any value is invalid. graphql-js takes several times as long,
 * because it tracks the path of each value for its errors. Lists and objects are copied only if something in them
 * changes: copies of long lists burden the garbage collector most.
 */
function coerceValid(variables: readonly Variable[], given: Readonly<Values>): Values | undefined {
  // Use no prototype: a name from a client must not find members that all objects inherit.
  const coerced: Values = Object.create(null);
  for (const { name, type, defaultValue } of variables) {
    const isGiven = Object.hasOwn(given, name);
    const value = isGiven ? coercerOf(type)(given[name]) : defaultValue;
    if (value === invalid || (value === undefined && isNonNullType(type))) return undefined;
    if (value !== undefined) coerced[name] = value;
  }
  return coerced;
}

const invalid = Symbol("invalid value");

/** Coerces a value of one type. Returns {@link invalid} for a value of another type. */
type Coerce = (value: unknown) => unknown;

const coercersByType = new WeakMap<GraphQLInputType, Coerce>();

/** The coercer of a type, created once: inspecting the type of thousands of values takes longer than coercing them. */
function coercerOf(type: GraphQLInputType): Coerce {
  const known = coercersByType.get(type);
  if (known) return known;
  const coerce = newCoercer(type);
  coercersByType.set(type, coerce);
  return coerce;
}

function newCoercer(type: GraphQLInputType): Coerce {
  if (isNonNullType(type)) return unlessNull(coercerOf(type.ofType), invalid);
  if (isListType(type)) return unlessNull(listCoercer(coercerOf(type.ofType)), null);
  return unlessNull(isInputObjectType(type) ? objectCoercer(type) : leafCoercer(type), null);
}

const unlessNull =
  (coerce: Coerce, otherwise: unknown): Coerce =>
  (value) =>
    value == null ? otherwise : coerce(value);

const leafCoercer =
  (type: GraphQLScalarType | GraphQLEnumType): Coerce =>
  (value) => {
    try {
      const parsed: unknown = type.parseValue(value);
      return parsed === undefined ? invalid : parsed;
    } catch {
      return invalid;
    }
  };

function listCoercer(coerceItem: Coerce): Coerce {
  return (value) => {
    const values: readonly unknown[] = Array.isArray(value) ? value : [value];
    let coerced: unknown[] | undefined;
    for (let index = 0; index < values.length; index += 1) {
      const item = coerceItem(values[index]);
      if (item === invalid) return invalid;
      if (item !== values[index]) coerced ??= values.slice(0, index);
      coerced?.push(item);
    }
    return coerced ?? values;
  };
}

interface FieldCoercer {
  name: string;
  coerce: Coerce;
  /** The value of an omitted field; {@link invalid} if it must be given. */
  omitted: unknown;
}

function objectCoercer(type: GraphQLInputObjectType): Coerce {
  let fields: FieldCoercer[] | undefined;
  return (value) => {
    if (typeof value !== "object" || Array.isArray(value)) return invalid;
    // Create them on the first value, because a type may have fields of its own type.
    fields ??= Object.values(type.getFields()).map(fieldCoercer);
    return coerceObject(value as Values, fields);
  };
}

function coerceObject(given: Values, fields: readonly FieldCoercer[]): unknown {
  let changes: Values | undefined;
  let known = 0;
  for (const { name, coerce, omitted } of fields) {
    const value = given[name];
    if (value !== undefined) known += 1;
    const coerced = value === undefined ? omitted : coerce(value);
    if (coerced === invalid) return invalid;
    if (coerced !== value) changes = { ...changes, [name]: coerced };
  }
  // Avoid Object.keys, which would make a list for each object.
  let all = 0;
  for (const _name in given) all += 1;
  if (all !== known) return invalid;
  return changes ? { ...given, ...changes } : given;
}

const fieldCoercer = ({ name, type, defaultValue }: GraphQLInputField): FieldCoercer => ({
  name,
  coerce: coercerOf(type),
  omitted: defaultValue === undefined && isNonNullType(type) ? invalid : defaultValue,
});

/** The issues of invalid values with their paths, up to the maximum. */
function issuesOf(variables: readonly Variable[], given: Readonly<Values>): ErrorDetail[] {
  const details: ErrorDetail[] = [];
  for (const { name, type, defaultValue } of variables) {
    if (Object.hasOwn(given, name)) reportIssues(given[name], type, name, details);
    else if (isNonNullType(type) && defaultValue === undefined)
      details.push({ path: name, message: "is required" });
  }
  return details.slice(0, maxDetails);
}

function reportIssues(value: unknown, type: GraphQLInputType, path: string, details: ErrorDetail[]): void {
  if (details.length >= maxDetails || coercerOf(type)(value) !== invalid) return;
  if (isNonNullType(type) && value != null) reportIssues(value, type.ofType, path, details);
  else if (isNonNullType(type)) details.push({ path, message: "must not be null" });
  else if (isListType(type)) {
    if (!Array.isArray(value)) reportIssues(value, type.ofType, path, details);
    else
      for (const [index, item] of value.entries())
        reportIssues(item, type.ofType, `${path}.${index}`, details);
  } else if (isInputObjectType(type)) reportIssuesOfObject(value, type, path, details);
  else details.push({ path, message: issueOfLeaf(value, type) });
}

function reportIssuesOfObject(
  value: unknown,
  type: GraphQLInputObjectType,
  path: string,
  details: ErrorDetail[],
): void {
  if (typeof value !== "object" || Array.isArray(value)) {
    details.push({ path, message: "must be an object" });
    return;
  }
  const fields = type.getFields();
  for (const field of Object.values(fields)) {
    const given = (value as Values)[field.name];
    if (given !== undefined) reportIssues(given, field.type, `${path}.${field.name}`, details);
    else if (fieldCoercer(field).omitted === invalid)
      details.push({ path: `${path}.${field.name}`, message: "is required" });
  }
  for (const name of Object.keys(value as Values)) {
    if (!Object.hasOwn(fields, name)) details.push({ path: `${path}.${name}`, message: "is not known" });
  }
}

function issueOfLeaf(value: unknown, type: GraphQLScalarType | GraphQLEnumType): string {
  try {
    type.parseValue(value);
    return "is invalid";
  } catch (error) {
    return messageOf(error);
  }
}
