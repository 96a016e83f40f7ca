import { FairQueue, type FairQueueLimits, type SharedLimit } from "../../platform/queues/fair-queue.js";
import type { RequestOrigin } from "../access/authenticator.js";
import type { Caller } from "../access/permissions.js";

/** The estimated number of objects from which an answer counts as large, or as huge. */
export const largeAnswer = 6_000;
const hugeAnswer = 20_000;

/**
 * The limits for simultaneous statements of operations on n connections. A workspace or a caller cannot occupy all
 * connections, whatever the number of its operations.
 */
export const statementLimits = (connections: number): FairQueueLimits => ({
  what: "statements",
  slots: {
    total: connections,
    perWorkspace: Math.max(1, connections - 1),
    perCaller: Math.max(1, connections - 2),
  },
  waiting: { total: 10_000, perWorkspace: 5_000, perCaller: 2_500 },
  maxWaitMs: 10_000,
});

/**
 * The limits for simultaneous batches of alerts on n connections: enough to keep a database busy. With ten
 * simultaneous inserts, each takes PostgreSQL half as much CPU time again as with four, because they wait
 * for each other at the same index pages.
 */
export const recordingLimits = (connections: number): FairQueueLimits => ({
  what: "recordings",
  slots: {
    total: Math.max(1, connections - 2),
    perWorkspace: Math.max(1, Math.min(5, connections - 3)),
    perCaller: Math.max(1, Math.min(4, connections - 4)),
  },
  waiting: { total: 2000, perWorkspace: 1000, perCaller: 500 },
  maxWaitMs: 10_000,
});

const largeQueries = (slots: SharedLimit) =>
  new FairQueue({
    what: "large queries",
    slots,
    waiting: { total: 64, perWorkspace: 32, perCaller: 16 },
    maxWaitMs: 20_000,
  });

interface OperationSender {
  caller: Caller;
  origin: RequestOrigin;
}

/** The slots for operations of authenticated callers, except those that receive a file. */
export class OperationSlots {
  readonly #all = new FairQueue({
    what: "requests",
    slots: { total: 64, perWorkspace: 32, perCaller: 16 },
    waiting: { total: 2000, perWorkspace: 1000, perCaller: 500 },
    maxWaitMs: 10_000,
  });
  readonly #large = largeQueries({ total: 4, perWorkspace: 3, perCaller: 2 });
  readonly #huge = largeQueries({ total: 2, perWorkspace: 1, perCaller: 1 });

  get areInUse(): boolean {
    return this.#all.usage.active > 0;
  }

  /** The numbers of running and waiting operations: all of them, and those with a large or a huge answer. */
  get usage(): Record<string, FairQueue["usage"]> {
    return { requests: this.#all.usage, large_queries: this.#large.usage, huge_queries: this.#huge.usage };
  }

  /** Runs an operation in a slot; a large answer takes a second one, so that other operations never wait for it. */
  run<Result>(
    { caller, origin }: OperationSender,
    execute: () => Promise<Result>,
    objects: number,
  ): Promise<Result> {
    const run = () => this.#all.run(caller, execute, origin);
    if (objects < largeAnswer) return run();
    return (objects < hugeAnswer ? this.#large : this.#huge).run(caller, run, origin);
  }
}
