import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import type { HttpRequest, LoadResult } from "./load.js";

/** Requests to send in turns for some time. */
export interface LoadJob {
  url: string;
  requests: readonly HttpRequest[];
  connections: number;
  seconds: number;
  /**
   * The number of requests that become due per second, whether or not earlier ones are
   * answered. Otherwise each connection always has one.
   */
  perSecond?: number;
}

/**
 * The result; times in milliseconds, each since the request was due, also if no
 * connection was free for it.
 */
export interface GeneratedLoad extends LoadResult {
  p95: number;
  /** Requests that were not answered with status 200. They are in no other figure. */
  refused: number;
  /** The share of a core that sending took. */
  cpuShare: number;
}

/**
 * Sends requests from a separate process, at a rate that autocannon cannot reach: each of
 * its connections sends all requests of a second at the start of that second.
 */
export class LoadGenerator {
  readonly #process: ChildProcess = fork(path.resolve("test/bench/load-generator-process.ts"), {
    execArgv: ["--import", "tsx"],
  });

  async send(job: LoadJob): Promise<GeneratedLoad> {
    this.#process.send(job);
    const ended = new AbortController();
    try {
      const failed = once(this.#process, "exit", { signal: ended.signal }).then(([code]) => {
        throw new Error(`The load generator exited with ${code}`);
      });
      const [load] = await Promise.race([once(this.#process, "message", { signal: ended.signal }), failed]);
      return load;
    } finally {
      ended.abort();
    }
  }

  stop(): void {
    this.#process.kill();
  }
}
