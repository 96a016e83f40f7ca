import { hash } from "node:crypto";
import {
  decodeProtectedHeader,
  errors,
  type JWTPayload,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
  jwtVerify,
  SignJWT,
  UnsecuredJWT,
} from "jose";
import { LRUCache } from "lru-cache";
import { type TokenFailure, tokenFailure } from "./authentication-failure.js";
import type { IssuerKeys } from "./issuer-keys.js";
import { emailOf, type IssuerEmail } from "./issuer-user-info.js";

/** The verification of Bearer tokens: by a shared secret (HS256), or by the public keys of an OpenID Connect issuer. */
type TokenSettings = { secret: string } | { issuerKeys: IssuerKeys; audience: string };

/** Verifies a token, or returns why it is invalid. UNAVAILABLE if that depends on a key that could not be fetched. */
export type TokenVerifier = (token: string) => Promise<VerifiedToken | TokenFailure>;

const asymmetricAlgorithms = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
  "Ed25519",
];
/** In seconds. */
const clockTolerance = 30;

/** In characters of the compact serialization. Every request would pay for a larger token. */
const maxTokenLength = 8 * 1024;
const compactToken = /^[\w-]+\.[\w-]+\.([\w-]+)$/;
/** The heap that all cached tokens may take together: some 10,000 tokens. */
const maxCachedBytes = 5 * 1024 * 1024;
const bytesPerToken = 500;
/** Verified tokens stay cached for at most this time: the issuer may withdraw a key. */
const maxTokenAgeMs = 5 * 60_000;

/** Creates the verifier. A valid token is verified every five minutes, and cached in between. */
export function tokenVerifier(settings: TokenSettings, now: () => Date): TokenVerifier {
  const verify = verifierOf(settings, now);
  const cache = new LRUCache<string, VerifiedToken & { until: number }>({
    maxSize: maxCachedBytes,
    sizeCalculation: ({ subject, email }) =>
      bytesPerToken + 2 * (subject.length + (email?.address.length ?? 0)),
  });
  return async (token) => {
    const key = hash("sha256", token, "base64");
    const time = now().getTime();
    const cached = cache.get(key);
    // The second condition fails if the clock has been set back.
    if (cached && time < cached.until && time >= cached.until - maxTokenAgeMs) return cached;
    if (!isCompact(token)) return "malformed token";
    const verified = await verify(token);
    if (typeof verified === "object")
      cache.set(key, { ...verified, until: Math.min(verified.expiresAt, time + maxTokenAgeMs) });
    else cache.delete(key);
    return verified;
  };
}

/**
 * Whether a token is spelled canonically: decoders of Base64 ignore white space, padding and unused bits at the end.
 */
function isCompact(token: string): boolean {
  const [, signature = ""] = (token.length <= maxTokenLength && compactToken.exec(token)) || [];
  return signature !== "" && Buffer.from(signature, "base64url").toString("base64url") === signature;
}

interface VerifiedToken {
  subject: string;
  /** In milliseconds since 1970, including the clock tolerance. */
  expiresAt: number;
  /** The address that the issuer claims; undefined unless it also claims whether it is verified. */
  email?: IssuerEmail;
  /** The session that the token ends with; only in tokens of {@link signSessionToken}. */
  session?: SessionKey;
}

export interface SessionKey {
  workspaceId: string;
  userId: string;
  id: string;
}

function verifierOf(settings: TokenSettings, now: () => Date): TokenVerifier {
  const shared = { clockTolerance, requiredClaims: ["exp", "sub"] };
  if ("secret" in settings) {
    const secret = new TextEncoder().encode(settings.secret);
    return (token) => {
      const options = { ...shared, algorithms: ["HS256"], currentDate: now() };
      return subjectOf(token, () => secret, options, sessionOf);
    };
  }
  const { issuerKeys, audience } = settings;
  return async (token) => {
    const options = { ...shared, algorithms: asymmetricAlgorithms, audience, currentDate: now() };
    const header = headerOf(token);
    if (!header) return "malformed token";
    // Check the algorithm before looking up a key: no key could make the token valid.
    if (!asymmetricAlgorithms.includes(String(header.alg))) return "algorithm not accepted";
    const failure = failureOfClaims(token, { ...options, ...issuerKeys.expected });
    if (failure) return failure;
    const { issuer, find } = await issuerKeys.forToken(header.kid);
    return subjectOf(token, find, { ...options, issuer }, (claims) => {
      const email = emailOf(claims);
      return email ? { email } : {};
    });
  };
}

function headerOf(token: string): { alg?: unknown; kid?: unknown } | undefined {
  try {
    return decodeProtectedHeader(token);
  } catch {
    return undefined;
  }
}

/** The failure of a token's claims, before its signature is verified. */
function failureOfClaims(token: string, options: JWTVerifyOptions): TokenFailure | undefined {
  const [, payload] = token.split(".");
  const unsignedHeader = Buffer.from(JSON.stringify({ alg: "none" })).toString("base64url");
  try {
    UnsecuredJWT.decode(`${unsignedHeader}.${payload}.`, options);
    return undefined;
  } catch (error) {
    if (error instanceof errors.JOSEError) return tokenFailure(error);
    throw error;
  }
}

async function subjectOf(
  token: string,
  key: JWTVerifyGetKey | (() => Uint8Array),
  options: JWTVerifyOptions,
  othersOf: (claims: JWTPayload) => Omit<VerifiedToken, "subject" | "expiresAt"> | TokenFailure,
): Promise<VerifiedToken | TokenFailure> {
  try {
    const { payload } = await jwtVerify(token, key, options);
    const { sub: subject, exp } = payload as { sub?: unknown; exp: number };
    if (typeof subject !== "string" || subject === "" || subject.includes("\0")) return "invalid claims";
    const others = othersOf(payload);
    return typeof others === "string"
      ? others
      : { subject, expiresAt: (exp + clockTolerance) * 1000, ...others };
  } catch (error) {
    if (error instanceof errors.JOSEError) return tokenFailure(error);
    throw error;
  }
}

const sessionClaim = /^([0-9a-f-]{36})\/([0-9a-f-]{36})\/([0-9a-f-]{36})$/;

/** The session that a token of our own names, if any. */
function sessionOf({ session }: JWTPayload): { session?: SessionKey } | TokenFailure {
  if (session === undefined) return {};
  const [, workspaceId, userId, id] = sessionClaim.exec(String(session)) ?? [];
  return workspaceId && userId && id ? { session: { workspaceId, userId, id } } : "invalid claims";
}

export function signSessionToken(
  secret: string,
  { authId, session, expiresAt }: { authId: string; session: SessionKey; expiresAt: Date },
  now: Date,
): Promise<string> {
  const { workspaceId, userId, id } = session;
  return new SignJWT({ session: `${workspaceId}/${userId}/${id}` })
    .setProtectedHeader({ alg: "HS256" })
    .setSubject(authId)
    .setIssuedAt(Math.floor(now.getTime() / 1000))
    .setExpirationTime(Math.floor(expiresAt.getTime() / 1000))
    .sign(new TextEncoder().encode(secret));
}

/** Signs a token for a user with the shared secret. The lifetime is in seconds. */
export function signToken(secret: string, authId: string, lifetime: number, now: Date): Promise<string> {
  const issuedAt = Math.floor(now.getTime() / 1000);
  return new SignJWT()
    .setProtectedHeader({ alg: "HS256" })
    .setSubject(authId)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + lifetime)
    .sign(new TextEncoder().encode(secret));
}
