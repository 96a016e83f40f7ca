import {
  coerceInputValue,
  type DocumentNode,
  type GraphQLInputType,
  type GraphQLSchema,
  getOperationAST,
  getVariableValues,
  isInputType,
  isNonNullType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  typeFromAST,
  valueFromAST,
} from "graphql";
import { badRequest, type ErrorDetail, mostDetails, ServiceError } from "../platform/errors.js";
import { inspectOperation, type QueryLimits } from "./limits.js";

/** What a client asks to be run; the document is parsed and valid. */
export interface OperationRequest {
  document: DocumentNode;
  operationName?: string | null | undefined;
  variables?: Readonly<Record<string, unknown>> | null | undefined;
}

/** Checks variables, arguments and limits of an operation before anything is read. Both doors and every transport pass here. */
export function prepareOperation(schema: GraphQLSchema, request: OperationRequest, limits: QueryLimits): void {
  const operation = getOperationAST(request.document, request.operationName);
  if (!operation) throw new ServiceError("BAD_REQUEST", "The document has no operation of this name, or several and none was named");
  const variables = coerceVariables(schema, operation, request.variables ?? {});
  const details = inspectOperation(schema, request.document, operation, variables, limits);
  if (details.length > 0) throw badRequest(details);
}

/** Whether an operation reads nothing but the schema. */
export function asksForSchemaOnly({ document, operationName }: OperationRequest): boolean {
  const fragments = new Map(document.definitions.filter((each) => each.kind === Kind.FRAGMENT_DEFINITION).map((each) => [each.name.value, each]));
  const seen = new Set<string>();
  const asksNothingElse = ({ selections }: SelectionSetNode): boolean =>
    selections.every((selection) => {
      if (selection.kind === Kind.FIELD) return selection.name.value.startsWith("__");
      if (selection.kind === Kind.INLINE_FRAGMENT) return asksNothingElse(selection.selectionSet);
      const fragment = fragments.get(selection.name.value);
      if (!fragment || seen.has(selection.name.value)) return fragment !== undefined;
      seen.add(selection.name.value);
      return asksNothingElse(fragment.selectionSet);
    });
  const operation = getOperationAST(document, operationName);
  return operation != null && asksNothingElse(operation.selectionSet);
}

function coerceVariables(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  given: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
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
