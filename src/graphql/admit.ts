import { GraphQLError, type GraphQLFormattedError, type GraphQLSchema, getOperationAST, OperationTypeNode } from "graphql";
import type { RequestContext } from "../access/request-context.js";
import { ServiceError, toServiceError } from "../platform/errors.js";
import type { Logger } from "../platform/log.js";
import { asksForNothingBut, type OperationRequest, prepareOperation } from "./prepare.js";

/** What decides on admission besides the operation itself. */
export interface AdmissionRules {
  /** Whether the schema is shown to callers without credentials. */
  openIntrospection: boolean;
  /** What may be run here. */
  operations: readonly OperationTypeNode[];
  /** What is said of other operations. */
  otherwise: string;
}

/**
 * Checks an operation and finds out who asks. What passes here may be run; nothing else may. Credentials are looked at
 * first, then the operation, and only then the database.
 */
export async function admitOperation(
  schema: GraphQLSchema,
  request: OperationRequest,
  context: RequestContext,
  rules: AdmissionRules,
): Promise<void> {
  const isOpen = asksForNothingBut(request, (name) => (name.startsWith("__") ? rules.openIntrospection : isOpenToAll(schema, name)));
  // Credentials that nobody looks at must not buy a way around the limits.
  if (isOpen) await context.countStranger();
  else await context.readClaim();
  const operation = getOperationAST(request.document, request.operationName)?.operation;
  if (operation && !rules.operations.includes(operation)) throw new ServiceError("BAD_REQUEST", rules.otherwise);
  const { maximumQueryCost, maximumPageSize } = context.services.settings;
  prepareOperation(schema, request, { cost: maximumQueryCost, pageSize: maximumPageSize });
  if (isOpen) return;
  if (operation === OperationTypeNode.QUERY) await context.recognize();
  else await context.authenticate();
}

function isOpenToAll(schema: GraphQLSchema, fieldName: string): boolean {
  return [schema.getQueryType(), schema.getMutationType()].some((root) => root?.getFields()[fieldName]?.extensions.openToAll === true);
}

/** Meets a request before its document is read: without credentials it counts against the address, bad ones are refused. */
export async function meetStranger(context: RequestContext): Promise<void> {
  if (context.origin.authorization === undefined) await context.countStranger();
  else await context.readClaim();
}

/** The error as the client may see it: ours with its code and details, everything else masked and logged. */
export function presentError(error: GraphQLError, log: Logger): GraphQLFormattedError {
  const shown = toServiceError(error, (cause) => log.error({ err: cause, path: error.path }, "an operation failed"));
  const { locations, path } = error;
  return {
    message: shown.message,
    ...(locations && { locations }),
    ...(path && { path }),
    extensions: { code: shown.code, ...(shown.details && { details: shown.details }) },
  };
}

/** A refusal before the operation ran, with the HTTP status and headers that Apollo Server is to answer with. */
export function refusal(error: unknown, log: Logger): GraphQLError {
  const shown = toServiceError(error, (cause) => log.error({ err: cause }, "an operation could not be started"));
  return new GraphQLError(shown.message, {
    originalError: shown,
    extensions: { ...shown.extensions, http: { status: shown.status, headers: new Map(Object.entries(shown.headers)) } },
  });
}
