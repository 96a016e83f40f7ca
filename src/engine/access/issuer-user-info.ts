import { hash } from "node:crypto";
import { LRUCache } from "lru-cache";
import { ServiceError } from "../../platform/errors/errors.js";
import { emailAddress } from "../../platform/input/text-rules.js";
import { memberIn } from "../../platform/record.js";
import type { Logger } from "../../platform/telemetry/log.js";
import { discoverIssuer, fetchJson, IssuerResponseError, WrongIssuerError } from "./issuer-discovery.js";
import { isTrustworthyUrl } from "./trustworthy-url.js";

/** An email address, and whether the issuer has verified it. */
export interface IssuerEmail {
  address: string;
  isVerified: boolean;
}

/** The claims about an email address; undefined unless both are there. */
export function emailOf(claims: unknown): IssuerEmail | undefined {
  const [email, verified] = [memberIn(claims, "email"), memberIn(claims, "email_verified")];
  if (typeof email !== "string" || verified === undefined || verified === null) return undefined;
  // Users have valid addresses only, but lower case might turn another text into one.
  if (!emailAddress.safeParse(email).success) return undefined;
  // Some issuers write the boolean as a text.
  return { address: email, isVerified: verified === true || verified === "true" };
}

/** The limit for discovery and the answer together. */
const fetchTimeoutMs = 5_000;
const maxAgeMs = 5 * 60_000;
const maxAnswers = 10_000;

/**
 * Asks the issuer's userinfo endpoint for email addresses that tokens do not contain. Remembers the answer for each
 * token, but not failures. Requests at the same time share one question.
 */
export class IssuerUserInfo {
  readonly #issuer: string;
  readonly #now: () => Date;
  readonly #log: Logger;
  readonly #closing = new AbortController();
  readonly #answers = new LRUCache<string, Promise<IssuerEmail | undefined>>({ max: maxAnswers });
  #endpoint: { url: string | undefined; staleAt: number } | undefined;

  constructor(issuer: string, now: () => Date, log: Logger) {
    this.#issuer = issuer;
    this.#now = now;
    this.#log = log;
  }

  /** The address of a token's subject; undefined if the issuer names none. UNAVAILABLE if it could not be asked. */
  async emailFor(token: string, subject: string): Promise<IssuerEmail | undefined> {
    const key = hash("sha256", token, "base64");
    const known = this.#answers.get(key);
    if (known) return known;
    const answer = this.#ask(token, subject).catch((error: unknown) => {
      this.#log.warn({ err: error }, "the identity provider could not be asked for an email address");
      this.#answers.delete(key);
      throw new ServiceError(
        "UNAVAILABLE",
        "The identity provider could not be asked for the user's email address; it is safe to retry",
        { retryAfter: 5 },
      );
    });
    this.#answers.set(key, answer);
    return answer;
  }

  close(): void {
    this.#closing.abort();
  }

  async #ask(token: string, subject: string): Promise<IssuerEmail | undefined> {
    const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(fetchTimeoutMs)]);
    const url = await this.#findEndpoint(signal);
    if (url === undefined) return undefined;
    const claims = await fetchJson(url, signal, { authorization: `Bearer ${token}` }).catch((error) => {
      // The token is not for this endpoint, and never will be.
      if (error instanceof IssuerResponseError && [401, 403].includes(error.status)) return undefined;
      throw error;
    });
    const email = memberIn(claims, "sub") === subject ? emailOf(claims) : undefined;
    if (!email)
      this.#log.warn({ url }, "the identity provider did not tell the email address of a token's subject");
    return email;
  }

  /** The endpoint that discovery names; undefined if there is none. */
  async #findEndpoint(signal: AbortSignal): Promise<string | undefined> {
    const now = this.#now().getTime();
    const known = this.#endpoint;
    if (known && now < known.staleAt && now >= known.staleAt - maxAgeMs) return known.url;
    const document = await discoverIssuer(this.#issuer, signal).catch((error) => {
      // Not every issuer has a discovery document if AUTH_JWKS_URL is set.
      const isMissing = error instanceof IssuerResponseError && error.status === 404;
      if (isMissing || error instanceof WrongIssuerError) return undefined;
      throw error;
    });
    const endpoint = document?.userinfo_endpoint;
    const url = typeof endpoint === "string" && isTrustworthyUrl(endpoint) ? endpoint : undefined;
    if (url === undefined)
      this.#log.warn(
        { issuer: this.#issuer },
        "the identity provider has no userinfo endpoint by https, and tokens without email and email_verified accept no invitation",
      );
    this.#endpoint = { url, staleAt: now + maxAgeMs };
    return url;
  }
}
