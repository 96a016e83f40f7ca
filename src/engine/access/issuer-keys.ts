import { createLocalJWKSet, type JSONWebKeySet, type JWK } from "jose";
import { defined } from "../../platform/defined.js";
import { ServiceError } from "../../platform/errors/errors.js";
import type { Logger } from "../../platform/telemetry/log.js";
import { discoverIssuer, fetchJson, withoutSlash } from "./issuer-discovery.js";
import { isTrustworthyUrl } from "./trustworthy-url.js";

interface IssuerSettings {
  issuer: string;
  /** Discovery finds the URL if it is not set. */
  jwksUrl?: string | undefined;
}

interface KeySet {
  /** The required `iss` of a token, in one or several spellings. */
  issuer: string | string[];
  find: ReturnType<typeof createLocalJWKSet>;
  ids: ReadonlySet<unknown>;
}

const maxAgeMs = 5 * 60_000;
/** The least time between two fetches for tokens with an unknown `kid` or after a failure. All tokens share it. */
const refreshIntervalMs = 30_000;
/** The limit for fetching the discovery document and the keys together. */
const fetchTimeoutMs = 5_000;

/**
 * The public keys of the configured issuer. They are fetched when they are five minutes old, and when a token names an
 * unknown key. Tokens have no influence on the URL. The `createRemoteJWKSet` of jose would not do: while the issuer is
 * away, it would refuse all tokens and ask the issuer again for each. It would also call a token invalid if it may not
 * fetch the key yet.
 */
export class IssuerKeys {
  readonly #settings: IssuerSettings;
  readonly #now: () => Date;
  readonly #log: Logger;
  readonly #closing = new AbortController();
  #source: Source | undefined;
  #current: KeySet | undefined;
  /** When the keys become too old, or a failed fetch may be repeated, in milliseconds since 1970. */
  #staleAt = 0;
  /** When the last fetch began that an unknown `kid` caused, that failed, or that followed a failed one. */
  #lastRefresh = Number.NEGATIVE_INFINITY;
  /** The time at which the last failed fetch began, in milliseconds since 1970. */
  #lastFailure = Number.NEGATIVE_INFINITY;
  #fetching: Promise<void> | undefined;
  /** The number of fetches begun, and the number of the last that succeeded. */
  #begun = 0;
  #succeeded = 0;

  constructor(settings: IssuerSettings, now: () => Date, log: Logger) {
    this.#settings = settings;
    this.#now = now;
    this.#log = log;
    if (settings.jwksUrl !== undefined) this.#source = configuredSource(settings.issuer, settings.jwksUrl);
  }

  /** Whether keys have been fetched, whatever their age. */
  get areKnown(): boolean {
    return this.#current !== undefined;
  }

  /** The required `iss` of a token; undefined until discovery has named the issuer. */
  get expected(): Pick<KeySet, "issuer"> | undefined {
    return this.#source && { issuer: this.#source.issuer };
  }

  /** Fetches the keys if there are none yet. */
  async load(): Promise<void> {
    if (!this.areKnown) await this.#fetch();
  }

  /** The keys to verify a token, fetched after this call if the `kid` is not among them. UNAVAILABLE if impossible. */
  async forToken(kid: unknown): Promise<KeySet> {
    const begunBefore = this.#begun;
    if (this.areKnown && this.#hasPassed(this.#staleAt, maxAgeMs)) await this.#refresh();
    if (!this.#has(kid)) {
      // A running fetch may bring the key. It cannot prove that there is none, because it began earlier.
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

  close(): void {
    this.#closing.abort();
  }

  /** Whether the key of an id is known. A token without an id is verified with all known keys. */
  #has(kid: unknown): boolean {
    return this.#current !== undefined && (typeof kid !== "string" || this.#current.ids.has(kid));
  }

  /** Fetches the keys for a token, unless it is too early. `begunBefore`: the fetches begun when the token arrived. */
  async #refreshForToken(begunBefore: number): Promise<void> {
    if (this.#begun === begunBefore) {
      if (!this.#hasPassed(this.#lastRefresh + refreshIntervalMs, refreshIntervalMs)) return;
      this.#lastRefresh = this.#now().getTime();
      await this.#refresh();
    } else await this.#fetching?.catch(() => {});
  }

  /** Whether a time has passed that was set at most n ms ahead. Further ahead also counts: the clock was set back. */
  #hasPassed(time: number, aheadMs: number): boolean {
    const now = this.#now().getTime();
    return now >= time || now < time - aheadMs;
  }

  /** Fetches the keys. If that fails, the earlier ones stay in use. */
  async #refresh(): Promise<void> {
    try {
      await this.#fetch();
    } catch (error) {
      this.#log.warn({ err: error }, "the identity provider's keys could not be refreshed");
    }
  }

  /** Fetches the keys, or waits for the running fetch. */
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
    // Ask an issuer no more often after an outage: tokens wait for their own fetch as they do at other times.
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
      const source = defined(this.#source);
      this.#current = keySet(source.issuer, await fetchJson(source.jwksUrl, signal));
    } finally {
      clearTimeout(timer);
    }
  }
}

/** The URL of the keys, and the `iss` of the tokens that they sign. */
interface Source {
  issuer: string | string[];
  jwksUrl: string;
}

/** Without discovery, the issuer's own spelling is unknown. */
function configuredSource(issuer: string, jwksUrl: string): Source {
  return { issuer: [withoutSlash(issuer), `${withoutSlash(issuer)}/`], jwksUrl };
}

async function discoverSource(configured: string, signal: AbortSignal): Promise<Source> {
  const { url, issuer, jwks_uri: jwksUrl } = await discoverIssuer(configured, signal);
  if (typeof jwksUrl !== "string" || !isTrustworthyUrl(jwksUrl))
    throw new Error(`${url} names no https URL of keys`);
  return { issuer, jwksUrl };
}

function keySet(issuer: string | string[], fetched: unknown): KeySet {
  const find = createLocalJWKSet(fetched as JSONWebKeySet);
  const keys = find.jwks().keys.map(withEitherName);
  return { issuer, find: createLocalJWKSet({ keys }), ids: new Set(keys.map(({ kid }) => kid)) };
}

/** Accepts Ed25519 keys for tokens with either name of the algorithm: the older EdDSA, or Ed25519 of RFC 9864. */
function withEitherName(key: JWK): JWK {
  if (key.crv !== "Ed25519" || (key.alg !== "EdDSA" && key.alg !== "Ed25519")) return key;
  const { alg: _alg, ...others } = key;
  return others;
}
