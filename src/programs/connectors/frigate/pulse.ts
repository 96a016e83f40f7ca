import { setTimeout as sleep } from "node:timers/promises";

/** Work that is done at intervals, and at once when it is woken. */
export class Pulse {
  readonly #periodMs: number;
  #isWoken = false;
  #waiting: AbortController | null = null;

  constructor(periodMs: number) {
    this.#periodMs = periodMs;
  }

  /** Lets the work be done again: at once, or right after it is done if it is being done. */
  wake(): void {
    this.#isWoken = true;
    this.#waiting?.abort();
  }

  /** Does the work, first at once, until the signal ends it. */
  async each(signal: AbortSignal, work: () => Promise<void>): Promise<void> {
    while (!signal.aborted) {
      this.#isWoken = false;
      await work();
      if (this.#isWoken) continue;
      this.#waiting = new AbortController();
      const either = AbortSignal.any([signal, this.#waiting.signal]);
      await sleep(this.#periodMs, undefined, { signal: either }).catch(() => {});
      this.#waiting = null;
    }
  }
}
