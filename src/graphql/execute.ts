import { type DocumentNode, type ExecutionResult, execute, GraphQLError, type GraphQLSchema } from "graphql";
import { type CompiledQuery, compileQuery, isCompiledQuery } from "graphql-jit";
import type { AnonymousRequest } from "../request/request-context.js";
import { isCompilable } from "./compilable.js";
import type { OperationRequest } from "./prepare.js";

/** Runs an operation that was admitted. */
export type ExecuteOperation = (request: OperationRequest, context: AnonymousRequest) => Promise<ExecutionResult<Record<string, unknown>>>;

/** Compiling an operation takes as long as running it about twenty times. */
const minRunsToCompile = 3;

interface ExecutedOperation {
  runs: number;
  compiled?: CompiledQuery | "not compilable";
}

/**
 * Creates the executor of both APIs (GraphQL and REST). An operation that is run repeatedly is compiled to JavaScript, which
 * is several times as fast. Documents are compared by reference: those who parse them cache them.
 */
export function createExecutor(schema: GraphQLSchema): ExecuteOperation {
  const executed = new WeakMap<DocumentNode, Map<string, ExecutedOperation>>();
  return async ({ document, operationName, variables, root }, context) => {
    const operations = executed.get(document) ?? new Map<string, ExecutedOperation>();
    executed.set(document, operations);
    const operation = operations.get(operationName ?? "") ?? { runs: 0 };
    operations.set(operationName ?? "", operation);
    operation.runs += 1;
    if (!operation.compiled && operation.runs >= minRunsToCompile) operation.compiled = compile(schema, document, operationName);
    if (operation.compiled && operation.compiled !== "not compilable") {
      return withErrorExtensions((await operation.compiled.query(root, context, variables ?? {})) as ExecutionResult<Record<string, unknown>>);
    }
    return execute({ schema, document, rootValue: root, contextValue: context, variableValues: variables, operationName }) as Promise<
      ExecutionResult<Record<string, unknown>>
    >;
  };
}

/** Every `GraphQLError` has `extensions`, but those of compiled operations lack them if the thrown error had none. */
function withErrorExtensions<Result extends ExecutionResult>(result: Result): Result {
  if (!result.errors) return result;
  const errors = result.errors.map((error) => {
    if (error.extensions) return error;
    const { message, path, originalError, locations } = error;
    return Object.assign(new GraphQLError(message, { path, originalError }), { locations });
  });
  return { ...result, errors };
}

function compile(schema: GraphQLSchema, document: DocumentNode, operationName: string | null | undefined): CompiledQuery | "not compilable" {
  if (!isCompilable(document)) return "not compilable";
  const compiled = compileQuery(schema, document, operationName ?? undefined, { disablingCapturingStackErrors: true });
  return isCompiledQuery(compiled) ? compiled : "not compilable";
}
