import { Prisma } from "../../generated/prisma/client.js";
import { ServiceError } from "../../platform/errors/errors.js";
import type { ReadStatement } from "../database/statement-text.js";
import type { StoredCaller } from "./caller.js";

/** The cached caller has changed. The work must run again for the stored caller. */
export class StaleCallerError extends ServiceError {
  constructor() {
    super("UNAVAILABLE", "The caller has changed; it is safe to retry", { retryAfter: 1 });
  }
}

/**
 * Checks whether a cached caller is still current. The first statement of a request carries the query along, which
 * saves a separate statement. A change therefore takes effect with the next request, whichever instance made it.
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
  get unchangedQuery(): Prisma.Sql | undefined {
    return this.#isVerified ? undefined : this.#cached.unchangedQuery;
  }

  /**
   * Accepts the result of the subquery. Throws {@link StaleCallerError} if the caller has changed or no longer exists.
   */
  accept(isUnchanged: boolean | null): void {
    if (isUnchanged !== true) {
      this.#isStale = true;
      throw new StaleCallerError();
    }
    this.#isVerified = true;
  }

  /**
   * Runs the subquery as a statement, unless the caller has been verified. Throws {@link StaleCallerError} if changed.
   */
  async verify(read = this.#read): Promise<void> {
    const { unchangedQuery } = this;
    if (!unchangedQuery) return;
    const [row] = await read<{ isUnchanged: boolean | null }>(
      Prisma.sql`SELECT (${unchangedQuery}) AS "isUnchanged"`,
    );
    this.accept(row?.isUnchanged ?? null);
  }
}
