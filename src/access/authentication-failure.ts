import { errors } from "jose";

/** Why credentials were not accepted. It is written to the log alone: clients get the same error for all of them. */
export type AuthenticationFailure =
  | "no credentials"
  | "malformed credentials"
  | "unknown scheme"
  | "scheme not accepted here"
  | "malformed API key"
  | "no such API key"
  | "wrong secret of an API key"
  | "revoked API key"
  | "expired API key"
  | TokenFailure
  | "no such user";

/** Why a token was not accepted. */
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

/** What the verification of a token found. */
export function tokenFailure(error: errors.JOSEError): TokenFailure {
  if (error instanceof errors.JWTExpired) return "expired token";
  if (error instanceof errors.JWTClaimValidationFailed) return failureOfClaim[error.claim] ?? "invalid claims";
  if (error instanceof errors.JWSSignatureVerificationFailed) return "bad signature";
  if (error instanceof errors.JOSEAlgNotAllowed) return "algorithm not accepted";
  if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys) return "unknown key id";
  return "malformed token";
}

const failureOfClaim: Record<string, TokenFailure> = { iss: "wrong issuer", aud: "wrong audience", nbf: "token not valid yet" };
