import { setTimeout as sleep } from "node:timers/promises";

/**
 * Milliseconds that a shutdown waits for requests in flight, including the delay before
 * it.
 */
const drainTimeoutMs = 15_000;

/**
 * Whether the gateway is shutting down, and how long requests in flight may still take.
 */
export class Shutdown {
  readonly #controller = new AbortController();
  #deadline = 0;

  /** Aborted when the shutdown begins. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get hasBegun(): boolean {
    return this.signal.aborted;
  }

  /**
   * Milliseconds that requests in flight may still take; none unless a shutdown has
   * begun.
   */
  get remainingMs(): number {
    return Math.max(0, this.#deadline - performance.now());
  }

  /**
   * Begins the shutdown, and returns once load balancers have had `delayMs` to stop
   * sending requests.
   */
  async begin(delayMs: number): Promise<void> {
    this.#deadline = performance.now() + drainTimeoutMs;
    this.#controller.abort();
    await sleep(delayMs);
  }
}
