import { createHash } from "node:crypto";
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey, type JWTVerifyOptions, jwtVerify, SignJWT } from "jose";
import { LRUCache } from "lru-cache";
import { ServiceError } from "../platform/errors.js";

/** How Bearer tokens are verified: with a shared secret (HS256), or with the public keys of an OpenID Connect issuer. */
export type TokenSettings = { secret: string } | { issuer: string; audience: string; jwksUrl?: string | undefined };

/** Verifies a token; undefined if it is invalid. */
export type TokenVerifier = (token: string) => Promise<VerifiedToken | undefined>;

const asymmetricAlgorithms = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"];
/** In seconds. */
const clockTolerance = 30;
const maxKeysAgeMs = 5 * 60_000;
const keysRetryDelayMs = 10_000;
const fetchTimeoutMs = 3_000;

/** The compact serialization of a signed token, in characters; larger ones are not worth their price with every request. */
const maxTokenLength = 8 * 1024;
const compactToken = /^[\w-]+\.[\w-]+\.([\w-]+)$/;
/** What the cached tokens may take of the heap together: some 10,000. */
const maxCachedBytes = 5 * 1024 * 1024;
const bytesPerToken = 500;
/** Verified tokens are not cached for longer, because the issuer may withdraw a key. */
const maxTokenAgeMs = 5 * 60_000;

/** Creates the verifier for the configured mode. A valid token is verified once every five minutes and cached in between. */
export function tokenVerifier(settings: TokenSettings, now: () => Date): TokenVerifier {
  const verify = verifierOf(settings, now);
  const cache = new LRUCache<string, VerifiedToken & { until: number }>({
    maxSize: maxCachedBytes,
    sizeCalculation: ({ subject }) => bytesPerToken + 2 * subject.length,
  });
  return async (token) => {
    if (!isCompact(token)) return undefined;
    const key = createHash("sha256").update(token).digest("base64");
    const time = now().getTime();
    const cached = cache.get(key);
    // The second condition fails if the clock has been set back.
    if (cached && time < cached.until && time >= cached.until - maxTokenAgeMs) return cached;
    const verified = await verify(token);
    if (verified) cache.set(key, { ...verified, until: Math.min(verified.expiresAt, time + maxTokenAgeMs) });
    else cache.delete(key);
    return verified;
  };
}

/** Whether a text has the one spelling of a signed token: decoders of Base64 ignore white space, padding and unused bits at the end. */
function isCompact(token: string): boolean {
  const [, signature = ""] = (token.length <= maxTokenLength && compactToken.exec(token)) || [];
  return signature !== "" && Buffer.from(signature, "base64url").toString("base64url") === signature;
}

/** What a valid token says. */
export interface VerifiedToken {
  subject: string;
  /** Including the clock tolerance, in milliseconds since 1970. */
  expiresAt: number;
}

function verifierOf(settings: TokenSettings, now: () => Date): (token: string) => Promise<VerifiedToken | undefined> {
  const shared = { clockTolerance, requiredClaims: ["exp", "sub"] };
  if ("secret" in settings) {
    const secret = new TextEncoder().encode(settings.secret);
    return (token) => subjectOf(token, () => secret, { ...shared, algorithms: ["HS256"], currentDate: now() });
  }
  const keys = new IssuerKeys(settings, now);
  return (token) =>
    subjectOf(token, async (header, input) => (await keys.current())(header, input), {
      ...shared,
      algorithms: asymmetricAlgorithms,
      issuer: settings.issuer,
      audience: settings.audience,
      currentDate: now(),
    });
}

async function subjectOf(token: string, key: JWTVerifyGetKey | (() => Uint8Array), options: JWTVerifyOptions): Promise<VerifiedToken | undefined> {
  try {
    const { payload } = await jwtVerify(token, key as JWTVerifyGetKey, options);
    const { sub: subject, exp } = payload as { sub?: unknown; exp: number };
    if (typeof subject !== "string" || subject === "" || subject.includes("\0")) return undefined;
    return { subject, expiresAt: (exp + clockTolerance) * 1000 };
  } catch (error) {
    if (error instanceof errors.JOSEError) return undefined;
    throw error;
  }
}

/** Signs a token for a user, with the shared secret; the lifetime is in seconds. */
export function signToken(secret: string, authId: string, lifetime: number, now: Date): Promise<string> {
  const issuedAt = Math.floor(now.getTime() / 1000);
  return new SignJWT()
    .setProtectedHeader({ alg: "HS256" })
    .setSubject(authId)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + lifetime)
    .sign(new TextEncoder().encode(secret));
}

/**
 * The issuer's public keys. They are fetched by their age alone, never because of the content of a token: tokens with an
 * unknown `kid` cannot cause requests to the issuer, and rotated keys are known within five minutes.
 */
class IssuerKeys {
  readonly #settings: Exclude<TokenSettings, { secret: string }>;
  readonly #now: () => Date;
  #keys: ReturnType<typeof createLocalJWKSet> | undefined;
  #nextFetch = 0;
  #fetching: Promise<void> | undefined;

  constructor(settings: Exclude<TokenSettings, { secret: string }>, now: () => Date) {
    this.#settings = settings;
    this.#now = now;
  }

  async current(): Promise<ReturnType<typeof createLocalJWKSet>> {
    if (this.#now().getTime() >= this.#nextFetch) {
      this.#fetching ??= this.#fetch().finally(() => {
        this.#fetching = undefined;
      });
      await this.#fetching;
    }
    if (!this.#keys) throw new ServiceError("UNAVAILABLE", "The identity provider's keys are currently unavailable", { retryAfter: 10 });
    return this.#keys;
  }

  async #fetch(): Promise<void> {
    try {
      const { issuer, jwksUrl } = this.#settings;
      const url = jwksUrl ?? (await discoverKeysUrl(issuer));
      this.#keys = createLocalJWKSet((await fetchJson(url)) as JSONWebKeySet);
      this.#nextFetch = this.#now().getTime() + maxKeysAgeMs;
    } catch {
      // Keys that were fetched before stay in use while the issuer is unavailable; without any, requests get UNAVAILABLE.
      this.#nextFetch = this.#now().getTime() + keysRetryDelayMs;
    }
  }
}

async function discoverKeysUrl(issuer: string): Promise<string> {
  const withoutSlash = (text: string) => text.replace(/\/$/, "");
  const configurationUrl = `${withoutSlash(issuer)}/.well-known/openid-configuration`;
  const configuration = (await fetchJson(configurationUrl)) as { issuer?: unknown; jwks_uri?: unknown };
  if (withoutSlash(String(configuration.issuer)) !== withoutSlash(issuer)) throw new Error(`${configurationUrl} belongs to another issuer`);
  const url = String(configuration.jwks_uri);
  if (!isTrustworthyUrl(url)) throw new Error("The issuer publishes no https URL for its keys");
  return url;
}

async function fetchJson(url: string): Promise<unknown> {
  const response = await fetch(url, { redirect: "error", signal: AbortSignal.timeout(fetchTimeoutMs), headers: { accept: "application/json" } });
  if (!response.ok) throw new Error(`${url} responded with ${response.status}`);
  return response.json();
}

/** Whether keys may be fetched from this URL: https, or http on loopback. */
export function isTrustworthyUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return protocol === "https:" || (protocol === "http:" && isLoopback(hostname));
}

/** Whether a host name denotes the loopback interface. */
export function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || hostname === "::1" || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}
