import { StaleCallerError } from "../access/cached-caller-check.js";
import { RequestContext } from "./request-context.js";

/**
 * Runs work for a caller who may come from the cache. Returns the result only after the
 * cached caller was checked, by a statement of the work or by a separate one. If the
 * caller is stale, runs the work again in the context of a fresh session.
 */
export async function withVerifiedCaller<Result>(
  context: RequestContext,
  work: (context: RequestContext) => Promise<Result>,
): Promise<Result> {
  const { session, services, origin } = context;
  const { check } = session;
  if (!check) return work(context);
  const [outcome] = await Promise.allSettled([work(context)]);
  if (!check.isStale) {
    await check.verify().catch((error) => {
      if (!(error instanceof StaleCallerError)) throw error;
    });
  }
  if (check.isStale)
    return work(new RequestContext(context, await services.authenticator.revalidate(session, origin)));
  if (outcome.status === "rejected") throw outcome.reason;
  return outcome.value;
}
