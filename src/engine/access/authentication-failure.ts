import { errors } from "jose";
import type { AuthenticationReason } from "../../platform/errors/errors.js";

/** The reason why credentials were rejected, for the log. Clients learn only the {@link reasonOf} it. */
export type AuthenticationFailure =
  | "no credentials"
  | "malformed credentials"
  | "unknown scheme"
  | "scheme not accepted here"
  | "malformed API key"
  | "no such API key"
  | "wrong secret of an API key"
  | "replaced secret of an API key"
  | "revoked API key"
  | "expired API key"
  | TokenFailure
  | "wrong metrics token"
  | "ended session"
  | "ended access"
  | "invalid sign-in code"
  | "no such user"
  | "no such user, and no email address in the token or at the issuer"
  | "no such user, and an email address that is not verified";

export type TokenFailure =
  | "malformed token"
  | "algorithm not accepted"
  | "unknown key id"
  | "bad signature"
  | "expired token"
  | "token not valid yet"
  | "wrong issuer"
  | "wrong audience"
  | "invalid claims";

const expired: ReadonlySet<AuthenticationFailure> = new Set([
  "expired token",
  "expired API key",
  "replaced secret of an API key",
]);

/** The part of a failure that clients may know. */
export function reasonOf(failure: AuthenticationFailure): AuthenticationReason {
  if (failure === "no credentials") return "MISSING";
  if (failure === "ended access") return "ENDED";
  return expired.has(failure) ? "EXPIRED" : "INVALID";
}

/** Converts the error of jose's verification. */
export function tokenFailure(error: errors.JOSEError): TokenFailure {
  if (error instanceof errors.JWTExpired) return "expired token";
  if (error instanceof errors.JWTClaimValidationFailed)
    return failureOfClaim.get(error.claim) ?? "invalid claims";
  if (error instanceof errors.JWSSignatureVerificationFailed) return "bad signature";
  if (error instanceof errors.JOSEAlgNotAllowed) return "algorithm not accepted";
  if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys)
    return "unknown key id";
  return "malformed token";
}

const failureOfClaim = new Map<string, TokenFailure>([
  ["iss", "wrong issuer"],
  ["aud", "wrong audience"],
  ["nbf", "token not valid yet"],
]);
