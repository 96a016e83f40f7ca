import { type DocumentNode, type GraphQLSchema, getOperationAST, Kind } from "graphql";
import { badRequest, ServiceError } from "../platform/errors.js";
import { fragmentsOf, selectionReducer } from "../platform/selection-set.js";
import type { LogEntry } from "../platform/telemetry/log-entry.js";
import { inexactNumbers } from "./exact-numbers.js";
import { inspectOperation, type OperationSize, type QueryLimits } from "./limits.js";
import { coerceVariables } from "./variables.js";

/** An operation to run; the document is parsed and valid. */
export interface OperationRequest {
  document: DocumentNode;
  operationName?: string | null | undefined;
  variables?: Readonly<Record<string, unknown>> | null | undefined;
  /** The coerced values of the variables, if already known. */
  coercedVariables?: Readonly<Record<string, unknown>>;
  /** The root value. For a subscription, the record of the event. */
  root?: unknown;
}

/** An operation whose own checks have passed. */
export interface PreparedOperation {
  request: OperationRequest;
  size: OperationSize;
}

/**
 * Checks the variables, arguments and limits of an operation before anything is read, and
 * returns the operation with its size. The log records the cost even if it is too high.
 * Serves both APIs (GraphQL and REST) on every transport.
 */
export function prepareOperation(
  schema: GraphQLSchema,
  request: OperationRequest,
  limits: QueryLimits,
  logEntry: LogEntry,
): PreparedOperation {
  const operation = getOperationAST(request.document, request.operationName);
  if (!operation)
    throw new ServiceError(
      "BAD_REQUEST",
      "The document has no operation of this name, or has several and none was named",
    );
  const variables = request.variables ?? {};
  const coercedVariables = coerceVariables(schema, operation, variables);
  const inexact = inexactNumbers(schema, request.document, operation, variables);
  if (inexact.length > 0) throw badRequest(inexact);
  const { details, ...size } = inspectOperation(
    schema,
    request.document,
    operation,
    coercedVariables,
    limits,
  );
  logEntry.addCost(size.cost);
  if (details.length > 0) throw badRequest(details);
  return { request: { ...request, coercedVariables }, size };
}

/** Whether all root fields of an operation satisfy `isAllowed`. */
export function selectsOnly(
  { document, operationName }: OperationRequest,
  isAllowed: (fieldName: string) => boolean,
): boolean {
  const areAllAllowed = selectionReducer(
    fragmentsOf(document),
    () => true,
    (areAllowed, selection, inner = false) =>
      areAllowed && (selection.kind === Kind.FIELD ? isAllowed(selection.name.value) : inner),
  );
  const operation = getOperationAST(document, operationName);
  return operation != null && areAllAllowed(operation.selectionSet);
}
