import {
  type GraphQLError,
  type GraphQLFormattedError,
  type GraphQLSchema,
  getOperationAST,
  OperationTypeNode,
} from "graphql";
import type { Session } from "../access/authenticator.js";
import { isCheckedInTransaction } from "../access/checked-in-transaction.js";
import { unauthenticated } from "../access/credentials.js";
import { serviceField } from "../federation/subgraph.js";
import { type AnonymousRequest, RequestContext } from "../operation/request-context.js";
import { ServiceError, toServiceError } from "../platform/errors.js";
import type { Logger } from "../platform/telemetry/log.js";
import { type OperationRequest, type PreparedOperation, prepareOperation, selectsOnly } from "./prepare.js";

/** The rules of admission, besides the operation itself. */
export interface AdmissionRules {
  /** Whether callers without credentials may read the schema. */
  allowAnonymousIntrospection: boolean;
  /** The types of operations that this transport runs. */
  operations: readonly OperationTypeNode[];
  /** The message for operations of other types. */
  rejectionMessage: string;
}

/** A request whose sender is known and counted, before its document is read. */
export interface IncomingOperation extends AnonymousRequest {
  /** The session of the sender; undefined without an Authorization header. */
  readonly sender: Session | undefined;
  /** Whether a resolver receives a file with the rest of the body. */
  readonly isUpload?: boolean;
}

/**
 * Authenticates the sender of an operation before its document or even its body is read.
 * Only counted requests cause work.
 */
export async function receiveOperation({ services, origin }: AnonymousRequest): Promise<IncomingOperation> {
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

/** An operation that may run, with its context. */
export interface AdmittedOperation extends PreparedOperation {
  context: AnonymousRequest | RequestContext;
}

/**
 * Checks an operation, and returns the operation to run with its context. No operation
 * may run without this check. The order of checks is part of the contract: the sender in
 * {@link receiveOperation}, then the operation, then the database.
 */
export async function admitOperation(
  schema: GraphQLSchema,
  request: OperationRequest,
  incoming: IncomingOperation,
  rules: AdmissionRules,
): Promise<AdmittedOperation> {
  const { services, origin } = incoming;
  const { authenticator, settings } = services;
  const { logEntry } = origin;
  const operation = getOperationAST(request.document, request.operationName);
  if (operation) logEntry.operation = { type: operation.operation, name: operation.name?.value };
  const needsCredentials = !selectsOnly(request, (name) =>
    isIntrospection(name) ? rules.allowAnonymousIntrospection : isPublic(schema, name),
  );
  const session = needsCredentials ? incoming.sender : undefined;
  if (needsCredentials && !session) {
    logEntry.authenticationFailure = "no credentials";
    throw unauthenticated("any", "no credentials");
  }
  // Credentials that the operation does not need must not bypass the limit for anonymous
  // requests.
  if (!needsCredentials && incoming.sender) await authenticator.rateLimitAnonymous(origin);
  if (operation && !rules.operations.includes(operation.operation))
    throw new ServiceError("BAD_REQUEST", rules.rejectionMessage);
  const prepared = prepareOperation(
    schema,
    request,
    { cost: settings.maxQueryCost, pageSize: settings.maxPageSize },
    logEntry,
  );
  if (!session) return { ...prepared, context: { services, origin } };
  // If a cached caller has changed, queries and mutations that check the caller before
  // their commit can run again. Other operations need a current caller.
  const canRunAgain =
    operation?.operation === OperationTypeNode.QUERY ||
    (operation?.operation === OperationTypeNode.MUTATION &&
      selectsOnly(request, (name) => isCheckedInTransaction(schema, name)));
  const isUsable = canRunAgain || !session.check;
  return {
    ...prepared,
    context: new RequestContext(
      incoming,
      isUsable ? session : await authenticator.revalidate(session, origin),
    ),
  };
}

/** Whether a root field shows the schema. */
const isIntrospection = (fieldName: string) => fieldName.startsWith("__") || fieldName === serviceField;

function isPublic(schema: GraphQLSchema, fieldName: string): boolean {
  return [schema.getQueryType(), schema.getMutationType()].some(
    (root) => root?.getFields()[fieldName]?.extensions.public === true,
  );
}

/**
 * The error that the client may see: a {@link ServiceError} with its code and details.
 * Any other error is masked and logged.
 */
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
