import { ServiceError } from "../errors/errors.js";

interface Work<Result> {
  result: Promise<Result>;
  waiting: number;
  controller: AbortController;
}

/** Does work once for all callers that ask for it at the same time. Aborts the work when no caller waits any longer. */
export class SharedWork<Result> {
  readonly #inProgress = new Map<string, Work<Result>>();

  /** Joins the work in progress for a key, or starts it. Waits for the result until `signal` is aborted. */
  async run(
    key: string,
    start: (signal: AbortSignal) => Promise<Result>,
    { signal }: { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<Result> {
    signal?.throwIfAborted();
    const work = this.#inProgress.get(key) ?? this.#start(key, start);
    work.waiting += 1;
    try {
      return await until(work.result, signal);
    } finally {
      work.waiting -= 1;
      if (work.waiting === 0) this.#end(key, work);
    }
  }

  #start(key: string, start: (signal: AbortSignal) => Promise<Result>): Work<Result> {
    const controller = new AbortController();
    const work: Work<Result> = { result: start(controller.signal), waiting: 0, controller };
    // Once every caller has left, nobody else handles its errors.
    work.result.catch(() => {});
    this.#inProgress.set(key, work);
    return work;
  }

  #end(key: string, work: Work<Result>): void {
    this.#inProgress.delete(key);
    work.controller.abort(
      new ServiceError("UNAVAILABLE", "Nobody waits for the result any longer", { retryAfter: 1 }),
    );
  }
}

/** The result of a promise. Rejects with the signal's reason if the signal is aborted first. */
function until<Result>(promise: Promise<Result>, signal: AbortSignal | undefined): Promise<Result> {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener("abort", abort);
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
