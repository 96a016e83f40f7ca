import {
  type DocumentNode,
  type ExecutionResult,
  execute,
  GraphQLError,
  GraphQLScalarType,
  type GraphQLSchema,
  getOperationAST,
  Kind,
  type NamedTypeNode,
  type OperationDefinitionNode,
  OperationTypeNode,
  print,
  visit,
} from "graphql";
import { LRUCache } from "lru-cache";
import { KeyedRequest } from "../operation/idempotency.js";
import { type AnonymousRequest, RequestContext } from "../operation/request-context.js";
import { NotSetUpError, ServiceError, toServiceError, UnsafeRetryError } from "../platform/errors.js";
import type { RequestTrace } from "../platform/telemetry/tracing.js";
import { type AnsweredOperation, answeredOperation } from "./answered-operation.js";
import { heapBytesOf } from "./documents.js";
import type { OperationRequest } from "./prepare.js";
import { coerceVariables } from "./variables.js";

/** Runs an operation that was admitted. */
export type ExecuteOperation = (
  request: OperationRequest,
  context: AnonymousRequest,
) => Promise<ExecutionResult<Record<string, unknown>>>;

/** The maximum size of the planned operations of clients in the heap. */
export const maxAnsweredBytes = 32 * 1024 * 1024;
/**
 * A field of a nested list was measured to take 485 bytes in a plan, and about 310 in the
 * statement for each kind of caller. There are a few kinds.
 */
const bytesPerField = 2_000;

type Result = ExecutionResult<Record<string, unknown>>;

/**
 * Creates an executor. When an operation runs for the first time, the executor decides
 * who executes it: PostgreSQL, if it can write the answer, and graphql-js otherwise. The
 * executor forgets the least recently used operations when all of them would take more
 * than `maxBytes` of the heap. It compares documents by reference, because whoever parses
 * documents caches them.
 */
export function createExecutor(schema: GraphQLSchema, maxBytes = Number.MAX_SAFE_INTEGER): ExecuteOperation {
  const answered = new LRUCache<
    OperationDefinitionNode,
    { operation: AnsweredOperation | undefined; bytes: number }
  >({
    maxSize: maxBytes,
    sizeCalculation: ({ bytes }) => bytes,
  });
  /** The operation if it can run without graphql-js. */
  const answeredBy = (
    operation: OperationDefinitionNode,
    document: DocumentNode,
  ): AnsweredOperation | undefined => {
    const known = answered.get(operation);
    if (known) return known.operation;
    const found = answeredOperation(schema, document, operation);
    answered.set(operation, {
      operation: found,
      bytes: heapBytesOf(document) + bytesPerField * (found?.size ?? 0),
    });
    return found;
  };
  const executeByGraphqlJs = graphqlJsExecution(schema);
  const run: ExecuteOperation = async (request, context) => {
    const { document, operationName, variables, root } = request;
    const operation = getOperationAST(document, operationName) as OperationDefinitionNode;
    const { coercedVariables = coerceVariables(schema, operation, variables ?? {}) } = request;
    const found = answeredBy(operation, document);
    const result = await found?.run(context, coercedVariables, root);
    if (result) return result as Result;
    if (found && context instanceof RequestContext) context.answerSize.restart();
    return withoutExcessErrors(await executeByGraphqlJs({ ...request, coercedVariables }, context));
  };
  const runKeyed: ExecuteOperation = (request, context) =>
    withKey(request, context, () => runUntilComplete(run, request, context));
  return (request, context) => {
    const { trace } = context.origin.logEntry;
    return trace ? traced(trace, request, () => runKeyed(request, context)) : runKeyed(request, context);
  };
}

const isMutation = ({ document, operationName }: OperationRequest): boolean =>
  getOperationAST(document, operationName)?.operation === OperationTypeNode.MUTATION;

/** Runs a mutation under the idempotency key that its caller sent, if any. */
function withKey(
  request: OperationRequest,
  context: AnonymousRequest,
  run: () => Promise<Result>,
): Promise<Result> {
  const { origin, services } = context;
  const key = origin.idempotencyKey;
  if (key === undefined || !(context instanceof RequestContext) || !isMutation(request)) return run();
  const { document, operationName = null, variables } = request;
  const description = JSON.stringify([print(document), operationName, variables ?? {}], withoutFiles);
  context.keyedRequest = new KeyedRequest(services.idempotencyKeys, key, description);
  return services.idempotencyKeys.run(context.caller, key, run);
}

/** Files are not plain objects, and their content has not arrived yet. */
function withoutFiles(_name: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype ? value : null;
}

/**
 * The maximum number of runs of an operation. Each leaves out the rows that were missing
 * before.
 */
const maxRuns = 5;

/**
 * Runs an operation. Runs it again if rows referred to missing rows, or if the result of
 * a mutation could not be read. The next run leaves out references to missing rows, since
 * the client did not ask for these. A mutation does not change anything again: only the
 * selection of its result is read again.
 */
async function runUntilComplete(
  run: ExecuteOperation,
  request: OperationRequest,
  context: AnonymousRequest,
): Promise<Result> {
  const result = await run(request, context);
  if (!(context instanceof RequestContext)) return result;
  const complete = isIncomplete(context, result) ? await runAgain(run, request, context, result) : result;
  if (!complete.errors || !context.hasWritten()) return complete;
  return { ...complete, errors: complete.errors.map((error) => withoutUnsafeAdvice(context, error)) };
}

async function runAgain(
  run: ExecuteOperation,
  request: OperationRequest,
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
      result = await run(request, context);
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

/** The type of variables whose values are already coerced. */
const coercedValue = new GraphQLScalarType({ name: "CoercedValue", parseValue: (value) => value });

/**
 * Executes operations by graphql-js with variables that are already coerced. Coercing a
 * batch of 500 alerts takes graphql-js 21 ms, and variables.ts 1.5 ms.
 */
function graphqlJsExecution(schema: GraphQLSchema) {
  const schemaWithType: GraphQLSchema = Object.create(schema, {
    getType: { value: (name: string) => (name === coercedValue.name ? coercedValue : schema.getType(name)) },
  });
  const type: NamedTypeNode = { kind: Kind.NAMED_TYPE, name: { kind: Kind.NAME, value: coercedValue.name } };
  const documents = new WeakMap<DocumentNode, DocumentNode>();
  const takingCoercedValues = (document: DocumentNode): DocumentNode => {
    const known = documents.get(document);
    if (known) return known;
    const taking = visit(document, {
      [Kind.VARIABLE_DEFINITION]: ({ defaultValue: _, ...definition }) => ({ ...definition, type }),
    });
    documents.set(document, taking);
    return taking;
  };
  return async (
    { document, operationName, coercedVariables, root }: OperationRequest,
    context: AnonymousRequest,
  ) =>
    (await execute({
      ...{ schema: schemaWithType, document: takingCoercedValues(document), operationName },
      ...{ rootValue: root, contextValue: context, variableValues: coercedVariables },
    })) as Result;
}

/** Runs an operation in its own span. */
function traced<Data>(
  trace: RequestTrace,
  { document, operationName }: OperationRequest,
  run: () => Promise<ExecutionResult<Data>>,
) {
  const operation = getOperationAST(document, operationName);
  return trace.operation(
    { type: operation?.operation ?? "query", name: operation?.name?.value },
    run,
    ({ errors }) => errors?.[0],
  );
}

/** The maximum number of errors in a result. A list may have one for each object. */
const maxErrors = 100;

/**
 * The result with its first errors. Further errors would tell the client nothing new, and
 * take long to format.
 */
function withoutExcessErrors<Result extends ExecutionResult>(result: Result): Result {
  return result.errors && result.errors.length > maxErrors
    ? { ...result, errors: result.errors.slice(0, maxErrors) }
    : result;
}
