import { type DocumentNode, type ExecutionResult, execute, GraphQLError, type GraphQLSchema } from "graphql";
import { type CompiledQuery, compileQuery, isCompiledQuery } from "graphql-jit";
import type { RequestContext } from "../access/request-context.js";
import { isCompilable } from "./compilable.js";
import type { OperationRequest } from "./prepare.js";

/** Runs an operation that was admitted. */
export type ExecuteOperation = (request: OperationRequest, context: RequestContext) => Promise<ExecutionResult<Record<string, unknown>>>;

/** Compiling takes as long as some twenty runs. */
const worthCompiling = 3;

interface SeenOperation {
  runs: number;
  compiled?: CompiledQuery | "impossible";
}

/**
 * Makes the one executor of both doors. An operation that comes again is compiled to JavaScript, which is several times as
 * fast; documents are told apart as objects, because whoever parses them keeps those that come again.
 */
export function createExecutor(schema: GraphQLSchema): ExecuteOperation {
  const seen = new WeakMap<DocumentNode, Map<string, SeenOperation>>();
  const run: ExecuteOperation = async ({ document, operationName, variables, root }, context) => {
    const operations = seen.get(document) ?? new Map<string, SeenOperation>();
    seen.set(document, operations);
    const operation = operations.get(operationName ?? "") ?? { runs: 0 };
    operations.set(operationName ?? "", operation);
    operation.runs += 1;
    if (!operation.compiled && operation.runs >= worthCompiling) operation.compiled = compile(schema, document, operationName);
    if (operation.compiled && operation.compiled !== "impossible") {
      return withWholeErrors((await operation.compiled.query(root, context, variables ?? {})) as ExecutionResult<Record<string, unknown>>);
    }
    return execute({ schema, document, rootValue: root, contextValue: context, variableValues: variables, operationName }) as Promise<
      ExecutionResult<Record<string, unknown>>
    >;
  };
  return (request, context) => context.proven(() => run(request, context));
}

/** The errors of compiled operations have no `extensions` when what was thrown had none, where every other error has some. */
function withWholeErrors<Result extends ExecutionResult>(result: Result): Result {
  if (!result.errors) return result;
  const errors = result.errors.map((error) => {
    if (error.extensions) return error;
    const { message, path, originalError, locations } = error;
    return Object.assign(new GraphQLError(message, { path, originalError }), { locations });
  });
  return { ...result, errors };
}

function compile(schema: GraphQLSchema, document: DocumentNode, operationName: string | null | undefined): CompiledQuery | "impossible" {
  if (!isCompilable(document)) return "impossible";
  const compiled = compileQuery(schema, document, operationName ?? undefined, { disablingCapturingStackErrors: true });
  return isCompiledQuery(compiled) ? compiled : "impossible";
}
