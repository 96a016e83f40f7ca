import { type AnonymousRequest, RequestContext } from "./request-context.js";

/**
 * Executes an operation in a place, in its caller's turn. Never call while a body is
 * arriving: that takes as long as the client likes. Operations without a caller need no
 * place, because a limit per address applies to them.
 */
export function inPlace<Result>(
  context: AnonymousRequest,
  execute: () => Promise<Result>,
  objects = 0,
): Promise<Result> {
  return context instanceof RequestContext
    ? context.services.operations.run(context, execute, objects)
    : execute();
}
