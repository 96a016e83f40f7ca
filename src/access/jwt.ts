import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey, type JWTVerifyOptions, jwtVerify, SignJWT } from "jose";
import { LRUCache } from "lru-cache";
import { ServiceError } from "../platform/errors.js";

/** How bearer tokens are checked: by a shared secret (HS256), or by the keys of an OpenID Connect issuer. */
export type TokenSettings = { secret: string } | { issuer: string; audience: string; jwksUrl?: string | undefined };

/** Checks a token; nothing when it is not good. */
export type TokenVerifier = (token: string) => Promise<VerifiedToken | undefined>;

const asymmetricAlgorithms = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"];
/** Seconds. */
const clockTolerance = 30;
const keysAgeLimit = 5 * 60_000;
const keysRetryAfter = 10_000;
const fetchTimeout = 3_000;

/** How many verified tokens are remembered, and for how long at most, in milliseconds: keys may be taken back. */
const mostRemembered = 10_000;
const longestRemembered = 5 * 60_000;

/** Makes the verifier of the configured mode; `now` is the clock that tokens expire by. A good token is checked once in five minutes. */
export function tokenVerifier(settings: TokenSettings, now: () => Date): TokenVerifier {
  const verify = verifierOf(settings, now);
  const remembered = new LRUCache<string, VerifiedToken & { until: number }>({ max: mostRemembered });
  return async (token) => {
    const moment = now().getTime();
    const known = remembered.get(token);
    // The clock may have been set back.
    if (known && moment < known.until && moment >= known.until - longestRemembered) return known;
    const verified = await verify(token);
    if (verified) remembered.set(token, { ...verified, until: Math.min(verified.expiresAt, moment + longestRemembered) });
    else remembered.delete(token);
    return verified;
  };
}

/** A good token: whom it speaks of, and for how long. */
export interface VerifiedToken {
  subject: string;
  /** In milliseconds since 1970, the tolerance included. */
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

/** Signs a token for a user of the shared-secret mode; the lifetime is in seconds. */
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
 * The issuer's public keys. They are fetched when they have grown old, never because of what a token says: an unknown
 * `kid` costs nothing, and rotated keys are known within five minutes.
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
    if (!this.#keys) throw new ServiceError("UNAVAILABLE", "The identity provider's keys cannot be read at the moment", { retryAfter: 10 });
    return this.#keys;
  }

  async #fetch(): Promise<void> {
    try {
      const { issuer, jwksUrl } = this.#settings;
      const url = jwksUrl ?? (await discoverKeysUrl(issuer));
      this.#keys = createLocalJWKSet((await fetchJson(url)) as JSONWebKeySet);
      this.#nextFetch = this.#now().getTime() + keysAgeLimit;
    } catch {
      // The keys that we have stay good while the issuer is away; without any, callers are told to come back.
      this.#nextFetch = this.#now().getTime() + keysRetryAfter;
    }
  }
}

async function discoverKeysUrl(issuer: string): Promise<string> {
  const withoutSlash = (text: string) => text.replace(/\/$/, "");
  const address = `${withoutSlash(issuer)}/.well-known/openid-configuration`;
  const configuration = (await fetchJson(address)) as { issuer?: unknown; jwks_uri?: unknown };
  if (withoutSlash(String(configuration.issuer)) !== withoutSlash(issuer)) throw new Error(`${address} speaks for another issuer`);
  const url = String(configuration.jwks_uri);
  if (!isTrustworthyUrl(url)) throw new Error("The issuer names no https address for its keys");
  return url;
}

async function fetchJson(url: string): Promise<unknown> {
  const response = await fetch(url, { redirect: "error", signal: AbortSignal.timeout(fetchTimeout), headers: { accept: "application/json" } });
  if (!response.ok) throw new Error(`${url} answered ${response.status}`);
  return response.json();
}

/** Whether keys may be read from this address: https, or http on loopback. */
export function isTrustworthyUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return protocol === "https:" || (protocol === "http:" && isLoopback(hostname));
}

/** Whether a host name means this machine alone. */
export function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || hostname === "::1" || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}
