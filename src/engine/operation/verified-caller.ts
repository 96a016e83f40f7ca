import type { Session } from "../access/authenticator.js";
import { StaleCallerError } from "../access/cached-caller-check.js";
import type { GatewayRequest } from "./request-context.js";

/** A request with the session of its sender, whose caller may come from the cache. */
interface AuthenticatedRequest extends GatewayRequest {
  readonly session: Session;
}

/**
 * Runs work for a caller who may come from the cache. Returns the result only after the cached caller was checked, by a
 * statement of the work or by a separate one. If the caller is stale, runs the work again with a fresh session.
 */
export async function withVerifiedCaller<Result>(
  { services, origin, session }: AuthenticatedRequest,
  work: (session: Session) => Promise<Result>,
): Promise<Result> {
  const { check } = session;
  if (!check) return work(session);
  const [outcome] = await Promise.allSettled([work(session)]);
  if (!check.isStale) {
    await check.verify().catch((error) => {
      if (!(error instanceof StaleCallerError)) throw error;
    });
  }
  if (check.isStale) return work(await services.authenticator.revalidate(session, origin));
  if (outcome.status === "rejected") throw outcome.reason;
  return outcome.value;
}
