import type { Worker } from "./worker.js";

/** The background workers of one gateway. */
export class WorkerGroup {
  readonly #workers: Worker[] = [];

  add(worker: Worker): void {
    this.#workers.push(worker);
  }

  /** Has every worker check for work. */
  wake(): void {
    for (const worker of this.#workers) worker.wake();
  }

  /** Waits until no worker is running. */
  async idle(): Promise<void> {
    // One may wake another.
    while (this.#workers.some(({ isRunning }) => isRunning)) for (const worker of this.#workers) await worker.idle();
  }

  async close(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.close()));
  }
}
