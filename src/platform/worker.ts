import type { Logger } from "./log.js";

const firstRetry = 1_000;
const lastRetry = 60_000;

/**
 * What a step found: something that may go on, nothing to do, something that somebody else holds at the moment, or
 * something that is due after so many milliseconds.
 */
export type StepOutcome = "more" | "nothing" | "later" | { after: number };

/** Does small steps in the background while there is something to do, and nothing at all otherwise. */
export class Worker {
  readonly #step: () => Promise<StepOutcome>;
  readonly #name: string;
  readonly #log: Logger;
  #running: Promise<void> | undefined;
  #awake = false;
  #closed = false;
  #retry = firstRetry;
  #timer: NodeJS.Timeout | undefined;

  /** `step` does a bounded piece of work. */
  constructor(name: string, step: () => Promise<StepOutcome>, log: Logger) {
    this.#name = name;
    this.#step = step;
    this.#log = log;
  }

  /** Says that there may be something to do. */
  wake(): void {
    if (this.#closed) return;
    this.#awake = true;
    clearTimeout(this.#timer);
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
      // Woken after the last look, and before this.
      if (this.#awake) this.wake();
    });
  }

  /** Waits until there is nothing more to do at the moment. */
  async idle(): Promise<void> {
    while (this.#running) await this.#running;
  }

  /** Lets the current step finish, and starts no other. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  async #run(): Promise<void> {
    try {
      while (this.#awake && !this.#closed) {
        this.#awake = false;
        const outcome = await this.#step();
        if (outcome === "later") this.#tryLater();
        else this.#retry = firstRetry;
        if (outcome === "more") this.#awake = true;
        // What is due much later is looked for again in between: clocks may be moved.
        if (typeof outcome === "object") this.#wakeAfter(Math.min(outcome.after, lastRetry));
      }
    } catch (error) {
      this.#log.warn({ err: error }, `${this.#name} failed and is tried again`);
      this.#tryLater();
    }
  }

  #tryLater(): void {
    this.#wakeAfter(this.#retry);
    this.#retry = Math.min(this.#retry * 2, lastRetry);
  }

  #wakeAfter(milliseconds: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.wake(), milliseconds).unref();
  }
}
