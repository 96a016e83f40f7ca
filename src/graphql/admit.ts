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
import { type AnonymousRequest, RequestContext } from "../operation/request-context.js";
import { ServiceError, toServiceError } from "../platform/errors.js";
import type { Logger } from "../platform/telemetry/log.js";
import { type OperationRequest, type PreparedOperation, prepareOperation, selectsOnly } from "./prepare.js";

/** What decides on admission besides the operation itself. */
export interface AdmissionRules {
  /** Whether callers without credentials may read the schema. */
  allowAnonymousIntrospection: boolean;
  /** The types of operations that this transport runs. */
  operations: readonly OperationTypeNode[];
  /** The message for operations of other types. */
  rejectionMessage: string;
}

/**
 * A request whose sender is known, and has been counted, but whose document has not been
 * looked at yet.
 */
export interface IncomingOperation extends AnonymousRequest {
  /** The session of its sender; undefined without an Authorization header. */
  readonly sender: Session | undefined;
  /** Whether a resolver receives a file, with the rest of the body. */
  readonly isUpload?: boolean;
}

/**
 * Authenticates the sender of an operation before its document or even its body is read:
 * work is done only for requests that have been counted.
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

/** An operation that may be run, and in which context. */
export interface AdmittedOperation extends PreparedOperation {
  context: AnonymousRequest | RequestContext;
}

/**
 * Checks an operation and returns what to run in which context; an operation must not be
 * run otherwise. The order is part of the contract: the sender first, by
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
    name.startsWith("__") ? rules.allowAnonymousIntrospection : isPublic(schema, name),
  );
  const session = needsCredentials ? incoming.sender : undefined;
  if (needsCredentials && !session) {
    logEntry.authenticationFailure = "no credentials";
    throw unauthenticated("any", "no credentials");
  }
  // Credentials that are ignored must not be a way around the limit for anonymous
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
  // Queries, and mutations that check it before they commit, can be run again if a cached
  // caller has changed; others need one who is current.
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

function isPublic(schema: GraphQLSchema, fieldName: string): boolean {
  return [schema.getQueryType(), schema.getMutationType()].some(
    (root) => root?.getFields()[fieldName]?.extensions.public === true,
  );
}

/**
 * The error as the client may see it: a {@link ServiceError} with its code and what
 * belongs to that; anything else is masked and logged.
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
