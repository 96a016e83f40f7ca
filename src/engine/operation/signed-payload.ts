import { invalidLink, ServiceError } from "../../platform/errors/errors.js";
import type { CallerIdentity } from "../access/credentials.js";
import { type GatewayRequest, RequestContext } from "./request-context.js";

/** The payload of a signed link, without the link's own data. */
export interface SignedPayload {
  identity: CallerIdentity;
}

/** A verified payload, with the context for its use. */
interface OpenedPayload<Payload extends SignedPayload> {
  payload: Payload;
  context: RequestContext;
}

/**
 * Verifies the payload of a signed link to a path, and authenticates the link's creator with current
 * permissions. A request that is already authenticated keeps its caller. NOT_FOUND if the link is invalid or
 * expired, or if its creator no longer exists.
 */
export async function authenticateByPayload<Payload extends SignedPayload>(
  request: GatewayRequest,
  path: string,
  signed: string,
): Promise<OpenedPayload<Payload>> {
  const { authenticator, links } = request.services;
  const payload = await links.verifyPayload<Payload>(path, signed);
  // Links that an earlier version signed have no identity, or one without a workspace. They expire within minutes.
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
