import { type AuthenticationReason, ServiceError } from "../platform/errors.js";
import { type PresentedKey, presentedKey } from "./api-key.js";
import { type AuthenticationFailure, reasonOf } from "./authentication-failure.js";
import type { TokenVerifier } from "./jwt.js";
import type { Caller } from "./permissions.js";

/**
 * With the scheme, in characters; the credentials of a WebSocket are kept for as long as
 * it is open.
 */
const maxAuthorizationLength = 9 * 1024;

/**
 * The authentication schemes that an operation accepts: Bearer and Basic, or an API key
 * by Basic only.
 */
export type AcceptedScheme = "any" | "basic";

/**
 * Whom verified credentials name, as far as that is known without the database: the user
 * of a token, with the time at which the token expires; the holder of an API key, whose
 * secret is still to be compared; or the creator of a signed link.
 */
export type CallerIdentity =
  | { authId: string; expiresAt: number }
  | { key: PresentedKey }
  | { creator: Pick<Caller, "kind" | "workspaceId" | "id"> };

/**
 * The identity that a signed link carries, so that it opens with its creator's current
 * permissions.
 */
export function identityOf({ kind, workspaceId, id }: Caller): CallerIdentity {
  return { creator: { kind, workspaceId, id } };
}

/**
 * Reads an `Authorization` header: verifies the signature of a token, and the form of an
 * API key. Throws UNAUTHENTICATED for anything else. Runs no statement, so that anonymous
 * requests cannot load the database.
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
  return { authId: token.subject, expiresAt: token.expiresAt };
}

/**
 * The key under which a caller is cached, equal only for equal credentials; undefined for
 * the creator of a signed link, who is not cached.
 */
export function cacheKey(identity: CallerIdentity): string | undefined {
  if ("authId" in identity) return `user ${identity.authId}`;
  return "key" in identity ? `key ${identity.key.id} ${identity.key.secretHash.toString("hex")}` : undefined;
}

/** UNAUTHENTICATED, with what the log says about it. */
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
};

/**
 * The error for missing credentials, and for those that are not accepted: clients are
 * told no more about them than a {@link AuthenticationReason}.
 */
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
