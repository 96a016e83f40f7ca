import { OperationTypeNode } from "graphql";
import { assertCan } from "../../engine/access/permissions.js";
import { assertCanRun } from "../../engine/access/strict-permissions.js";
import { toVariables, withRequestPaths } from "../../engine/route/input.js";
import type { RequestParts, Route } from "../../engine/route/route.js";
import { type ErrorCode, notFound, ServiceError, toServiceError } from "../../platform/errors/errors.js";
import type { AdmissionOptions, IncomingOperation } from "../graphql/admit.js";
import { OperationDocument } from "../graphql/operation-document.js";
import { runAdmitted } from "../graphql/run-admitted.js";
import { schema } from "../graphql/schema.js";
import { type Shape, shapeAt, shapeOfOperation } from "./operation-shape.js";
import { memberOf, responseBody, serializerOf } from "./response-body.js";

export interface PreparedRoute {
  route: Route;
  /** The shape of the data inside the envelope. */
  shape: Shape;
  onlyReads: boolean;
  /** Runs the lookup before a form is read. NOT_FOUND or FORBIDDEN if the lookup finds nothing. */
  check(incoming: IncomingOperation, input: RequestParts): Promise<void>;
  /** Runs the operation and returns the body of the response. */
  run(incoming: IncomingOperation, input: RequestParts): Promise<unknown>;
}

/** The gateway's own operations need no limit of their cost. */
const options: AdmissionOptions = {
  allowAnonymousIntrospection: false,
  operations: [OperationTypeNode.QUERY, OperationTypeNode.MUTATION],
  rejectionMessage: "Routes run no subscriptions",
  maxCost: Number.POSITIVE_INFINITY,
};

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

/** Prepares a route to run in process. Tests ensure that its operation fits the schema. */
export function prepareRoute(route: Route): PreparedRoute {
  const document = new OperationDocument(schema, route.operation);
  const shape = shapeAt(shapeOfOperation(schema, route.operation), route.response.from);
  const serialize = serializerOf(shape);
  return {
    route,
    shape,
    onlyReads: document.operation()?.type === OperationTypeNode.QUERY,
    check: precheckOf(route),
    run: async (incoming, input) => {
      const data = await runOperation(route, document, incoming, input);
      const body = responseBody(route, data, serialize, input.query);
      if (route.permission && route.facilityParameter)
        assertCan(callerOf(incoming), route.permission, String(input.path[route.facilityParameter]));
      return body;
    },
  };
}

function precheckOf(route: Route): PreparedRoute["check"] {
  const { precheck, lenientMutation } = route;
  if (!precheck) return async () => {};
  const document = new OperationDocument(schema, precheck.operation);
  return async (incoming, input) => {
    const data = await runOperation({ ...route, ...precheck }, document, incoming, input);
    if (precheck.from.reduce<unknown>((value, name) => memberOf(value, name), data) == null) throw notFound();
    if (lenientMutation)
      assertCanRun(
        callerOf(incoming),
        lenientMutation,
        String(input.path.facilityId),
        incoming.services.settings,
      );
  };
}

function callerOf({ sender }: IncomingOperation) {
  if (sender) return sender.caller;
  throw new Error("A permission can only be checked for a caller");
}

async function runOperation(
  route: Route,
  document: OperationDocument,
  incoming: IncomingOperation,
  input: RequestParts,
): Promise<unknown> {
  const request = { document, variables: toVariables(route, input) };
  const { services, origin } = incoming;
  const { data, errors } = await runAdmitted(request, incoming, options).catch((error) => {
    throw error instanceof ServiceError ? withRequestPaths(route, error) : error;
  });
  if (!errors) return data;
  const report = (cause: unknown) =>
    services.log.error(
      { err: cause, requestId: origin.id, traceId: origin.logEntry.trace?.traceId },
      "an operation failed",
    );
  const failures = errors.map((error) => withRequestPaths(route, toServiceError(error, report)));
  throw failures.sort((one, other) => precedence.indexOf(one.code) - precedence.indexOf(other.code))[0];
}
