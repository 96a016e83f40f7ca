import { isUnavailable } from "../database-errors.js";
import { type Backoff, retryDelay } from "../retry-delay.js";
import type { Logger } from "../telemetry/log.js";

const backoff: Backoff = { firstMs: 1_000, maxMs: 60_000 };
/**
 * How long a worker rests after a step that left nothing to do: events come in bursts,
 * and one step is enough for those of a moment.
 */
const restMs = 20;

/**
 * The result of a step: there may be more to do, there is nothing to do, the rest is
 * locked by another instance, or the next item is due in so many milliseconds.
 */
export type StepOutcome = "more" | "nothing" | "locked" | { dueInMs: number };

/**
 * The outcome of a step that looks for the time at which the next item is due, if there
 * is one: one that is due already must be locked if it was not taken. While a node of the
 * database is away, nobody knows, and so it may be due.
 */
export async function untilDue(next: Promise<Date | null | undefined>, now: Date): Promise<StepOutcome> {
  const dueAt = await next.catch((error) => {
    if (isUnavailable(error)) return now;
    throw error;
  });
  if (!dueAt) return "nothing";
  return dueAt > now ? { dueInMs: dueAt.getTime() - now.getTime() } : "locked";
}

/**
 * Runs small steps in the background for as long as there is work, and sleeps otherwise.
 */
export class Worker {
  readonly #step: () => Promise<StepOutcome>;
  readonly #name: string;
  readonly #log: Logger;
  #running: Promise<void> | undefined;
  #awake = false;
  #closed = false;
  #failures = 0;
  /** The failure that was logged last. */
  #reported: { message: string; at: number } | undefined;
  #timer: NodeJS.Timeout | undefined;
  #restsUntil = 0;

  /** `step` does a bounded amount of work. */
  constructor(name: string, step: () => Promise<StepOutcome>, log: Logger) {
    this.#name = name;
    this.#step = step;
    this.#log = log;
  }

  /** Has the worker check for work. */
  wake(): void {
    if (this.#closed) return;
    this.#awake = true;
    clearTimeout(this.#timer);
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
      // Woken after the last check for work, but before this callback.
      if (this.#awake) this.wake();
    });
  }

  /** Whether it is looking for work, or about to. */
  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  /** Waits until there is no more work to do now. */
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
        // Checks again at least once per interval, even if the next item is due much
        // later: clocks may be adjusted.
        if (typeof outcome === "object") this.#wakeAfter(Math.min(outcome.dueInMs, backoff.maxMs));
      }
    } catch (error) {
      this.#report(error as Error);
      this.#tryLater();
    }
  }

  async #rest(): Promise<void> {
    // Bounded, so that it does not take hours where a test has put back the clock.
    const left = Math.min(this.#restsUntil - performance.now(), restMs);
    if (left > 0) await new Promise((resolve) => setTimeout(resolve, left));
  }

  /**
   * Once a minute at most while the reason is the same: events may wake a worker many
   * times a second.
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
