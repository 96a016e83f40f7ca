import { GraphQLError, type GraphQLFormattedError, type GraphQLSchema } from "graphql";
import type { RequestContext } from "../access/request-context.js";
import { toServiceError } from "../platform/errors.js";
import type { Logger } from "../platform/log.js";
import { asksForSchemaOnly, type OperationRequest, prepareOperation } from "./prepare.js";

/** What decides on admission besides the operation itself. */
export interface AdmissionRules {
  /** Whether the schema is shown to callers without credentials. */
  openIntrospection: boolean;
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
  const isOpen = rules.openIntrospection && asksForSchemaOnly(request);
  if (!isOpen) await context.readClaim();
  const { maximumQueryCost, maximumPageSize } = context.services.settings;
  prepareOperation(schema, request, { cost: maximumQueryCost, pageSize: maximumPageSize });
  if (!isOpen) await context.authenticate();
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
