import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import { deflateRaw, inflateRaw } from "node:zlib";
import { errors, jwtVerify, SignJWT } from "jose";
import { LRUCache } from "lru-cache";
import { defined } from "../../platform/defined.js";
import { isStoredKey } from "./object-store.js";

const hour = 3_600_000;
/** The lifetimes of links after the next full hour, in milliseconds: for display, and for files that users keep. */
const lifetimes = { hour, week: 7 * 24 * hour };
const maxSignedPayload = 1024 * 1024;

/** Creates and verifies expiring links. */
export class SignedLinks {
  readonly #publicUrl: () => string;
  /** The key that signs links. It verifies them, too. */
  readonly #key: KeyObject;
  /** All keys that verify links. */
  readonly #keys: readonly KeyObject[];
  readonly #now: () => Date;
  /** Clients request the newest alerts repeatedly, and signing takes ten times as long as a look-up. */
  readonly #cache = new LRUCache<string, string>({ max: 10_000 });

  /** The first secret signs links. All secrets verify them. */
  constructor(options: { publicUrl: () => string; secrets: readonly string[]; now: () => Date }) {
    this.#publicUrl = options.publicUrl;
    this.#keys = options.secrets.map((secret) => createSecretKey(secret, "utf8"));
    this.#key = defined(this.#keys[0]);
    this.#now = options.now;
  }

  /**
   * The URL for a stored value. A key becomes a link to the object. The link is valid for one to two hours, or for a
   * week, and stays the same within an hour, so that responses are cacheable. Absolute http(s) URLs and null stay as
   * they are.
   */
  urlFor(stored: string, lifetime?: keyof typeof lifetimes): string;
  urlFor(stored: string | null | undefined, lifetime?: keyof typeof lifetimes): string | null;
  urlFor(stored: string | null | undefined, lifetime: keyof typeof lifetimes = "hour"): string | null {
    if (stored == null) return null;
    if (!isStoredKey(stored)) return stored;
    const expires = this.expiryOf(lifetime).getTime() / 1000;
    const subject = `${expires} ${stored}`;
    const url =
      this.#cache.get(subject) ??
      `${this.#publicUrl()}/files/${stored}?expires=${expires}&signature=${signatureOf(stored, expires, this.#key)}`;
    this.#cache.set(subject, url);
    return url;
  }

  /** The expiry of links that are made now. */
  expiryOf(lifetime: keyof typeof lifetimes): Date {
    return new Date(Math.ceil(this.#now().getTime() / hour) * hour + lifetimes[lifetime]);
  }

  /** Whether the signature of a link is valid and the link has not expired. */
  isValid(key: string, expires: string, signature: string): boolean {
    if (!/^\d{1,12}$/.test(expires)) return false;
    const actual = Buffer.from(signature);
    const isSignedWith = (secret: KeyObject) => {
      const expected = Buffer.from(signatureOf(key, Number(expires), secret));
      return actual.length === expected.length && timingSafeEqual(actual, expected);
    };
    return this.#keys.some(isSignedWith) && Number(expires) * 1000 > this.#now().getTime();
  }

  /** A link with a signed, unencrypted value as its `ticket`. Undefined if the value is too large. */
  async signPayload(path: string, value: unknown, expiresAt: Date): Promise<string | undefined> {
    const text = JSON.stringify(value);
    if (Buffer.byteLength(text) > maxSignedPayload) return undefined;
    const compressed = await promisify(deflateRaw)(text);
    // JWTs expire at whole seconds.
    const ticket = new SignJWT({ value: compressed.toString("base64url"), until: expiresAt.getTime() })
      .setProtectedHeader({ alg: "HS256" })
      .setAudience(path);
    const signed = await ticket.setExpirationTime(Math.ceil(expiresAt.getTime() / 1000)).sign(this.#key);
    return `${this.#publicUrl()}/${path}?ticket=${signed}`;
  }

  /** The value of a ticket for a path; undefined if the signature is invalid or the ticket has expired. */
  async verifyPayload<Value>(path: string, ticket: string): Promise<Value | undefined> {
    for (const key of this.#keys) {
      const value = await this.#payloadOf<Value>(path, ticket, key);
      if (value !== undefined) return value;
    }
    return undefined;
  }

  async #payloadOf<Value>(path: string, ticket: string, key: KeyObject): Promise<Value | undefined> {
    try {
      const options = {
        algorithms: ["HS256"],
        audience: path,
        requiredClaims: ["exp"],
        currentDate: this.#now(),
      };
      const { payload } = await jwtVerify<{ value: string; until: number }>(ticket, key, options);
      if (payload.until <= this.#now().getTime()) return undefined;
      const text = await promisify(inflateRaw)(Buffer.from(payload.value, "base64url"), {
        maxOutputLength: maxSignedPayload,
      });
      return JSON.parse(String(text));
    } catch (error) {
      if (error instanceof errors.JOSEError) return undefined;
      throw error;
    }
  }
}

/** The signature of a link to the object with this key. */
function signatureOf(key: string, expires: number, secret: KeyObject): string {
  return createHmac("sha256", secret).update(`${expires}:${key}`).digest("base64url");
}
