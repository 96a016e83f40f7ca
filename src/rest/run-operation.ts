import { execute, type GraphQLSchema, specifiedRules, validate } from "graphql";
import { assertCan } from "../access/permissions.js";
import type { RequestContext } from "../access/request-context.js";
import { prepareOperation } from "../graphql/prepare.js";
import { inRequestTerms, toVariables } from "../http/input.js";
import type { RequestParts, Route } from "../http/route.js";
import { type ErrorCode, ServiceError, toServiceError } from "../platform/errors.js";
import { writeAnswer, writerOf } from "./answer.js";
import { type Shape, shapeAt, shapeOfOperation } from "./operation-shape.js";

/** A route whose operation was checked against the schema at the start. */
export interface PreparedRoute {
  route: Route;
  /** The shape of what is answered, inside the envelope. */
  shape: Shape;
  /** Runs the operation for an authenticated caller and answers the body. */
  run(context: RequestContext, input: RequestParts): Promise<unknown>;
}

/** Which of several failures is answered: the first of these. */
const precedence: ErrorCode[] = ["UNAUTHENTICATED", "RATE_LIMITED", "BAD_REQUEST", "NOT_FOUND", "FORBIDDEN", "CONFLICT", "UNAVAILABLE", "INTERNAL"];

/** Checks a route's operation and makes it ready to run in process, without HTTP in between. */
export function prepareRoute(schema: GraphQLSchema, route: Route): PreparedRoute {
  const document = route.operation;
  const [fault] = validate(schema, document, specifiedRules);
  if (fault) throw new Error(`The operation of ${route.method} ${route.path} does not fit the schema: ${fault.message}`);
  const shape = shapeAt(shapeOfOperation(schema, document), route.answer.from);
  const writer = writerOf(shape);
  return {
    route,
    shape,
    run: async (context, input) => {
      const variables = toVariables(route, input);
      checkVariables(schema, route, variables, context);
      const { data, errors } = await execute({ schema, document, contextValue: context, variableValues: variables });
      if (errors) {
        const report = (cause: unknown) => context.services.log.error({ err: cause, requestId: context.origin.id }, "an operation failed");
        const failures = errors.map((error) => inRequestTerms(route, toServiceError(error, report)));
        throw failures.sort((one, other) => precedence.indexOf(one.code) - precedence.indexOf(other.code))[0];
      }
      const body = writeAnswer(route, data, writer, input.query);
      if (route.permission && route.checkedAt) assertCan(context.caller, route.permission, String(input.path[route.checkedAt]));
      return body;
    },
  };
}

function checkVariables(schema: GraphQLSchema, route: Route, variables: Record<string, unknown>, context: RequestContext): void {
  try {
    // The operation is ours: its cost needs no limit, its arguments the same rules as everybody's.
    const limits = { cost: Number.POSITIVE_INFINITY, pageSize: context.services.settings.maximumPageSize };
    prepareOperation(schema, { document: route.operation, variables }, limits);
  } catch (error) {
    throw error instanceof ServiceError ? inRequestTerms(route, error) : error;
  }
}
