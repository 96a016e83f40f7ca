import type { ReadStatement } from "../database/client.js";
import { Prisma } from "../generated/prisma/client.js";
import { ServiceError } from "../platform/errors.js";
import type { StoredCaller } from "./caller.js";

/** The cached caller has changed: the work has to be run again for the caller as stored now. */
export class StaleCallerError extends ServiceError {
  constructor() {
    super("UNAVAILABLE", "The caller has changed; it is safe to retry");
  }
}

/**
 * Checks whether a cached caller is still current. The first statement of a request carries the fingerprint query along, which
 * saves a separate statement. Every change still takes effect with the next request, whichever instance made it.
 */
export class CachedCallerCheck {
  #isVerified = false;
  #isStale = false;
  readonly #cached: StoredCaller;
  readonly #read: ReadStatement;

  constructor(cached: StoredCaller, read: ReadStatement) {
    this.#cached = cached;
    this.#read = read;
  }

  get isStale(): boolean {
    return this.#isStale;
  }

  /** The subquery to add to a statement; undefined once the caller has been verified. */
  get fingerprintQuery(): Prisma.Sql | undefined {
    return this.#isVerified ? undefined : this.#cached.fingerprintQuery;
  }

  /** Takes the result of the subquery; throws {@link StaleCallerError} if the caller has changed. */
  compare(fingerprint: string | null): void {
    if (fingerprint !== this.#cached.fingerprint) {
      this.#isStale = true;
      throw new StaleCallerError();
    }
    this.#isVerified = true;
  }

  /** Runs the subquery as a separate statement, unless the caller has been verified; throws {@link StaleCallerError} if the caller has changed. */
  async verify(): Promise<void> {
    const { fingerprintQuery } = this;
    if (!fingerprintQuery) return;
    const [row] = await this.#read<{ fingerprint: string | null }>(Prisma.sql`SELECT (${fingerprintQuery}) AS "fingerprint"`);
    this.compare(row?.fingerprint ?? null);
  }
}
