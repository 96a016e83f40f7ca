import { type Backoff, retryDelay } from "../../platform/network/retry-delay.js";
import type { Logger } from "../../platform/telemetry/log.js";
import { errorOf } from "../../platform/thrown.js";

const backoff: Backoff = { firstMs: 1_000, maxMs: 60_000 };
/** The rest after a step that left nothing to do: events come in bursts, and one step handles all of a moment. */
const restMs = 20;

/** The result: more may be left, nothing is, another instance has locked the rest, or the next item is due later. */
export type StepOutcome = "more" | "nothing" | "locked" | { dueInMs: number };

/** Runs small steps in the background while there is work, and sleeps otherwise. Runs that steps start go on. */
export class Worker {
  readonly #step: (worker: Worker) => Promise<StepOutcome>;
  readonly #name: string;
  readonly #log: Logger;
  readonly #closingMs: number;
  readonly #runs = new Set<Promise<void>>();
  readonly #abort = new AbortController();
  #running: Promise<void> | undefined;
  #awake = false;
  #closed = false;
  #failures = 0;
  /** The last logged failure. */
  #reported: { message: string; at: number } | undefined;
  #timer: NodeJS.Timeout | undefined;
  #restsUntil = 0;

  /** `step` does a bounded amount of work. Runs have `closingMs` to end when the worker closes. */
  constructor(name: string, step: (worker: Worker) => Promise<StepOutcome>, log: Logger, closingMs = 0) {
    this.#name = name;
    this.#step = step;
    this.#log = log;
    this.#closingMs = closingMs;
  }

  /** Starts a run, and looks for more work when it has ended. */
  start(run: (signal: AbortSignal) => Promise<void>): void {
    const running = run(this.#abort.signal)
      // Its lease ends by itself, and somebody takes the work again.
      .catch((error) => this.#log.warn({ err: error }, `${this.#name} failed and will be retried`))
      .finally(() => {
        this.#runs.delete(running);
        this.wake();
      });
    this.#runs.add(running);
  }

  get isClosed(): boolean {
    return this.#closed;
  }

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

  get isRunning(): boolean {
    return this.#running !== undefined || this.#runs.size > 0;
  }

  /** Waits until no work is left for now. */
  async idle(): Promise<void> {
    while (this.isRunning) await Promise.all([this.#running, ...this.#runs]);
  }

  /** Waits for the current step and all runs to finish, and starts no other. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#running;
    const timer = setTimeout(() => this.#abort.abort(), this.#closingMs);
    await Promise.all(this.#runs);
    clearTimeout(timer);
  }

  async #run(): Promise<void> {
    try {
      while (this.#awake && !this.#closed) {
        await this.#rest();
        if (this.#closed) break;
        this.#awake = false;
        const outcome = await this.#step(this);
        this.#reported = undefined;
        if (outcome === "locked") this.#tryLater();
        else this.#failures = 0;
        if (outcome === "more") this.#awake = true;
        else this.#restsUntil = performance.now() + restMs;
        // Check at least once per interval, even if the next item is due much later: someone may adjust the clock.
        if (typeof outcome === "object") this.#wakeAfter(Math.min(outcome.dueInMs, backoff.maxMs));
      }
    } catch (error) {
      this.#report(errorOf(error));
      this.#tryLater();
    }
  }

  async #rest(): Promise<void> {
    // Limit the rest: otherwise a test that sets back the clock would wait for hours.
    const left = Math.min(this.#restsUntil - performance.now(), restMs);
    if (left > 0) await new Promise((resolve) => setTimeout(resolve, left));
  }

  /** Logs the same reason at most once a minute: events may wake a worker many times a second. */
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
