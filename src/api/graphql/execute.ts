import { type ExecutionResult, GraphQLError, execute as graphqlJs, OperationTypeNode, print } from "graphql";
import { KeyedRequest } from "../../engine/operation/idempotency.js";
import { type GatewayRequest, RequestContext } from "../../engine/operation/request-context.js";
import {
  NotSetUpError,
  ServiceError,
  toServiceError,
  UnsafeRetryError,
} from "../../platform/errors/errors.js";
import { isRecord } from "../../platform/record.js";
import type { PreparedOperation } from "./admit.js";

type Result = ExecutionResult<Record<string, unknown>>;

/** Runs an operation that was admitted. PostgreSQL executes it if it can write the answer, and graphql-js otherwise. */
export function execute(request: PreparedOperation, context: GatewayRequest): Promise<Result> {
  const run = () => withKey(request, context, () => runUntilComplete(request, context));
  const { trace } = context.origin.logEntry;
  if (!trace) return run();
  const { type, name } = request.operation;
  return trace.operation({ type, name }, run, ({ errors }) => errors?.[0]);
}

async function runOnce(request: PreparedOperation, context: GatewayRequest): Promise<Result> {
  const answered = request.operation.plan();
  const result = await answered?.run(context, request);
  if (result) return result;
  if (answered && context instanceof RequestContext) context.answerSize.restart();
  return withoutExcessErrors(await executeByGraphqlJs(request, context));
}

const isMutation = ({ operation }: PreparedOperation): boolean =>
  operation.type === OperationTypeNode.MUTATION;

/** Runs a mutation under the idempotency key that its caller sent, if any. */
function withKey(
  request: PreparedOperation,
  context: GatewayRequest,
  run: () => Promise<Result>,
): Promise<Result> {
  const { origin, services } = context;
  const key = origin.idempotencyKey;
  if (key === undefined || !(context instanceof RequestContext) || !isMutation(request)) return run();
  const { document, operationName = null, variables } = request;
  const description = JSON.stringify([print(document.ast), operationName, variables ?? {}], withoutFiles);
  context.keyedRequest = new KeyedRequest(services.idempotencyKeys, key, description);
  return services.idempotencyKeys.run(context.caller, key, run);
}

/** Files are not plain objects, and their content has not arrived yet. */
function withoutFiles(_name: string, value: unknown): unknown {
  if (!isRecord(value)) return value;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype ? value : null;
}

/** The maximum number of runs of an operation. Each leaves out the rows that were missing before. */
const maxRuns = 5;

/**
 * Runs an operation, and again if rows referred to missing rows, or if the result of a mutation could not be read. The
 * next run leaves out references to missing rows, since the client did not ask for these. A mutation does not change
 * anything again: only the selection of its result is read again.
 */
async function runUntilComplete(request: PreparedOperation, context: GatewayRequest): Promise<Result> {
  const result = await runOnce(request, context);
  if (!(context instanceof RequestContext)) return result;
  const complete = isIncomplete(context, result) ? await runAgain(request, context, result) : result;
  if (!complete.errors || !context.hasWritten()) return complete;
  return { ...complete, errors: complete.errors.map((error) => withoutUnsafeAdvice(context, error)) };
}

async function runAgain(
  request: PreparedOperation,
  first: RequestContext,
  firstResult: Result,
): Promise<Result> {
  let [context, result] = [first, firstResult];
  try {
    for (let runs = 1; isIncomplete(context, result); runs += 1) {
      if (runs === maxRuns)
        throw new ServiceError(
          "UNAVAILABLE",
          "What the answer refers to is being deleted; it is safe to retry",
          { retryAfter: 1 },
        );
      context = await context.again();
      result = await runOnce(request, context);
    }
  } catch (error) {
    // Report the result of a mutation, even if reading it again failed.
    if (!isMutation(request)) throw error;
  }
  return result;
}

const isIncomplete = (context: RequestContext, { errors }: Result): boolean =>
  context.missing.hasNew ||
  (errors?.some((error) => isUnavailableError(error) && context.hasWritten(fieldOf(error))) ?? false);

const fieldOf = ({ path }: GraphQLError): string => String(path?.[0]);

const isUnavailableError = (error: GraphQLError): boolean =>
  toServiceError(error, () => {}).code === "UNAVAILABLE";

/** After a write, no error may say that it is safe to retry the whole request. */
function withoutUnsafeAdvice(context: RequestContext, error: GraphQLError): GraphQLError {
  const { originalError } = error;
  const needsNoChange = originalError instanceof UnsafeRetryError || originalError instanceof NotSetUpError;
  if (!isUnavailableError(error) || needsNoChange) return error;
  const message = context.hasWritten(fieldOf(error))
    ? "The change was made, but what was selected of it could not be read"
    : "The service is temporarily unavailable: this change was not made, but those before it were; it is safe to retry it without them";
  const { nodes = null, path = null } = error;
  return new GraphQLError(message, {
    nodes,
    path,
    originalError: new UnsafeRetryError(message, { cause: error.originalError ?? error }),
  });
}

async function executeByGraphqlJs(
  { document, operationName, variables, root }: PreparedOperation,
  context: GatewayRequest,
): Promise<Result> {
  return await graphqlJs({
    schema: document.schema,
    document: document.ast,
    operationName,
    rootValue: root,
    contextValue: context,
    variableValues: variables,
  });
}

/** The maximum number of errors in a result. A list may have one for each object. */
const maxErrors = 100;

/** The result with its first errors. Further errors would tell the client nothing new, and take long to format. */
function withoutExcessErrors<Result extends ExecutionResult>(result: Result): Result {
  return result.errors && result.errors.length > maxErrors
    ? { ...result, errors: result.errors.slice(0, maxErrors) }
    : result;
}
