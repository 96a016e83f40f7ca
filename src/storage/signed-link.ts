import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import { deflateRaw, inflateRaw } from "node:zlib";
import { errors, jwtVerify, SignJWT } from "jose";
import { LRUCache } from "lru-cache";

const hour = 3_600_000;
/** For how long links are good beyond the next full hour, in milliseconds: on screens, and in files that are kept. */
const lifetimes = { hour, week: 7 * 24 * hour };
const longestSealed = 1024 * 1024;

/** Makes and checks the expiring links of the gateway. */
export class SignedLinks {
  readonly #publicUrl: () => string;
  readonly #key: KeyObject;
  readonly #now: () => Date;
  /** The newest alerts are shown again and again, and signing takes ten times as long as looking up. */
  readonly #shown = new LRUCache<string, string>({ max: 10_000 });

  constructor(options: { publicUrl: () => string; secret: string; now: () => Date }) {
    this.#publicUrl = options.publicUrl;
    this.#key = createSecretKey(options.secret, "utf8");
    this.#now = options.now;
  }

  /**
   * What a client is shown for a stored value: a link to the object of that key, good for one to two hours, or for a week,
   * and the same within the hour, so that lists stay cacheable; an absolute http(s) URL passes through as it is; null stays
   * null.
   */
  show(stored: string | null | undefined, lifetime: keyof typeof lifetimes = "hour"): string | null {
    if (stored == null) return null;
    if (/^https?:\/\//i.test(stored)) return stored;
    const expires = (Math.ceil(this.#now().getTime() / hour) * hour + lifetimes[lifetime]) / 1000;
    const subject = `${expires} ${stored}`;
    const shown = this.#shown.get(subject) ?? `${this.#publicUrl()}/files/${stored}?expires=${expires}&signature=${this.#sign(stored, expires)}`;
    this.#shown.set(subject, shown);
    return shown;
  }

  /** Whether a link's signature is ours and its time has not passed. */
  isValid(key: string, expires: string, signature: string): boolean {
    if (!/^\d{1,12}$/.test(expires)) return false;
    const expected = Buffer.from(this.#sign(key, Number(expires)));
    const given = Buffer.from(signature);
    return given.length === expected.length && timingSafeEqual(given, expected) && Number(expires) * 1000 > this.#now().getTime();
  }

  /** A link to a path of ours whose `ticket` holds a value, readable by everybody, until it expires; nothing for too large a value. */
  async seal(path: string, value: unknown, expiresAt: Date): Promise<string | undefined> {
    const text = JSON.stringify(value);
    if (Buffer.byteLength(text) > longestSealed) return undefined;
    const packed = await promisify(deflateRaw)(text);
    // Tokens expire by whole seconds.
    const ticket = new SignJWT({ value: packed.toString("base64url"), until: expiresAt.getTime() })
      .setProtectedHeader({ alg: "HS256" })
      .setAudience(path);
    const signed = await ticket.setExpirationTime(Math.ceil(expiresAt.getTime() / 1000)).sign(this.#key);
    return `${this.#publicUrl()}/${path}?ticket=${signed}`;
  }

  /** The value of a ticket for a path; nothing when it is not ours, or its time has passed. */
  async unseal<Value>(path: string, ticket: string): Promise<Value | undefined> {
    try {
      const options = { algorithms: ["HS256"], audience: path, requiredClaims: ["exp"], currentDate: this.#now() };
      const { payload } = await jwtVerify<{ value: string; until: number }>(ticket, this.#key, options);
      if (payload.until <= this.#now().getTime()) return undefined;
      const text = await promisify(inflateRaw)(Buffer.from(payload.value, "base64url"), { maxOutputLength: longestSealed });
      return JSON.parse(String(text));
    } catch (error) {
      if (error instanceof errors.JOSEError) return undefined;
      throw error;
    }
  }

  #sign(key: string, expires: number): string {
    return createHmac("sha256", this.#key).update(`${expires}:${key}`).digest("base64url");
  }
}
