import { setTimeout as sleep } from "node:timers/promises";

/** How long a shutdown waits for requests in flight, in milliseconds, including the initial delay. */
const drainTimeoutMs = 15_000;

/** Tells whether the gateway is shutting down, and the time left for requests in flight. */
export class Shutdown {
  readonly #controller = new AbortController();
  #deadline = 0;

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get hasBegun(): boolean {
    return this.signal.aborted;
  }

  /** Milliseconds left for requests in flight; 0 before the shutdown begins. */
  get remainingMs(): number {
    return Math.max(0, this.#deadline - performance.now());
  }

  /** Begins the shutdown. Returns after `delayMs`, in which load balancers can stop sending requests. */
  async begin(delayMs: number): Promise<void> {
    this.#deadline = performance.now() + drainTimeoutMs;
    this.#controller.abort();
    await sleep(delayMs);
  }
}
