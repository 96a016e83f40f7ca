import {
  type GraphQLError,
  type GraphQLFormattedError,
  type GraphQLSchema,
  OperationTypeNode,
} from "graphql";
import type { Session } from "../../engine/access/authenticator.js";
import { isCheckedInTransaction } from "../../engine/access/checked-in-transaction.js";
import { unauthenticated } from "../../engine/access/credentials.js";
import type { GatewayRequest } from "../../engine/operation/request-context.js";
import { badRequest, ServiceError, toServiceError } from "../../platform/errors/errors.js";
import type { Logger } from "../../platform/telemetry/log.js";
import type { LogEntry } from "../../platform/telemetry/log-entry.js";
import { serviceField } from "../federation/subgraph.js";
import type { OperationSize, QueryLimits } from "./limits.js";
import type { Operation, OperationDocument } from "./operation-document.js";
import { coerceVariables } from "./variables.js";

export interface OperationRequest {
  document: OperationDocument;
  operationName?: string | null | undefined;
  variables?: Readonly<Record<string, unknown>> | null | undefined;
  /** Whether the data is needed as values; otherwise members of it may be JSON as text. */
  asValues?: boolean;
}

/** An operation whose own checks have passed. */
export interface PreparedOperation extends OperationRequest {
  operation: Operation;
  /** The values of its variables as resolvers get them. */
  coerced: Readonly<Record<string, unknown>>;
  size: OperationSize;
  /** The root value. For a subscription, the record of the event. */
  root?: unknown;
}

/** What a transport admits, besides the operation itself. */
export interface AdmissionOptions {
  /** Whether callers without credentials may read the schema. */
  allowAnonymousIntrospection: boolean;
  /** The types of operations that this transport runs. */
  operations: readonly OperationTypeNode[];
  /** The message for operations of other types. */
  rejectionMessage: string;
  /** The highest cost, if it is not that of the settings. */
  maxCost?: number;
}

/** A request whose sender is known and counted, before its document is read. */
export interface IncomingOperation extends GatewayRequest {
  /** The session of the sender; undefined without an Authorization header. */
  readonly sender: Session | undefined;
  /** Whether a resolver receives a file with the rest of the body. */
  readonly isUpload?: boolean;
}

/** Authenticates the sender of an operation before its document or body is read: only counted requests cause work. */
export async function authenticateRequest({ services, origin }: GatewayRequest): Promise<IncomingOperation> {
  const { authenticator } = services;
  if (origin.authorization !== undefined) {
    return {
      services,
      origin,
      sender: await authenticator.authenticateFromCache(await authenticator.identify(origin), origin),
    };
  }
  await authenticator.rateLimitAnonymous(origin);
  return { services, origin, sender: undefined };
}

interface AdmittedOperation extends PreparedOperation {
  /** The session of the caller; undefined if the operation needs none. */
  session: Session | undefined;
}

/**
 * Checks an operation, and returns it ready to run. No operation may run without this check, whichever API and
 * transport it came by. The order of checks is part of the contract: the sender in {@link authenticateRequest}, then the
 * operation, then the database.
 */
export async function admitOperation(
  request: OperationRequest,
  { services, origin, sender }: IncomingOperation,
  options: AdmissionOptions,
): Promise<AdmittedOperation> {
  const { authenticator, settings } = services;
  const { logEntry } = origin;
  const { schema } = request.document;
  const operation = request.document.operation(request.operationName);
  if (operation) logEntry.operation = { type: operation.type, name: operation.name };
  const selectsOnly = (isAllowed: (fieldName: string) => boolean) =>
    operation !== undefined && [...operation.rootFields].every(isAllowed);
  const needsCredentials = !selectsOnly((name) =>
    isIntrospection(name) ? options.allowAnonymousIntrospection : isPublic(schema, name),
  );
  const session = needsCredentials ? sender : undefined;
  if (needsCredentials && !session) {
    logEntry.authenticationFailure = "no credentials";
    throw unauthenticated("any", "no credentials");
  }
  // Credentials that the operation does not need must not bypass the limit for anonymous requests.
  if (!needsCredentials && sender) await authenticator.rateLimitAnonymous(origin);
  if (operation && !options.operations.includes(operation.type))
    throw new ServiceError("BAD_REQUEST", options.rejectionMessage);
  const limits = { cost: options.maxCost ?? settings.maxQueryCost, pageSize: settings.maxPageSize };
  const prepared = prepareOperation(request, limits, logEntry);
  // If a cached caller has changed, queries and mutations that check the caller before their commit can run again.
  // Other operations need a current caller.
  const canRunAgain =
    operation?.type === OperationTypeNode.QUERY ||
    (operation?.type === OperationTypeNode.MUTATION &&
      selectsOnly((name) => isCheckedInTransaction(schema, name)));
  const isUsable = canRunAgain || !session?.check;
  return { ...prepared, session: isUsable ? session : await authenticator.revalidate(session, origin) };
}

/** Checks variables, arguments and limits before anything is read. The log records the cost even if it is too high. */
export function prepareOperation(
  request: OperationRequest,
  limits: QueryLimits,
  logEntry: LogEntry,
): PreparedOperation {
  const operation = request.document.operation(request.operationName);
  if (!operation)
    throw new ServiceError(
      "BAD_REQUEST",
      "The document has no operation of this name, or has several and none was named",
    );
  const coerced = coerceVariables(operation.variables, request.variables ?? {});
  const { details, ...size } = operation.inspector.inspect(coerced, limits);
  logEntry.addCost(size.cost);
  if (details.length > 0) throw badRequest(details);
  return { ...request, operation, coerced, size };
}

/** Whether a root field shows the schema. */
const isIntrospection = (fieldName: string) => fieldName.startsWith("__") || fieldName === serviceField;

function isPublic(schema: GraphQLSchema, fieldName: string): boolean {
  return [schema.getQueryType(), schema.getMutationType()].some(
    (root) => root?.getFields()[fieldName]?.extensions.public === true,
  );
}

/** The error that the client may see: a {@link ServiceError} as it is; any other error is masked and logged. */
export function presentError(error: GraphQLError, log: Logger): GraphQLFormattedError {
  const shown = toServiceError(error, (cause) =>
    log.error({ err: cause, path: error.path }, "an operation failed"),
  );
  const { locations, path } = error;
  return {
    message: shown.message,
    ...(locations && { locations }),
    ...(path && { path }),
    extensions: { ...shown.extensions },
  };
}
