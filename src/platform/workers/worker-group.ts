import type { Worker } from "./worker.js";

/** The background workers of one gateway. */
export class WorkerGroup {
  readonly #workers: Worker[] = [];
  readonly #listeners: ((workspaceId: string) => void)[] = [];

  /**
   * Adds a worker. A worker that does not ask all workspaces each time learns through
   * `mayHaveWork` which workspaces may have due work.
   */
  add(worker: Worker, mayHaveWork?: (workspaceId: string) => void): void {
    this.#workers.push(worker);
    if (mayHaveWork) this.#listeners.push(mayHaveWork);
  }

  /**
   * Makes every worker check for work. If known, names the workspace that may have newly
   * due work.
   */
  wake(workspaceId?: string): void {
    if (workspaceId !== undefined) for (const mayHaveWork of this.#listeners) mayHaveWork(workspaceId);
    for (const worker of this.#workers) worker.wake();
  }

  /** Waits until no worker is running. */
  async idle(): Promise<void> {
    // One worker may wake another.
    while (this.#workers.some(({ isRunning }) => isRunning))
      for (const worker of this.#workers) await worker.idle();
  }

  async close(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.close()));
  }
}
