import {
  type DocumentNode,
  type ExecutionResult,
  execute,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  type OperationDefinitionNode,
} from "graphql";
import { type CompiledQuery, compileQuery, isCompiledQuery } from "graphql-jit";
import { LRUCache } from "lru-cache";
import type { AnonymousRequest } from "../request/request-context.js";
import { compilableSelections } from "./compilable.js";
import { heapBytesOf } from "./documents.js";
import type { OperationRequest } from "./prepare.js";

/** Runs an operation that was admitted. */
export type ExecuteOperation = (request: OperationRequest, context: AnonymousRequest) => Promise<ExecutionResult<Record<string, unknown>>>;

/** Compiling an operation takes as long as running it about twenty times. */
const minRunsToCompile = 3;

/** What the compiled operations of clients may take of the heap together. */
export const maxCompiledBytes = 32 * 1024 * 1024;
/** The most that was measured is 9.1 kB, for lists in lists. */
const bytesPerSelection = 9_000;

interface CompiledOperation {
  query: CompiledQuery["query"];
  bytes: number;
}

/**
 * Creates an executor. An operation that is run repeatedly is compiled to JavaScript, which is several times as fast; those not
 * used for longest are dropped when all together would take more than `maxBytes` of the heap. Documents are compared by reference:
 * those who parse them cache them.
 */
export function createExecutor(schema: GraphQLSchema, maxBytes = Number.MAX_SAFE_INTEGER): ExecuteOperation {
  const runs = new WeakMap<OperationDefinitionNode, number>();
  const compiled = new LRUCache<OperationDefinitionNode, CompiledOperation>({
    maxSize: maxBytes,
    sizeCalculation: ({ bytes }) => bytes,
    // One that was dropped has to run repeatedly again: otherwise every run of another could compile one.
    dispose: (_dropped, operation) => runs.delete(operation),
  });
  const compiledOperation = ({ document, operationName }: OperationRequest): CompiledOperation | undefined => {
    const operation = getOperationAST(document, operationName);
    if (!operation) return undefined;
    const known = compiled.get(operation);
    if (known) return known;
    const count = (runs.get(operation) ?? 0) + 1;
    runs.set(operation, count);
    if (count !== minRunsToCompile) return undefined;
    const created = compile(schema, document, operationName);
    if (created) compiled.set(operation, created);
    return created;
  };
  return async (request, context) => {
    const { document, operationName, variables, root } = request;
    const operation = compiledOperation(request);
    if (operation) {
      const result = (await operation.query(root, context, variables ?? {})) as ExecutionResult<Record<string, unknown>>;
      return asGraphQLErrors(withoutExcessErrors(result));
    }
    const result = await execute({ schema, document, rootValue: root, contextValue: context, variableValues: variables, operationName });
    return withoutExcessErrors(result as ExecutionResult<Record<string, unknown>>);
  };
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

/** Undefined for an operation that may not be compiled. */
function compile(schema: GraphQLSchema, document: DocumentNode, operationName: string | null | undefined): CompiledOperation | undefined {
  const selections = compilableSelections(document);
  if (selections === undefined) return undefined;
  const compiled = compileQuery(schema, document, operationName ?? undefined, { disablingCapturingStackErrors: true });
  if (!isCompiledQuery(compiled)) return undefined;
  return { query: compiled.query, bytes: heapBytesOf(document) + bytesPerSelection * selections };
}
