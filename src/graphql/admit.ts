import { GraphQLError, type GraphQLFormattedError, type GraphQLSchema, getOperationAST, OperationTypeNode } from "graphql";
import type { Session } from "../access/authenticator.js";
import { type CallerIdentity, unauthenticated } from "../access/credentials.js";
import { ServiceError, toServiceError } from "../platform/errors.js";
import type { Logger } from "../platform/log.js";
import { type AnonymousRequest, RequestContext } from "../request/request-context.js";
import { type OperationRequest, prepareOperation, selectsOnly } from "./prepare.js";

/** What decides on admission besides the operation itself. */
export interface AdmissionRules {
  /** Whether callers without credentials may read the schema. */
  allowAnonymousIntrospection: boolean;
  /** The types of operations that this transport runs. */
  operations: readonly OperationTypeNode[];
  /** The message for operations of other types. */
  rejectionMessage: string;
}

/** A request whose document has not been looked at yet. */
export interface IncomingOperation extends AnonymousRequest {
  /** Undefined without an Authorization header: the request has been counted against its address then. */
  readonly identity: CallerIdentity | undefined;
  /** The session of a request that was authenticated before its body was read. */
  readonly session?: Session | undefined;
}

/** Identifies the sender of a request before its document is read, so that invalid credentials are reported before an invalid document. */
export async function receiveOperation({ services, origin }: AnonymousRequest): Promise<IncomingOperation> {
  const { authenticator } = services;
  if (origin.authorization !== undefined) return { services, origin, identity: await authenticator.identify(origin) };
  await authenticator.rateLimitAnonymous(origin);
  return { services, origin, identity: undefined };
}

/**
 * Checks an operation, authenticates its caller and returns the context to run it in; an operation must not be run otherwise.
 * The order is part of the contract: credentials as far as they need no statement, then the operation, then the database.
 */
export async function admitOperation(
  schema: GraphQLSchema,
  request: OperationRequest,
  incoming: IncomingOperation,
  rules: AdmissionRules,
): Promise<AnonymousRequest | RequestContext> {
  const { services, origin } = incoming;
  const { authenticator, settings } = services;
  const needsCredentials = !selectsOnly(request, (name) => (name.startsWith("__") ? rules.allowAnonymousIntrospection : isPublic(schema, name)));
  const identity = needsCredentials ? incoming.identity : undefined;
  if (needsCredentials && !identity) throw unauthenticated("any");
  // Credentials that are ignored must not be a way around the limit for anonymous requests.
  if (!needsCredentials && incoming.identity) await authenticator.rateLimitAnonymous(origin);
  const operation = getOperationAST(request.document, request.operationName)?.operation;
  if (operation && !rules.operations.includes(operation)) throw new ServiceError("BAD_REQUEST", rules.rejectionMessage);
  prepareOperation(schema, request, { cost: settings.maxQueryCost, pageSize: settings.maxPageSize });
  if (!identity) return { services, origin };
  const authenticate = async () =>
    operation === OperationTypeNode.QUERY ? authenticator.authenticateFromCache(identity, origin) : authenticator.authenticate(identity, origin);
  return new RequestContext(incoming, incoming.session ?? (await authenticate()));
}

function isPublic(schema: GraphQLSchema, fieldName: string): boolean {
  return [schema.getQueryType(), schema.getMutationType()].some((root) => root?.getFields()[fieldName]?.extensions.public === true);
}

/** The error as the client may see it: a {@link ServiceError} with its code and details; anything else is masked and logged. */
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

/** The error of an operation that did not run, with the HTTP status and headers for Apollo Server to respond with. */
export function withHttpStatus(error: unknown, log: Logger): GraphQLError {
  const shown = toServiceError(error, (cause) => log.error({ err: cause }, "an operation could not be started"));
  return new GraphQLError(shown.message, {
    originalError: shown,
    extensions: { ...shown.extensions, http: { status: shown.status, headers: new Map(Object.entries(shown.headers)) } },
  });
}
