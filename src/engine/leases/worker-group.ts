import type { Logger } from "../../platform/telemetry/log.js";
import { type StepOutcome, Worker } from "./worker.js";

interface WorkerOptions {
  /** Learns which workspaces may have newly due work, unless the worker asks all of them. */
  mayHaveWork?: (workspaceId: string) => void;
  /** The time that runs have to end when the worker closes. */
  closingMs?: number;
}

export class WorkerGroup {
  readonly #log: Logger;
  readonly #workers: Worker[] = [];
  readonly #listeners: ((workspaceId: string) => void)[] = [];

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Adds a worker, which begins when it is woken. */
  add(
    name: string,
    step: (worker: Worker) => Promise<StepOutcome>,
    { mayHaveWork, closingMs }: WorkerOptions = {},
  ): Worker {
    const worker = new Worker(name, step, this.#log, closingMs);
    this.#workers.push(worker);
    if (mayHaveWork) this.#listeners.push(mayHaveWork);
    return worker;
  }

  /** Makes every worker check for work. If known, names the workspace that may have newly due work. */
  wake(workspaceId?: string): void {
    if (workspaceId !== undefined) for (const mayHaveWork of this.#listeners) mayHaveWork(workspaceId);
    for (const worker of this.#workers) worker.wake();
  }

  /** Waits until no worker has work. */
  async idle(): Promise<void> {
    // One worker may wake another, and so may what it started.
    do for (const worker of this.#workers) await worker.idle();
    while (this.#workers.some(({ isRunning }) => isRunning));
  }

  async close(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.close()));
  }
}
