import { type AnonymousRequest, RequestContext } from "./request-context.js";

/**
 * Executes an operation in a place, for which it waits its caller's turn. Not while a
 * body is being received: that takes as long as the client likes. Operations that need no
 * caller are not shared out; they are limited by address.
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
