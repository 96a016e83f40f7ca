import { GraphQLError, type GraphQLFormattedError, type GraphQLSchema } from "graphql";
import { type AcceptedScheme, unauthenticated } from "../access/authenticate.js";
import type { RequestContext } from "../access/request-context.js";
import { toServiceError } from "../platform/errors.js";
import type { Logger } from "../platform/log.js";
import { type OperationRequest, type PreparedOperation, prepareOperation } from "./prepare.js";

/** What decides on admission besides the operation itself. */
export interface AdmissionRules {
  /** Whether the schema is shown to callers without credentials. */
  openIntrospection: boolean;
}

/** Checks an operation and finds out who asks. What passes here may be run; nothing else may. */
export async function admitOperation(
  schema: GraphQLSchema,
  request: OperationRequest,
  context: RequestContext,
  rules: AdmissionRules,
  accepted: AcceptedScheme = "any",
): Promise<PreparedOperation> {
  const { maximumQueryCost, maximumPageSize } = context.services.settings;
  let prepared: PreparedOperation;
  try {
    prepared = prepareOperation(schema, request, { cost: maximumQueryCost, pageSize: maximumPageSize });
  } catch (error) {
    // A caller without credentials learns that first: no credentials, no SQL, and one fault less to explain.
    if (context.origin.authorization === undefined) await refuseStranger(context, accepted);
    throw error;
  }
  if (prepared.introspectionOnly && rules.openIntrospection) {
    if (context.origin.authorization === undefined) await context.services.rateLimits.countAddress(context.origin.address);
    return prepared;
  }
  await context.authenticate(accepted);
  return prepared;
}

async function refuseStranger(context: RequestContext, accepted: AcceptedScheme): Promise<never> {
  await context.services.rateLimits.countAddress(context.origin.address);
  throw unauthenticated(accepted);
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
