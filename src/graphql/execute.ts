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
import { type CompiledQuery, compileQuery } from "graphql-jit";
import { LRUCache } from "lru-cache";
import { ServiceError, toServiceError, UnsafeRetryError } from "../platform/errors.js";
import type { RequestTrace } from "../platform/tracing.js";
import { inTurns, type SlicedWork } from "../platform/turns.js";
import type { GatewayServices } from "../request/gateway-services.js";
import { KeyedRequest } from "../request/idempotency.js";
import { type AnonymousRequest, RequestContext } from "../request/request-context.js";
import { answeredOperation } from "./answered-operation.js";
import { compilableSelections } from "./compilable.js";
import { heapBytesOf } from "./documents.js";
import type { OperationRequest } from "./prepare.js";
import { coerceVariables } from "./variables.js";

/** Runs an operation that was admitted. */
export type ExecuteOperation = (request: OperationRequest, context: AnonymousRequest) => Promise<ExecutionResult<Record<string, unknown>>>;

/** Compiling an operation takes as long as running it about twenty times. */
const minRunsToCompile = 3;
/** How many operations may wait to be compiled. */
const maxWaiting = 10;
/** How much work it is to compile a selection; a row of an answer is one unit. */
const unitsPerSelection = 2;

/** What the compiled operations of clients may take of the heap together. */
export const maxCompiledBytes = 32 * 1024 * 1024;
/** The most that was measured is 9.1 kB, for lists in lists. */
const bytesPerSelection = 9_000;

interface CompiledOperation {
  /** Is given the coerced values of the variables. */
  run: (variables: Values, context: AnonymousRequest, root: unknown) => Promise<Result | undefined>;
  bytes: number;
}

type Values = Readonly<Record<string, unknown>>;
type Result = ExecutionResult<Record<string, unknown>>;

/**
 * Creates an executor. Where PostgreSQL can write the answer of an operation, it does so from the first run, so that the same data
 * always has the same text. Another query that is run repeatedly is compiled to JavaScript, which is several times as fast; that
 * takes a turn of its own, for which no request waits. Those not used for longest are dropped when all together would take more
 * than `maxBytes` of the heap. Documents are compared by reference: those who parse them cache them.
 */
export function createExecutor(schema: GraphQLSchema, maxBytes = Number.MAX_SAFE_INTEGER): ExecuteOperation {
  const runs = new WeakMap<OperationDefinitionNode, number>();
  const compiled = new LRUCache<OperationDefinitionNode, CompiledOperation>({
    maxSize: maxBytes,
    sizeCalculation: ({ bytes }) => bytes,
    // One that was dropped has to run repeatedly again: otherwise every run of another could compile one.
    dispose: (_dropped, operation) => runs.delete(operation),
  });
  const schemaToCompile = withCoercedValues(schema);
  let waiting = 0;
  const keep = (operation: OperationDefinitionNode, document: DocumentNode, selections: number, run: CompiledOperation["run"] | undefined) => {
    if (run) compiled.set(operation, { run, bytes: heapBytesOf(document) + bytesPerSelection * selections });
  };
  const keepAnswer = (operation: OperationDefinitionNode, { document }: OperationRequest) => {
    const selections = compilableSelections(schema, document);
    if (selections !== undefined) keep(operation, document, selections, answering(schema, document, operation));
  };
  function* compileInTurn(operation: OperationDefinitionNode, { document, operationName }: OperationRequest): SlicedWork<void> {
    const selections = compilableSelections(schema, document);
    if (selections === undefined) return;
    yield unitsPerSelection * selections;
    if (operation.operation === OperationTypeNode.MUTATION) keep(operation, document, 0, executed(schemaToCompile, document, operationName));
    else keep(operation, document, selections, compiledQuery(schemaToCompile, document, operationName));
  }
  /** Counts a run of an operation that was not compiled, and has it compiled once that is worth it. */
  const countRun = (operation: OperationDefinitionNode, request: OperationRequest, { log }: GatewayServices) => {
    const count = (runs.get(operation) ?? 0) + 1;
    if (count === minRunsToCompile && waiting === maxWaiting) return;
    runs.set(operation, count);
    if (count === 1) keepAnswer(operation, request);
    if (count !== minRunsToCompile) return;
    waiting += 1;
    inTurns(runs, compileInTurn(operation, request))
      .catch((error) => log.error({ err: error }, "an operation could not be compiled"))
      .finally(() => {
        waiting -= 1;
      });
  };
  const run: ExecuteOperation = async (request, context) => {
    const { document, operationName, variables, root } = request;
    const operation = getOperationAST(document, operationName);
    if (operation && !compiled.has(operation)) countRun(operation, request, context.services);
    const found = operation && compiled.get(operation);
    if (found) {
      const { coercedVariables = coerceVariables(schema, operation, variables ?? {}) } = request;
      const result = await found.run(coercedVariables, context, root);
      if (result) return result;
      if (context instanceof RequestContext) context.answerSize.restart();
    }
    const result = await execute({ schema, document, rootValue: root, contextValue: context, variableValues: variables, operationName });
    return withoutExcessErrors(result as ExecutionResult<Record<string, unknown>>);
  };
  const runKeyed: ExecuteOperation = (request, context) => withKey(request, context, () => runUntilComplete(run, request, context));
  return (request, context) => {
    const { trace } = context.origin.logEntry;
    return trace ? traced(trace, request, () => runKeyed(request, context)) : runKeyed(request, context);
  };
}

const isMutation = ({ document, operationName }: OperationRequest): boolean =>
  getOperationAST(document, operationName)?.operation === OperationTypeNode.MUTATION;

/** Runs an operation as one that has an idempotency key, if it is a mutation whose caller sent one. */
function withKey(request: OperationRequest, context: AnonymousRequest, run: () => Promise<Result>): Promise<Result> {
  const { origin, services } = context;
  const key = origin.idempotencyKey;
  if (key === undefined || !(context instanceof RequestContext) || !isMutation(request)) return run();
  const { document, operationName = null, variables } = request;
  const description = JSON.stringify([print(document), operationName, variables ?? {}], withoutFiles);
  context.keyedRequest = new KeyedRequest(services.idempotencyKeys, key, description);
  return services.idempotencyKeys.run(context.caller, key, run);
}

/** Files are no plain objects, and their content is not there yet. */
function withoutFiles(_name: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype ? value : null;
}

/** How often an operation is run, at most, each time without the rows that were missing before. */
const maxRuns = 5;

/**
 * Runs an operation, and runs it again if rows were missing to which others refer, or if what a mutation has written could not be read. A
 * client has not asked about those rows: what refers to them is left out. Mutations are not run again, but what is selected of their results
 * is read again.
 */
async function runUntilComplete(run: ExecuteOperation, request: OperationRequest, context: AnonymousRequest): Promise<Result> {
  const result = await run(request, context);
  if (!(context instanceof RequestContext)) return result;
  const complete = isIncomplete(context, result) ? await runAgain(run, request, context, result) : result;
  if (!complete.errors || !context.hasWritten()) return complete;
  return { ...complete, errors: complete.errors.map((error) => withoutUnsafeAdvice(context, error)) };
}

async function runAgain(run: ExecuteOperation, request: OperationRequest, first: RequestContext, firstResult: Result): Promise<Result> {
  let [context, result] = [first, firstResult];
  try {
    for (let runs = 1; isIncomplete(context, result); runs += 1) {
      if (runs === maxRuns)
        throw new ServiceError("UNAVAILABLE", "What the answer refers to is being deleted; it is safe to retry", { retryAfter: 1 });
      context = await context.again();
      result = await run(request, context);
    }
  } catch (error) {
    // What a mutation has done is told, whatever happens then.
    if (!isMutation(request)) throw error;
  }
  return result;
}

const isIncomplete = (context: RequestContext, { errors }: Result): boolean =>
  context.missing.hasNew || (errors?.some((error) => isUnavailableError(error) && context.hasWritten(fieldOf(error))) ?? false);

const fieldOf = ({ path }: GraphQLError): string => String(path?.[0]);

const isUnavailableError = (error: GraphQLError): boolean => toServiceError(error, () => {}).code === "UNAVAILABLE";

/** After something was written, no failure may say of the whole request that it is safe to retry. */
function withoutUnsafeAdvice(context: RequestContext, error: GraphQLError): GraphQLError {
  if (!isUnavailableError(error) || error.originalError instanceof UnsafeRetryError) return error;
  const message = context.hasWritten(fieldOf(error))
    ? "The change was made, but what was selected of it could not be read"
    : "The service is temporarily unavailable: this change was not made, but those before it were; it is safe to retry it without them";
  const { nodes = null, path = null } = error;
  return new GraphQLError(message, { nodes, path, originalError: new UnsafeRetryError(message, { cause: error.originalError ?? error }) });
}

/** Runs an operation whose answer PostgreSQL can write. */
function answering(schema: GraphQLSchema, document: DocumentNode, operation: OperationDefinitionNode): CompiledOperation["run"] | undefined {
  const answer = answeredOperation(schema, document, operation);
  return answer && (async (variables, context) => (await answer(context, variables)) as Result | undefined);
}

/**
 * Runs an operation without compiling it, but with the coerced values of its variables. For mutations: each run of a compiled one would
 * assign function literals to properties. V8 allocates those in the old generation, where they would keep alive the input and all of the
 * request until the whole heap is collected.
 */
function executed(schema: GraphQLSchema, document: DocumentNode, operationName: OperationRequest["operationName"]): CompiledOperation["run"] {
  const taking = takingCoercedValues(document);
  return async (variables, context, root) =>
    withoutExcessErrors(
      (await execute({ schema, document: taking, rootValue: root, contextValue: context, variableValues: variables, operationName })) as Result,
    );
}

function compiledQuery(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName: OperationRequest["operationName"],
): CompiledOperation["run"] | undefined {
  const { query } = compileQuery(schema, takingCoercedValues(document), operationName ?? undefined, {
    disablingCapturingStackErrors: true,
  }) as Partial<CompiledQuery>;
  return (
    query &&
    (async (variables, context, root) => {
      const result = (await query(root, context, variables)) as Result;
      // It goes on where the specification does not, and so finds more errors in what is null because of the first.
      if (result.errors?.some(({ originalError }) => !(originalError instanceof ServiceError))) return undefined;
      return asGraphQLErrors(withoutExcessErrors(result));
    })
  );
}

/** The type of variables whose values have been coerced: the compiler's own coercion of a long list takes as long as checking it. */
const coercedValue = new GraphQLScalarType({ name: "CoercedValue", parseValue: (value) => value });

/** The schema as the compiler sees it: with the type for coerced values, which no client sees. */
function withCoercedValues(schema: GraphQLSchema): GraphQLSchema {
  return Object.create(schema, { getType: { value: (name: string) => (name === coercedValue.name ? coercedValue : schema.getType(name)) } });
}

function takingCoercedValues(document: DocumentNode): DocumentNode {
  const type: NamedTypeNode = { kind: Kind.NAMED_TYPE, name: { kind: Kind.NAME, value: coercedValue.name } };
  return visit(document, { [Kind.VARIABLE_DEFINITION]: (definition) => ({ ...definition, type }) });
}

/** Runs an operation in a span of its own. */
function traced<Data>(trace: RequestTrace, { document, operationName }: OperationRequest, run: () => Promise<ExecutionResult<Data>>) {
  const operation = getOperationAST(document, operationName);
  return trace.operation({ type: operation?.operation ?? "query", name: operation?.name?.value }, run, ({ errors }) => errors?.[0]);
}

/** A list may have an error for each of its objects. */
const maxErrors = 100;

/** The result with its first errors: more would tell a client nothing new, and take long to describe. */
function withoutExcessErrors<Result extends ExecutionResult>(result: Result): Result {
  return result.errors && result.errors.length > maxErrors ? { ...result, errors: result.errors.slice(0, maxErrors) } : result;
}

/** The errors of compiled operations as those of others: with `extensions`, and without an empty list of locations. */
function asGraphQLErrors<Result extends ExecutionResult>(result: Result): Result {
  if (!result.errors) return result;
  return {
    ...result,
    errors: result.errors.map(({ message, path, originalError, extensions }) => new GraphQLError(message, { path, originalError, extensions })),
  };
}
