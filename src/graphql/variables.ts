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
import { badRequest, type ErrorDetail, mostDetails, ServiceError } from "../platform/errors.js";

type Values = Record<string, unknown>;

/** The values of an operation's variables, as the schema takes them; BAD_REQUEST with every fault and its path. */
export function coerceVariables(schema: GraphQLSchema, operation: OperationDefinitionNode, given: Readonly<Values>): Values {
  return coerceAtOnce(schema, operation, given) ?? coerceWithFaults(schema, operation, given);
}

/**
 * The same for values without any fault, which is what most are: graphql-js keeps the path of each value at hand for errors, and
 * takes ten times as long. Nothing when there is something to find fault with.
 */
function coerceAtOnce(schema: GraphQLSchema, operation: OperationDefinitionNode, given: Readonly<Values>): Values | undefined {
  const coerced: Values = {};
  for (const { variable, type: typeNode, defaultValue } of operation.variableDefinitions ?? []) {
    const name = variable.name.value;
    const type = typeFromAST(schema, typeNode as Parameters<typeof typeFromAST>[1]);
    // Defaults are rare: graphql-js knows best.
    if (!type || !isInputType(type) || defaultValue) return undefined;
    if (!Object.hasOwn(given, name)) {
      if (isNonNullType(type)) return undefined;
      continue;
    }
    const value = coerceValue(given[name], type);
    if (value === faulty) return undefined;
    coerced[name] = value;
  }
  return coerced;
}

const faulty = Symbol("a value that the schema does not take");

function coerceValue(value: unknown, type: GraphQLInputType): unknown {
  if (isNonNullType(type)) return value == null ? faulty : coerceValue(value, type.ofType);
  if (value == null) return null;
  if (isListType(type)) return Array.isArray(value) ? coerceList(value, type.ofType) : coerceList([value], type.ofType);
  if (isInputObjectType(type)) return typeof value === "object" ? coerceObject(value as Values, type) : faulty;
  try {
    const parsed: unknown = type.parseValue(value);
    return parsed === undefined ? faulty : parsed;
  } catch {
    // What is wrong is found out again, together with everything else that is.
    return faulty;
  }
}

function coerceList(values: readonly unknown[], type: GraphQLInputType): unknown {
  const coerced: unknown[] = [];
  for (const each of values) {
    const value = coerceValue(each, type);
    if (value === faulty) return faulty;
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
  if (type.isOneOf) return faulty;
  const coerced: Values = {};
  let known = 0;
  for (const { name, type, defaultValue } of fields) {
    if (given[name] === undefined) {
      if (defaultValue !== undefined) coerced[name] = defaultValue;
      else if (isNonNullType(type)) return faulty;
      continue;
    }
    const value = coerceValue(given[name], type);
    if (value === faulty) return faulty;
    coerced[name] = value;
    known += 1;
  }
  return Object.keys(given).length === known ? coerced : faulty;
}

function coerceWithFaults(schema: GraphQLSchema, operation: OperationDefinitionNode, given: Readonly<Values>): Values {
  const definitions = operation.variableDefinitions ?? [];
  const { coerced, errors } = getVariableValues(schema, definitions, given, { maxErrors: mostDetails });
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
    coerceFaults(given[name], type, (path, message) => details.push(inputFault([name, ...path], message)));
  }
  throw details.length > 0 ? badRequest(details) : new ServiceError("BAD_REQUEST", errors[0]?.message ?? "The variables are not right");
}

/** Reports what is wrong with a value, and stops looking once enough was found: a list may hold millions of faults. */
function coerceFaults(value: unknown, type: GraphQLInputType, report: (path: readonly (string | number)[], message: string) => void): void {
  let count = 0;
  try {
    coerceInputValue(value, type, (path, _value, error) => {
      report(path, error.message);
      count += 1;
      if (count >= mostDetails) throw error;
    });
  } catch (error) {
    if (count < mostDetails) throw error;
  }
}

/** graphql-js speaks to schema authors; a caller needs to know which value is wrong, and what is wrong with it. */
function inputFault(path: (string | number)[], message: string): ErrorDetail {
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
