import { createLocalJWKSet, type JSONWebKeySet, type JWK } from "jose";
import { ServiceError } from "../platform/errors.js";
import type { Logger } from "../platform/telemetry/log.js";
import { isTrustworthyUrl } from "./trustworthy-url.js";

/** Where the keys of an OpenID Connect issuer are found. */
export interface IssuerSettings {
  issuer: string;
  /** Found by discovery if it is not set. */
  jwksUrl?: string | undefined;
}

/** The keys of an issuer, as they were last fetched. */
export interface KeySet {
  /** What the `iss` of a token must be, or one of several spellings. */
  issuer: string | string[];
  find: ReturnType<typeof createLocalJWKSet>;
  ids: ReadonlySet<unknown>;
}

const maxAgeMs = 5 * 60_000;
/**
 * How often tokens with an unknown `kid` may cause a fetch, all of them together, and how
 * soon a fetch that failed is repeated for a token.
 */
const refreshIntervalMs = 30_000;
/** For the discovery document and the keys together. */
const fetchTimeoutMs = 5_000;

/** The issuer that discovery names is not the configured one, which no retry can cure. */
export class WrongIssuerError extends Error {}

/**
 * The public keys of the configured issuer. They are fetched when they are five minutes
 * old, and when a token names a key that is not among them. Nothing in a token has an
 * influence on where they are fetched from. The `createRemoteJWKSet` of jose would refuse
 * all tokens while the issuer is away, ask it again for each of them, and call tokens
 * invalid whose key it may not fetch yet.
 */
export class IssuerKeys {
  readonly #settings: IssuerSettings;
  readonly #now: () => Date;
  readonly #log: Logger;
  readonly #closing = new AbortController();
  #source: Source | undefined;
  #current: KeySet | undefined;
  /**
   * When the keys become too old, or when a fetch that failed may be repeated; in
   * milliseconds since 1970.
   */
  #staleAt = 0;
  /**
   * When tokens with an unknown `kid` have last caused a fetch, or one has failed or
   * followed one that had; in milliseconds since 1970.
   */
  #lastRefresh = Number.NEGATIVE_INFINITY;
  /** When a fetch that failed has last begun; in milliseconds since 1970. */
  #lastFailure = Number.NEGATIVE_INFINITY;
  #fetching: Promise<void> | undefined;
  /** How many fetches have begun, and which of them was the last to succeed. */
  #begun = 0;
  #succeeded = 0;

  constructor(settings: IssuerSettings, now: () => Date, log: Logger) {
    this.#settings = settings;
    this.#now = now;
    this.#log = log;
    if (settings.jwksUrl !== undefined) this.#source = configuredSource(settings.issuer, settings.jwksUrl);
  }

  /** Whether keys have been fetched, however old they are. */
  get areKnown(): boolean {
    return this.#current !== undefined;
  }

  /** What the `iss` of a token must be, as far as discovery has named it. */
  get expected(): Pick<KeySet, "issuer"> | undefined {
    return this.#source && { issuer: this.#source.issuer };
  }

  /** Fetches the keys if there are none yet. */
  async load(): Promise<void> {
    if (!this.areKnown) await this.#fetch();
  }

  /**
   * The keys by which to verify a token. If its `kid` is not among them, they have been
   * fetched since this call; throws UNAVAILABLE where that was not possible.
   */
  async forToken(kid: unknown): Promise<KeySet> {
    const begunBefore = this.#begun;
    if (this.areKnown && this.#hasPassed(this.#staleAt, maxAgeMs)) await this.#refresh();
    if (!this.#has(kid)) {
      // It may bring the key, although it cannot show that there is none: it began
      // before.
      await this.#fetching?.catch(() => {});
      if (!this.#has(kid)) await this.#refreshForToken(begunBefore);
    }
    if (this.#current && (this.#has(kid) || this.#succeeded > begunBefore)) return this.#current;
    const retryAfter = (this.#lastRefresh + refreshIntervalMs - this.#now().getTime()) / 1000;
    throw new ServiceError(
      "UNAVAILABLE",
      "The token's key could not be looked up at the identity provider; it is safe to retry",
      { retryAfter },
    );
  }

  /** Aborts a fetch. */
  close(): void {
    this.#closing.abort();
  }

  /**
   * Whether a key is known by its id. A token without one is verified by whatever keys
   * there are.
   */
  #has(kid: unknown): boolean {
    return this.#current !== undefined && (typeof kid !== "string" || this.#current.ids.has(kid));
  }

  /**
   * Fetches the keys for a token that came when so many fetches had begun, unless that is
   * not allowed yet.
   */
  async #refreshForToken(begunBefore: number): Promise<void> {
    if (this.#begun === begunBefore) {
      if (!this.#hasPassed(this.#lastRefresh + refreshIntervalMs, refreshIntervalMs)) return;
      this.#lastRefresh = this.#now().getTime();
      await this.#refresh();
    } else await this.#fetching?.catch(() => {});
  }

  /**
   * Whether a time has passed that was set at most so many milliseconds ahead; if it is
   * further ahead, the clock has been set back.
   */
  #hasPassed(time: number, aheadMs: number): boolean {
    const now = this.#now().getTime();
    return now >= time || now < time - aheadMs;
  }

  /** Fetches the keys; if that fails, those that were fetched before stay in use. */
  async #refresh(): Promise<void> {
    try {
      await this.#fetch();
    } catch (error) {
      this.#log.warn({ err: error }, "the identity provider's keys could not be refreshed");
    }
  }

  /** Fetches the keys, or waits for the fetch that is running. */
  #fetch(): Promise<void> {
    this.#fetching ??= this.#replaceKeys().finally(() => {
      this.#fetching = undefined;
    });
    return this.#fetching;
  }

  async #replaceKeys(): Promise<void> {
    this.#begun += 1;
    const fetch = this.#begun;
    const begunAt = this.#now().getTime();
    const isStale = this.#hasPassed(this.#staleAt, maxAgeMs);
    this.#staleAt = begunAt + refreshIntervalMs;
    // An issuer that was away is asked no more often when it is back: tokens wait for
    // their own fetch as after any other.
    if (!this.#hasPassed(this.#lastFailure + maxAgeMs, maxAgeMs)) this.#lastRefresh = begunAt;
    try {
      await this.#fetchKeySet(isStale);
    } catch (error) {
      this.#lastRefresh = begunAt;
      this.#lastFailure = begunAt;
      throw error;
    }
    this.#staleAt = this.#now().getTime() + maxAgeMs;
    this.#succeeded = fetch;
  }

  async #fetchKeySet(isStale: boolean): Promise<void> {
    const late = new AbortController();
    const timer = setTimeout(
      () => late.abort(new Error(`The issuer did not respond within ${fetchTimeoutMs} ms`)),
      fetchTimeoutMs,
    );
    const signal = AbortSignal.any([this.#closing.signal, late.signal]);
    const { issuer, jwksUrl } = this.#settings;
    try {
      if (jwksUrl === undefined && (isStale || !this.#source))
        this.#source = await discoverSource(issuer, signal);
      const source = this.#source as Source;
      this.#current = keySet(source.issuer, await fetchJson(source.jwksUrl, signal));
    } finally {
      clearTimeout(timer);
    }
  }
}

/** Where the keys are, and what the tokens that they sign name as their issuer. */
interface Source {
  issuer: string | string[];
  jwksUrl: string;
}

const withoutSlash = (text: string) => text.replace(/\/$/, "");

/** Without discovery, nothing tells which spelling the issuer uses. */
function configuredSource(issuer: string, jwksUrl: string): Source {
  return { issuer: [withoutSlash(issuer), `${withoutSlash(issuer)}/`], jwksUrl };
}

async function discoverSource(configured: string, signal: AbortSignal): Promise<Source> {
  const url = `${withoutSlash(configured)}/.well-known/openid-configuration`;
  const { issuer, jwks_uri: jwksUrl } = Object(await fetchJson(url, signal)) as {
    issuer?: unknown;
    jwks_uri?: unknown;
  };
  if (typeof issuer !== "string") throw new Error(`${url} names no issuer`);
  if (withoutSlash(issuer) !== withoutSlash(configured)) {
    throw new WrongIssuerError(
      `AUTH_ISSUER is ${configured}, but ${url} names the issuer ${issuer}: set AUTH_ISSUER to the issuer of your tokens`,
    );
  }
  if (typeof jwksUrl !== "string" || !isTrustworthyUrl(jwksUrl))
    throw new Error(`${url} names no https URL of keys`);
  return { issuer, jwksUrl };
}

function keySet(issuer: string | string[], fetched: unknown): KeySet {
  const find = createLocalJWKSet(fetched as JSONWebKeySet);
  const keys = find.jwks().keys.map(withEitherName);
  return { issuer, find: createLocalJWKSet({ keys }), ids: new Set(keys.map(({ kid }) => kid)) };
}

/**
 * Ed25519 keys for tokens of either name of the algorithm: EdDSA is the older one,
 * Ed25519 that of RFC 9864.
 */
function withEitherName(key: JWK): JWK {
  if (key.crv !== "Ed25519" || (key.alg !== "EdDSA" && key.alg !== "Ed25519")) return key;
  const { alg: _alg, ...others } = key;
  return others;
}

async function fetchJson(url: string, signal: AbortSignal): Promise<unknown> {
  const response = await fetch(url, { redirect: "error", signal, headers: { accept: "application/json" } });
  if (!response.ok) throw new Error(`${url} responded with ${response.status}`);
  return response.json();
}
