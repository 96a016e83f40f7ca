import { type AuthenticationReason, ServiceError } from "../../platform/errors/errors.js";
import { type PresentedKey, presentedKey } from "./api-key.js";
import { type AuthenticationFailure, reasonOf } from "./authentication-failure.js";
import type { IssuerEmail } from "./issuer-user-info.js";
import type { SessionKey, TokenVerifier } from "./jwt.js";
import type { Caller } from "./permissions.js";

/** In characters, including the scheme. A WebSocket keeps its credentials for as long as it is open. */
const maxAuthorizationLength = 9 * 1024;

/** The authentication schemes of an operation: Bearer and Basic, or only an API key by Basic. */
export type AcceptedScheme = "any" | "basic";

/**
 * The identity in verified credentials, as far as known without the database: a token's user, with the token's expiry;
 * the holder of an API key, whose secret is still to be compared; or the creator of a signed link.
 */
export type CallerIdentity =
  | { authId: string; expiresAt: number; email?: IssuerEmail; session?: SessionKey }
  | { key: PresentedKey }
  | { creator: LinkCreator };

/** The creator of a signed link, and the session in which it was created, if any. */
interface LinkCreator extends Pick<Caller, "kind" | "workspaceId" | "id"> {
  sessionId?: string;
}

/** The identity in a signed link. The link opens with its creator's current permissions, while their session lasts. */
export function identityOf({
  identity,
  caller: { kind, workspaceId, id },
}: {
  identity: CallerIdentity;
  caller: Caller;
}): CallerIdentity {
  const sessionId = sessionIdOf(identity);
  return { creator: { kind, workspaceId, id, ...(sessionId !== undefined && { sessionId }) } };
}

/** The session of a token or of the creator of a link; undefined without one. */
export function sessionIdOf(identity: CallerIdentity): string | undefined {
  if ("creator" in identity) return identity.creator.sessionId;
  return "authId" in identity ? identity.session?.id : undefined;
}

/**
 * Reads an `Authorization` header: verifies the signature of a token, or the form of an API key. Throws UNAUTHENTICATED
 * for anything else. Runs no statement, so that anonymous requests cannot load the database.
 */
export async function readCredentials(
  authorization: string | undefined,
  accepted: AcceptedScheme,
  verifyToken: TokenVerifier,
): Promise<CallerIdentity> {
  if (authorization === undefined) throw unauthenticated(accepted, "no credentials");
  const header = authorization.length <= maxAuthorizationLength ? authorization.trim() : "";
  const [, scheme, credentials] = /^(\S{1,20}) +(\S.*)$/.exec(header) ?? [];
  if (scheme === undefined || credentials === undefined)
    throw unauthenticated(accepted, "malformed credentials");
  if (scheme.toLowerCase() === "basic") {
    const key = presentedKey(credentials);
    if (key) return { key };
    throw unauthenticated(accepted, "malformed API key");
  }
  if (scheme.toLowerCase() !== "bearer") throw unauthenticated(accepted, "unknown scheme");
  if (accepted === "basic") throw unauthenticated(accepted, "scheme not accepted here");
  const token = await verifyToken(credentials);
  if (typeof token === "string") throw unauthenticated(accepted, token);
  const { subject: authId, ...others } = token;
  return { authId, ...others };
}

/** The Bearer token of an `Authorization` header that {@link readCredentials} accepted. */
export function bearerToken(authorization: string | undefined): string | undefined {
  return /^\s*bearer +(\S+)\s*$/i.exec(authorization ?? "")?.[1];
}

/**
 * The cache key of a caller, equal only for equal credentials; undefined for creators of signed links, never cached.
 */
export function cacheKey(identity: CallerIdentity): string | undefined {
  if ("session" in identity && identity.session)
    return `session ${identity.session.workspaceId} ${identity.session.id} ${identity.authId}`;
  if ("authId" in identity) return `user ${identity.authId}`;
  return "key" in identity ? `key ${identity.key.id} ${identity.key.secretHash.toString("hex")}` : undefined;
}

/** UNAUTHENTICATED, with the failure for the log. */
export class AuthenticationError extends ServiceError {
  readonly failure: AuthenticationFailure;

  constructor(message: string, challenge: string, failure: AuthenticationFailure) {
    super("UNAUTHENTICATED", message, { challenge, reason: reasonOf(failure) });
    this.failure = failure;
  }
}

const messages: Record<AuthenticationReason, string> = {
  MISSING: "A Bearer token or an API key is required",
  INVALID: "The Bearer token or API key is not valid",
  EXPIRED: "The Bearer token or API key has expired",
  ENDED: "Your access has ended: ask whoever manages the users to prolong it",
};

/** The error for missing or rejected credentials. Clients learn only an {@link AuthenticationReason}. */
export function unauthenticated(
  accepted: AcceptedScheme,
  failure: AuthenticationFailure,
): AuthenticationError {
  const isBasicOnly = accepted === "basic";
  const reason = reasonOf(failure);
  const message =
    isBasicOnly && reason !== "EXPIRED"
      ? "A valid API key is required, sent by Basic authentication"
      : messages[reason];
  const basic = 'Basic realm="camera-monitoring", charset="UTF-8"';
  const challenge = isBasicOnly ? basic : `Bearer realm="camera-monitoring", ${basic}`;
  return new AuthenticationError(message, challenge, failure);
}
