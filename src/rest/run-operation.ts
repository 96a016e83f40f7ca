import { type GraphQLSchema, getOperationAST, OperationTypeNode } from "graphql";
import { assertCan, type Caller } from "../access/permissions.js";
import { assertCanRun } from "../access/strict-permissions.js";
import type { ExecuteOperation } from "../graphql/execute.js";
import { type PreparedOperation, prepareOperation } from "../graphql/prepare.js";
import { type AnonymousRequest, RequestContext } from "../operation/request-context.js";
import { inPlace } from "../operation/run-in-place.js";
import { type ErrorCode, notFound, ServiceError, toServiceError } from "../platform/errors.js";
import { toVariables, withRequestPaths } from "../route/input.js";
import type { RequestParts, Route } from "../route/route.js";
import { type Shape, shapeAt, shapeOfOperation } from "./operation-shape.js";
import { memberOf, responseBody, serializerOf } from "./response-body.js";

/** A route that is ready to run. */
export interface PreparedRoute {
  route: Route;
  /** The shape of the data inside the envelope. */
  shape: Shape;
  /** Whether the operation is a query. */
  onlyReads: boolean;
  /**
   * Runs the lookup before a form is read. NOT_FOUND or FORBIDDEN if the lookup finds
   * nothing.
   */
  check(context: AnonymousRequest, input: RequestParts): Promise<void>;
  /** Runs the operation and returns the body of the response. */
  run(context: AnonymousRequest, input: RequestParts): Promise<unknown>;
}

/** Runs the operations of both APIs (GraphQL and REST). */
export interface OperationRunner {
  schema: GraphQLSchema;
  execute: ExecuteOperation;
}

/** The order of errors: of several, the first in this list is reported. */
const precedence: ErrorCode[] = [
  "UNAUTHENTICATED",
  "RATE_LIMITED",
  "PAYLOAD_TOO_LARGE",
  "UNSUPPORTED_MEDIA_TYPE",
  "BAD_REQUEST",
  "NOT_FOUND",
  "FORBIDDEN",
  "CONFLICT",
  "UNAVAILABLE",
  "INTERNAL",
];

/**
 * Prepares a route to run in process. Tests ensure that its operation fits the schema.
 */
export function prepareRoute({ schema, execute }: OperationRunner, route: Route): PreparedRoute {
  const shape = shapeAt(shapeOfOperation(schema, route.operation), route.response.from);
  const serialize = serializerOf(shape);
  const run = (route: Route, context: AnonymousRequest, input: RequestParts) =>
    runOperation({ schema, execute }, route, context, input);
  return {
    route,
    shape,
    onlyReads: getOperationAST(route.operation)?.operation === OperationTypeNode.QUERY,
    check: async (context, input) => {
      if (!route.precheck) return;
      const data = await run({ ...route, ...route.precheck }, context, input);
      if (route.precheck.from.reduce<unknown>((value, name) => memberOf(value, name), data) == null)
        throw notFound();
      if (route.lenientMutation)
        assertCanRun(
          callerOf(context),
          route.lenientMutation,
          String(input.path.facilityId),
          context.services.settings,
        );
    },
    run: async (context, input) => {
      const body = responseBody(route, await run(route, context, input), serialize, input.query);
      if (route.permission && route.facilityParameter)
        assertCan(callerOf(context), route.permission, String(input.path[route.facilityParameter]));
      return body;
    },
  };
}

function callerOf(context: AnonymousRequest): Caller {
  if (context instanceof RequestContext) return context.caller;
  throw new Error("A permission can only be checked for a caller");
}

async function runOperation(
  { schema, execute }: OperationRunner,
  route: Route,
  context: AnonymousRequest,
  input: RequestParts,
): Promise<unknown> {
  const operation = getOperationAST(route.operation);
  if (operation)
    context.origin.logEntry.operation = { type: operation.operation, name: operation.name?.value };
  const { request, size } = prepare(schema, route, toVariables(route, input), context);
  const { data, errors } = await inPlace(context, () => execute(request, context), size.objects);
  if (!errors) return data;
  const report = (cause: unknown) =>
    context.services.log.error(
      { err: cause, requestId: context.origin.id, traceId: context.origin.logEntry.trace?.traceId },
      "an operation failed",
    );
  const failures = errors.map((error) => withRequestPaths(route, toServiceError(error, report)));
  throw failures.sort((one, other) => precedence.indexOf(one.code) - precedence.indexOf(other.code))[0];
}

function prepare(
  schema: GraphQLSchema,
  route: Route,
  variables: Record<string, unknown>,
  context: AnonymousRequest,
): PreparedOperation {
  const { services, origin } = context;
  try {
    // The gateway's own operations need no cost limit. Their arguments follow the same
    // rules as in GraphQL.
    const limits = { cost: Number.POSITIVE_INFINITY, pageSize: services.settings.maxPageSize };
    return prepareOperation(schema, { document: route.operation, variables }, limits, origin.logEntry);
  } catch (error) {
    throw error instanceof ServiceError ? withRequestPaths(route, error) : error;
  }
}
