import { createHmac, timingSafeEqual } from "node:crypto";

const hour = 3_600_000;

/** Makes and checks the expiring links under which stored objects are shown. */
export class SignedLinks {
  readonly #publicUrl: () => string;
  readonly #secret: string;
  readonly #now: () => Date;

  constructor(options: { publicUrl: () => string; secret: string; now: () => Date }) {
    this.#publicUrl = options.publicUrl;
    this.#secret = options.secret;
    this.#now = options.now;
  }

  /**
   * What a client is shown for a stored value: a link to the object of that key, good for one to two hours and the same
   * within the hour, so that lists stay cacheable; an absolute http(s) URL passes through as it is; null stays null.
   */
  show(stored: string | null | undefined): string | null {
    if (stored == null) return null;
    if (/^https?:\/\//i.test(stored)) return stored;
    const expires = Math.ceil(this.#now().getTime() / hour) * hour + hour;
    return `${this.#publicUrl()}/files/${stored}?expires=${expires / 1000}&signature=${this.#sign(stored, expires / 1000)}`;
  }

  /** Whether a link's signature is ours and its time has not passed. */
  isValid(key: string, expires: string, signature: string): boolean {
    if (!/^\d{1,12}$/.test(expires)) return false;
    const expected = Buffer.from(this.#sign(key, Number(expires)));
    const given = Buffer.from(signature);
    return given.length === expected.length && timingSafeEqual(given, expected) && Number(expires) * 1000 > this.#now().getTime();
  }

  #sign(key: string, expires: number): string {
    return createHmac("sha256", this.#secret).update(`${expires}:${key}`).digest("base64url");
  }
}
