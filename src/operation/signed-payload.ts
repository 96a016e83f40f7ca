import type { CallerIdentity } from "../access/credentials.js";
import { invalidLink, ServiceError } from "../platform/errors.js";
import { type AnonymousRequest, RequestContext } from "./request-context.js";

/** What the payload of a signed link says besides its own data. */
export interface SignedPayload {
  /** Who created the link. */
  identity: CallerIdentity;
}

/** A verified payload, and the context in which it is used. */
export interface OpenedPayload<Payload extends SignedPayload> {
  payload: Payload;
  context: RequestContext;
}

/**
 * Verifies the payload of a signed link to a path and authenticates its creator, with the
 * creator's current permissions; a request that is already authenticated keeps its
 * caller. NOT_FOUND if the link is invalid or has expired, and if its creator is gone.
 */
export async function authenticateByPayload<Payload extends SignedPayload>(
  request: AnonymousRequest | RequestContext,
  path: string,
  signed: string,
): Promise<OpenedPayload<Payload>> {
  const { authenticator, links } = request.services;
  const payload = await links.verifyPayload<Payload>(path, signed);
  // The identity in links that an earlier version signed lacks the workspace, or is
  // missing; they expire within minutes.
  if (!payload?.identity || ("creator" in payload.identity && !payload.identity.creator.workspaceId)) {
    await authenticator.rateLimitAnonymous(request.origin);
    throw invalidLink();
  }
  if (request instanceof RequestContext) return { payload, context: request };
  const session = await authenticator.authenticate(payload.identity, request.origin).catch((error) => {
    throw error instanceof ServiceError && error.code === "UNAUTHENTICATED" ? invalidLink() : error;
  });
  return { payload, context: new RequestContext(request, session) };
}
