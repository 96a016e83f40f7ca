import {
  coerceInputValue,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLSchema,
  getVariableValues,
  isInputObjectType,
  isListType,
  isNonNullType,
  type OperationDefinitionNode,
  typeFromAST,
  valueFromAST,
} from "graphql";
import { badRequest, type ErrorDetail, maxDetails, ServiceError } from "../platform/errors.js";
import { countValues, maxValues, tooManyValues } from "./value-count.js";

type Values = Record<string, unknown>;

/**
 * The coerced values of an operation's variables; BAD_REQUEST with every issue and its path. The values are counted before anything
 * else is done with them.
 */
export function coerceVariables(schema: GraphQLSchema, operation: OperationDefinitionNode, given: Readonly<Values>): Values {
  if (countValues(given) > maxValues) throw badRequest([{ path: "variables", message: tooManyValues }]);
  return coerceValid(schema, operation, given) ?? coerceOrThrow(schema, operation, given);
}

/**
 * Coerces valid values, as most are; undefined if any is invalid. graphql-js takes several times as long, because it tracks the path
 * of each value for its errors.
 */
function coerceValid(schema: GraphQLSchema, operation: OperationDefinitionNode, given: Readonly<Values>): Values | undefined {
  const coerced: Values = {};
  for (const { name, type, defaultValue } of variablesOf(schema, operation)) {
    const isGiven = Object.hasOwn(given, name);
    const value = isGiven ? coerceValue(given[name], type) : defaultValue;
    if (value === invalid || (value === undefined && isNonNullType(type))) return undefined;
    if (value !== undefined) coerced[name] = value;
  }
  return coerced;
}

interface Variable {
  name: string;
  type: GraphQLInputType;
  /** Undefined without one. */
  defaultValue: unknown;
}

const variablesByOperation = new WeakMap<OperationDefinitionNode, Variable[]>();

function variablesOf(schema: GraphQLSchema, operation: OperationDefinitionNode): Variable[] {
  const known = variablesByOperation.get(operation);
  if (known) return known;
  const variables = (operation.variableDefinitions ?? []).map(({ variable, type: typeNode, defaultValue }) => {
    // The document is valid: variables have input types.
    const type = typeFromAST(schema, typeNode as Parameters<typeof typeFromAST>[1]) as GraphQLInputType;
    return { name: variable.name.value, type, defaultValue: defaultValue && valueFromAST(defaultValue, type) };
  });
  variablesByOperation.set(operation, variables);
  return variables;
}

const invalid = Symbol("invalid value");

function coerceValue(value: unknown, type: GraphQLInputType): unknown {
  if (isNonNullType(type)) return value == null ? invalid : coerceValue(value, type.ofType);
  if (value == null) return null;
  if (isListType(type)) return Array.isArray(value) ? coerceList(value, type.ofType) : coerceList([value], type.ofType);
  if (isInputObjectType(type)) return typeof value === "object" ? coerceObject(value as Values, type) : invalid;
  try {
    const parsed: unknown = type.parseValue(value);
    return parsed === undefined ? invalid : parsed;
  } catch {
    // Coercion with graphql-js finds the issue again, together with all others.
    return invalid;
  }
}

function coerceList(values: readonly unknown[], type: GraphQLInputType): unknown {
  const coerced: unknown[] = [];
  for (const each of values) {
    const value = coerceValue(each, type);
    if (value === invalid) return invalid;
    coerced.push(value);
  }
  return coerced;
}

const fieldsOf = new WeakMap<GraphQLInputObjectType, GraphQLInputField[]>();

function coerceObject(given: Values, type: GraphQLInputObjectType): unknown {
  let fields = fieldsOf.get(type);
  if (!fields) {
    fields = Object.values(type.getFields());
    fieldsOf.set(type, fields);
  }
  if (type.isOneOf) return invalid;
  const coerced: Values = {};
  let known = 0;
  for (const { name, type, defaultValue } of fields) {
    if (given[name] === undefined) {
      if (defaultValue !== undefined) coerced[name] = defaultValue;
      else if (isNonNullType(type)) return invalid;
      continue;
    }
    const value = coerceValue(given[name], type);
    if (value === invalid) return invalid;
    coerced[name] = value;
    known += 1;
  }
  return Object.keys(given).length === known ? coerced : invalid;
}

function coerceOrThrow(schema: GraphQLSchema, operation: OperationDefinitionNode, given: Readonly<Values>): Values {
  const details: ErrorDetail[] = [];
  for (const { name, type, defaultValue } of variablesOf(schema, operation)) {
    if (details.length >= maxDetails) break;
    if (Object.hasOwn(given, name)) reportIssues(given[name], type, [name], details);
    else if (isNonNullType(type) && defaultValue === undefined) details.push({ path: name, message: "is required" });
  }
  if (details.length > 0) throw badRequest(details);
  const { coerced, errors } = getVariableValues(schema, operation.variableDefinitions ?? [], given, { maxErrors: maxDetails });
  if (coerced) return coerced;
  throw new ServiceError("BAD_REQUEST", errors[0]?.message ?? "The variables are invalid");
}

type Path = readonly (string | number)[];

/** Adds the issues of a value until there are enough: of a list, only the items that are invalid are looked at by graphql-js. */
function reportIssues(value: unknown, type: GraphQLInputType, path: Path, details: ErrorDetail[]): void {
  const listType = isNonNullType(type) ? type.ofType : type;
  if (isListType(listType) && Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      if (details.length >= maxDetails) return;
      if (coerceValue(item, listType.ofType) === invalid) reportIssues(item, listType.ofType, [...path, index], details);
    }
    return;
  }
  try {
    coerceInputValue(value, type, (inner, _value, error) => {
      details.push(inputIssue([...path, ...inner], error.message));
      if (details.length >= maxDetails) throw error;
    });
  } catch (error) {
    if (details.length < maxDetails) throw error;
  }
}

/** Rewords an error of graphql-js, which is written for schema authors, for callers: which value is invalid, and why. */
function inputIssue(path: Path, message: string): ErrorDetail {
  const missing = /^Field "?(?:\w+\.)?(\w+)"? of required type .* was not provided\.$/.exec(message)?.[1];
  if (missing) return { path: [...path, missing].join("."), message: "is required" };
  const unknown = /^Field "(\w+)" is not defined by type /.exec(message)?.[1];
  if (unknown) return { path: [...path, unknown].join("."), message: "is not known" };
  const plain = message
    .replace(/^Expected type "[^"]+"\. /, "")
    .replace(/^Expected type "[^"]+" to be an object\.$/, "must be an object")
    .replace(/^Expected non-nullable type "[^"]+" not to be null\.$/, "must not be null");
  return { path: path.join("."), message: plain };
}
