import type { Worker } from "./worker.js";

/** The background workers of one gateway. */
export class WorkerGroup {
  readonly #workers: Worker[] = [];
  readonly #listeners: ((workspaceId: string) => void)[] = [];
  readonly #idle: (() => Promise<void>)[] = [];

  /**
   * Adds a worker. A worker that does not ask all workspaces each time learns through
   * `mayHaveWork` which workspaces may have due work. If its steps start work that goes
   * on after them, `idle` waits for that.
   */
  add(worker: Worker, mayHaveWork?: (workspaceId: string) => void, idle?: () => Promise<void>): void {
    this.#workers.push(worker);
    if (mayHaveWork) this.#listeners.push(mayHaveWork);
    if (idle) this.#idle.push(idle);
  }

  /**
   * Makes every worker check for work. If known, names the workspace that may have newly
   * due work.
   */
  wake(workspaceId?: string): void {
    if (workspaceId !== undefined) for (const mayHaveWork of this.#listeners) mayHaveWork(workspaceId);
    for (const worker of this.#workers) worker.wake();
  }

  /** Waits until no worker is running, and nothing that they started. */
  async idle(): Promise<void> {
    // One worker may wake another, and so may what it started.
    do {
      for (const worker of this.#workers) await worker.idle();
      for (const idle of this.#idle) await idle();
    } while (this.#workers.some(({ isRunning }) => isRunning));
  }

  async close(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.close()));
  }
}
