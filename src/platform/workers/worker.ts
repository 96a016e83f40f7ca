import { isUnavailable } from "../database-errors.js";
import { type Backoff, retryDelay } from "../retry-delay.js";
import type { Logger } from "../telemetry/log.js";

const backoff: Backoff = { firstMs: 1_000, maxMs: 60_000 };
/**
 * The rest of a worker after a step that left nothing to do. Events come in bursts, and
 * one step handles all events of a moment.
 */
const restMs = 20;

/**
 * The result of a step: there may be more to do, there is nothing to do, another instance
 * has locked the rest, or the next item is due in a number of milliseconds.
 */
export type StepOutcome = "more" | "nothing" | "locked" | { dueInMs: number };

/**
 * Turns the due time of the next item into the outcome of a step. An item that is already
 * due, but was not taken, must be locked. While a node of the database is away, nobody
 * knows, so an item may be due.
 */
export async function untilDue(next: Promise<Date | null | undefined>, now: Date): Promise<StepOutcome> {
  const dueAt = await next.catch((error) => {
    if (isUnavailable(error)) return now;
    throw error;
  });
  if (!dueAt) return "nothing";
  return dueAt > now ? { dueInMs: dueAt.getTime() - now.getTime() } : "locked";
}

/** Runs small steps in the background while there is work, and sleeps otherwise. */
export class Worker {
  readonly #step: () => Promise<StepOutcome>;
  readonly #name: string;
  readonly #log: Logger;
  #running: Promise<void> | undefined;
  #awake = false;
  #closed = false;
  #failures = 0;
  /** The last logged failure. */
  #reported: { message: string; at: number } | undefined;
  #timer: NodeJS.Timeout | undefined;
  #restsUntil = 0;

  /** `step` does a bounded amount of work. */
  constructor(name: string, step: () => Promise<StepOutcome>, log: Logger) {
    this.#name = name;
    this.#step = step;
    this.#log = log;
  }

  /** Makes the worker check for work. */
  wake(): void {
    if (this.#closed) return;
    this.#awake = true;
    clearTimeout(this.#timer);
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
      // An event woke the worker after its last check for work, but before this callback.
      if (this.#awake) this.wake();
    });
  }

  /** Whether the worker is looking for work, or about to. */
  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  /** Waits until no work is left for now. */
  async idle(): Promise<void> {
    while (this.#running) await this.#running;
  }

  /** Waits for the current step to finish, and starts no other. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  async #run(): Promise<void> {
    try {
      while (this.#awake && !this.#closed) {
        await this.#rest();
        if (this.#closed) break;
        this.#awake = false;
        const outcome = await this.#step();
        this.#reported = undefined;
        if (outcome === "locked") this.#tryLater();
        else this.#failures = 0;
        if (outcome === "more") this.#awake = true;
        else this.#restsUntil = performance.now() + restMs;
        // Check at least once per interval, even if the next item is due much later:
        // someone may adjust the clock.
        if (typeof outcome === "object") this.#wakeAfter(Math.min(outcome.dueInMs, backoff.maxMs));
      }
    } catch (error) {
      this.#report(error as Error);
      this.#tryLater();
    }
  }

  async #rest(): Promise<void> {
    // Limit the rest: otherwise a test that sets back the clock would wait for hours.
    const left = Math.min(this.#restsUntil - performance.now(), restMs);
    if (left > 0) await new Promise((resolve) => setTimeout(resolve, left));
  }

  /**
   * Log the same reason at most once a minute: events may wake a worker many times a
   * second.
   */
  #report(error: Error): void {
    const now = performance.now();
    if (this.#reported?.message === error.message && now < this.#reported.at + backoff.maxMs) return;
    this.#reported = { message: error.message, at: now };
    this.#log.warn({ err: error }, `${this.#name} failed and will be retried`);
  }

  #tryLater(): void {
    this.#failures += 1;
    this.#wakeAfter(retryDelay(this.#failures, backoff));
  }

  #wakeAfter(milliseconds: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.wake(), milliseconds).unref();
  }
}
