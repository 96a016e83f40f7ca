import {
  coerceInputValue,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLSchema,
  getVariableValues,
  isInputObjectType,
  isInputType,
  isListType,
  isNonNullType,
  type OperationDefinitionNode,
  typeFromAST,
  valueFromAST,
} from "graphql";
import { badRequest, type ErrorDetail, maxDetails, ServiceError } from "../platform/errors.js";

type Values = Record<string, unknown>;

/** The coerced values of an operation's variables; BAD_REQUEST with every issue and its path. */
export function coerceVariables(schema: GraphQLSchema, operation: OperationDefinitionNode, given: Readonly<Values>): Values {
  return coerceValid(schema, operation, given) ?? coerceOrThrow(schema, operation, given);
}

/**
 * Coerces valid values, as most are; undefined if any is invalid. graphql-js takes ten times as long, because it tracks the path of
 * each value for its errors.
 */
function coerceValid(schema: GraphQLSchema, operation: OperationDefinitionNode, given: Readonly<Values>): Values | undefined {
  const coerced: Values = {};
  for (const { variable, type: typeNode, defaultValue } of operation.variableDefinitions ?? []) {
    const name = variable.name.value;
    const type = typeFromAST(schema, typeNode as Parameters<typeof typeFromAST>[1]);
    // Default values are rare, and left to graphql-js.
    if (!type || !isInputType(type) || defaultValue) return undefined;
    if (!Object.hasOwn(given, name)) {
      if (isNonNullType(type)) return undefined;
      continue;
    }
    const value = coerceValue(given[name], type);
    if (value === invalid) return undefined;
    coerced[name] = value;
  }
  return coerced;
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
  const definitions = operation.variableDefinitions ?? [];
  const { coerced, errors } = getVariableValues(schema, definitions, given, { maxErrors: maxDetails });
  if (coerced) return coerced;
  const details: ErrorDetail[] = [];
  for (const { variable, type: typeNode, defaultValue } of definitions) {
    const name = variable.name.value;
    const type = typeFromAST(schema, typeNode as Parameters<typeof typeFromAST>[1]);
    if (!type || !isInputType(type)) continue;
    if (!Object.hasOwn(given, name)) {
      if (isNonNullType(type) && !(defaultValue && valueFromAST(defaultValue, type) !== undefined))
        details.push({ path: name, message: "is required" });
      continue;
    }
    reportIssues(given[name], type, (path, message) => details.push(inputIssue([name, ...path], message)));
  }
  throw details.length > 0 ? badRequest(details) : new ServiceError("BAD_REQUEST", errors[0]?.message ?? "The variables are invalid");
}

/** Reports the issues of a value, up to a limit: a list may have millions. */
function reportIssues(value: unknown, type: GraphQLInputType, report: (path: readonly (string | number)[], message: string) => void): void {
  let count = 0;
  try {
    coerceInputValue(value, type, (path, _value, error) => {
      report(path, error.message);
      count += 1;
      if (count >= maxDetails) throw error;
    });
  } catch (error) {
    if (count < maxDetails) throw error;
  }
}

/** Rewords an error of graphql-js, which is written for schema authors, for callers: which value is invalid, and why. */
function inputIssue(path: (string | number)[], message: string): ErrorDetail {
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
