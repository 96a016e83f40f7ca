import type { ReadStatement } from "../database/client.js";
import { Prisma } from "../generated/prisma/client.js";
import type { StoredCaller } from "./caller.js";

/** What was remembered of a caller does not hold any more: what was done for them has to be done again. */
export class StaleCallerError extends Error {
  constructor() {
    super("The caller has changed");
  }
}

/**
 * Whether what was remembered of a caller still holds. The first statement of a request carries the question with it, so
 * that it costs no statement of its own, and every change counts from the next request on, wherever it was made.
 */
export class CallerProof {
  #isGiven = false;
  #isRefuted = false;
  readonly #remembered: StoredCaller;
  readonly #read: ReadStatement;

  constructor(remembered: StoredCaller, read: ReadStatement) {
    this.#remembered = remembered;
    this.#read = read;
  }

  get isRefuted(): boolean {
    return this.#isRefuted;
  }

  /** The subquery to carry along, as long as nothing has answered it. */
  get question(): Prisma.Sql | undefined {
    return this.#isGiven ? undefined : this.#remembered.question;
  }

  /** Takes the answer; throws when the caller has changed. */
  answer(state: string | null): void {
    if (state !== this.#remembered.state) {
      this.#isRefuted = true;
      throw new StaleCallerError();
    }
    this.#isGiven = true;
  }

  /** Asks with a statement of its own if nothing was asked before; throws when the caller has changed. */
  async demand(): Promise<void> {
    const { question } = this;
    if (!question) return;
    const [row] = await this.#read<{ state: string | null }>(Prisma.sql`SELECT (${question}) AS "state"`);
    this.answer(row?.state ?? null);
  }
}
