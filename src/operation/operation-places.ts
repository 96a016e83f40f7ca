import type { RequestOrigin } from "../access/authenticator.js";
import type { Caller } from "../access/permissions.js";
import { FairQueue, type FairQueueLimits, type SharedLimit } from "../platform/queues/fair-queue.js";

/** From so many objects on, by estimate, the answer to an operation is large, or huge. */
export const largeAnswer = 6_000;
const hugeAnswer = 20_000;

/**
 * How many statements of operations run at once, on so many connections: one workspace,
 * or even one caller, may not keep all of them busy, with however many operations.
 */
export const statementLimits = (connections: number): FairQueueLimits => ({
  what: "statements",
  places: {
    total: connections,
    perWorkspace: Math.max(1, connections - 1),
    perCaller: Math.max(1, connections - 2),
  },
  waiting: { total: 10_000, perWorkspace: 5_000, perCaller: 2_500 },
  maxWaitMs: 10_000,
});

/**
 * How many batches of alerts are recorded at once, on so many connections: enough to keep
 * a database busy. Of ten that are inserted at once, each takes PostgreSQL half as much
 * CPU time again as of four, since they wait for each other at the same pages of the
 * indexes.
 */
export const recordingLimits = (connections: number): FairQueueLimits => ({
  what: "recordings",
  places: {
    total: Math.max(1, connections - 2),
    perWorkspace: Math.max(1, Math.min(5, connections - 3)),
    perCaller: Math.max(1, Math.min(4, connections - 4)),
  },
  waiting: { total: 2000, perWorkspace: 1000, perCaller: 500 },
  maxWaitMs: 10_000,
});

const largeQueries = (places: SharedLimit) =>
  new FairQueue({
    what: "large queries",
    places,
    waiting: { total: 64, perWorkspace: 32, perCaller: 16 },
    maxWaitMs: 20_000,
  });

/** Whose operation it is, and where it came from. */
interface PlacedOperation {
  caller: Caller;
  origin: RequestOrigin;
}

/**
 * The places for operations of authenticated callers, except those that receive an
 * upload.
 */
export class OperationPlaces {
  readonly #all = new FairQueue({
    what: "requests",
    places: { total: 64, perWorkspace: 32, perCaller: 16 },
    waiting: { total: 2000, perWorkspace: 1000, perCaller: 500 },
    maxWaitMs: 10_000,
  });
  readonly #large = largeQueries({ total: 4, perWorkspace: 3, perCaller: 2 });
  readonly #huge = largeQueries({ total: 2, perWorkspace: 1, perCaller: 1 });

  /** Whether any operation is running. */
  get areInUse(): boolean {
    return this.#all.usage.active > 0;
  }

  /**
   * How much is running and waiting: all operations, and those with a large or a huge
   * answer.
   */
  get usage(): Record<string, FairQueue["usage"]> {
    return { requests: this.#all.usage, large_queries: this.#large.usage, huge_queries: this.#huge.usage };
  }

  /**
   * Runs an operation in a place, or in two if its answer may be large: those in other
   * places never wait for one of these.
   */
  run<Result>(
    { caller, origin }: PlacedOperation,
    execute: () => Promise<Result>,
    objects: number,
  ): Promise<Result> {
    const run = () => this.#all.run(caller, execute, origin);
    if (objects < largeAnswer) return run();
    return (objects < hugeAnswer ? this.#large : this.#huge).run(caller, run, origin);
  }
}
