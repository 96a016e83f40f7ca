import {
  coerceInputValue,
  type DocumentNode,
  type GraphQLSchema,
  getOperationAST,
  getVariableValues,
  isInputType,
  isNonNullType,
  type OperationDefinitionNode,
  typeFromAST,
  valueFromAST,
} from "graphql";
import { badRequest, type ErrorDetail, ServiceError } from "../platform/errors.js";
import { inspectOperation, type QueryLimits } from "./limits.js";

/** An operation that is ready to run, once its caller is known. */
export interface PreparedOperation {
  operation: OperationDefinitionNode;
  /** Whether it asks for the schema alone. */
  introspectionOnly: boolean;
}

/** What a client asks to be run; the document is parsed and valid. */
export interface OperationRequest {
  document: DocumentNode;
  operationName?: string | null | undefined;
  variables?: Readonly<Record<string, unknown>> | null | undefined;
}

/** Checks variables, arguments and limits of an operation before anything is read. Both doors and every transport pass here. */
export function prepareOperation(schema: GraphQLSchema, request: OperationRequest, limits: QueryLimits): PreparedOperation {
  const operation = getOperationAST(request.document, request.operationName);
  if (!operation) throw new ServiceError("BAD_REQUEST", "The document has no operation of this name, or several and none was named");
  const variables = coerceVariables(schema, operation, request.variables ?? {});
  const findings = inspectOperation(schema, request.document, operation, variables, limits);
  if (findings.details.length > 0) throw badRequest(findings.details);
  return { operation, introspectionOnly: findings.introspectionOnly };
}

function coerceVariables(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  given: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const definitions = operation.variableDefinitions ?? [];
  const { coerced, errors } = getVariableValues(schema, definitions, given, { maxErrors: 20 });
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
    coerceInputValue(given[name], type, (path, _value, error) => {
      details.push(inputFault([name, ...path], error.message));
    });
  }
  throw details.length > 0 ? badRequest(details.slice(0, 20)) : new ServiceError("BAD_REQUEST", errors[0]?.message ?? "The variables are not right");
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
