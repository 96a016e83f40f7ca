import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** A request that another client repeats. */
export interface Probe {
  name: string;
  method: string;
  path: string;
  headers: Record<string, string>;
  /** In Base64. */
  body?: string;
  /** The time between two requests. */
  intervalMs: number;
  /** Whether one connection is used for all requests, or a new one for each. */
  keepsConnection: boolean;
}

/** The answers to a probe. */
export interface ProbeResult {
  name: string;
  count: number;
  slowestMs: number;
  /** The time of sending the slowest request, in milliseconds since 1970. */
  slowestAt: number;
  p99Ms: number;
  /** The number of requests that were not answered with 200. */
  failures: number;
  firstFailure?: string;
}

/** Another client, in a separate process. */
export class Probes {
  readonly #child: ChildProcess;

  constructor(
    /** The source address of the connections. */
    readonly localAddress: string,
  ) {
    this.#child = fork(fileURLToPath(new URL("./prober.ts", import.meta.url)), {
      execArgv: ["--import", "tsx"],
    });
  }

  /**
   * Starts to repeat the probes; the function that is returned ends that, waits for the
   * last answers and returns the results.
   */
  start(url: string, probes: readonly Probe[]): () => Promise<ProbeResult[]> {
    const finished = once(this.#child, "message");
    this.#child.send({ start: { url, localAddress: this.localAddress, probes } });
    return async () => {
      this.#child.send("stop");
      const [results] = (await finished) as [ProbeResult[]];
      return results;
    };
  }

  close(): void {
    this.#child.disconnect();
  }
}
