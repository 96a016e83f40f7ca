import { type DocumentNode, type GraphQLSchema, getOperationAST, OperationTypeNode, specifiedRules, validate } from "graphql";
import { assertCan } from "../access/permissions.js";
import type { RequestContext } from "../access/request-context.js";
import type { ExecuteOperation } from "../graphql/execute.js";
import { prepareOperation } from "../graphql/prepare.js";
import { inRequestTerms, toVariables } from "../http/input.js";
import type { RequestParts, Route } from "../http/route.js";
import { type ErrorCode, notFound, ServiceError, toServiceError } from "../platform/errors.js";
import { writeAnswer, writerOf } from "./answer.js";
import { type Shape, shapeAt, shapeOfOperation } from "./operation-shape.js";

/** A route whose operation was checked against the schema at the start. */
export interface PreparedRoute {
  route: Route;
  /** The shape of what is answered, inside the envelope. */
  shape: Shape;
  /** Whether the operation changes nothing. */
  onlyReads: boolean;
  /** Finds what must be there before a form is read; NOT_FOUND, or FORBIDDEN, when it is not. */
  check(context: RequestContext, input: RequestParts): Promise<void>;
  /** Runs the operation for an authenticated caller and answers the body. */
  run(context: RequestContext, input: RequestParts): Promise<unknown>;
}

/** What runs operations: the same for both doors. */
export interface OperationRunner {
  schema: GraphQLSchema;
  execute: ExecuteOperation;
}

/** Which of several failures is answered: the first of these. */
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

/** Checks a route's operation and makes it ready to run in process, without HTTP in between. */
export function prepareRoute({ schema, execute }: OperationRunner, route: Route): PreparedRoute {
  assertFits(schema, route, route.operation);
  if (route.before) assertFits(schema, route, route.before.operation);
  const shape = shapeAt(shapeOfOperation(schema, route.operation), route.answer.from);
  const writer = writerOf(shape);
  const run = (route: Route, context: RequestContext, input: RequestParts) => runOperation({ schema, execute }, route, context, input);
  return {
    route,
    shape,
    onlyReads: getOperationAST(route.operation)?.operation === OperationTypeNode.QUERY,
    check: async (context, input) => {
      if (!route.before) return;
      const data = await run({ ...route, ...route.before }, context, input);
      if (route.before.from.reduce<unknown>((current, name) => (current as Record<string, unknown> | null)?.[name], data) == null) throw notFound();
    },
    run: async (context, input) => {
      const body = writeAnswer(route, await run(route, context, input), writer, input.query);
      if (route.permission && route.checkedAt) assertCan(context.caller, route.permission, String(input.path[route.checkedAt]));
      return body;
    },
  };
}

function assertFits(schema: GraphQLSchema, { method, path }: Route, document: DocumentNode): void {
  const [fault] = validate(schema, document, specifiedRules);
  if (fault) throw new Error(`An operation of ${method} ${path} does not fit the schema: ${fault.message}`);
}

async function runOperation({ schema, execute }: OperationRunner, route: Route, context: RequestContext, input: RequestParts): Promise<unknown> {
  const variables = toVariables(route, input);
  checkVariables(schema, route, variables, context);
  const { data, errors } = await execute({ document: route.operation, variables }, context);
  if (!errors) return data;
  const report = (cause: unknown) => context.services.log.error({ err: cause, requestId: context.origin.id }, "an operation failed");
  const failures = errors.map((error) => inRequestTerms(route, toServiceError(error, report)));
  throw failures.sort((one, other) => precedence.indexOf(one.code) - precedence.indexOf(other.code))[0];
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
