import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";

/** A server whose requests are measured. */
export interface MeasuredServer {
  readonly url: string;
  /** CPU seconds used so far. */
  readonly cpu: number;
}

/** A server process whose CPU time and memory are read from /proc. */
export class MeasuredProcess implements MeasuredServer {
  private constructor(
    readonly child: ChildProcess,
    readonly url: string,
    /** The time until the program listened, in milliseconds. */
    readonly startTime: number,
  ) {}

  /** Starts a Node.js program and waits until it prints the URL it listens on. */
  static async start(
    program: string[],
    environment: Record<string, string>,
    ready: RegExp,
  ): Promise<MeasuredProcess> {
    const started = performance.now();
    const child = spawn(process.execPath, program, {
      env: { ...process.env, ...environment },
      stdio: ["ignore", "pipe", "inherit"],
    });
    const exited = once(child, "exit").then(([code]) => {
      throw new Error(`${program.join(" ")} exited with ${code}`);
    });
    const listening = (async () => {
      for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream })) {
        const url = ready.exec(line)?.[1];
        if (url) return url;
      }
      throw new Error(`${program.join(" ")} exited without printing the URL it listens on`);
    })();
    const url = await Promise.race([listening, exited]);
    exited.catch(() => {});
    child.stdout?.resume();
    return new MeasuredProcess(child, url, Math.round(performance.now() - started));
  }

  /** Current resident memory in bytes. */
  get memory(): number {
    return this.#status("VmRSS");
  }

  /** Peak resident memory since {@link resetPeak}, in bytes. */
  get peak(): number {
    return this.#status("VmHWM");
  }

  /** CPU seconds used so far. */
  get cpu(): number {
    return cpuSeconds(this.child.pid as number);
  }

  resetPeak(): void {
    writeFileSync(`/proc/${this.child.pid}/clear_refs`, "5");
  }

  async stop(): Promise<void> {
    const exited = once(this.child, "exit");
    this.child.kill("SIGTERM");
    await exited;
  }

  #status(name: string): number {
    const [, kibibytes] =
      new RegExp(`${name}:\\s+(\\d+) kB`).exec(readFileSync(`/proc/${this.child.pid}/status`, "utf8")) ?? [];
    if (!kibibytes) throw new Error(`/proc/${this.child.pid}/status has no ${name}`);
    return Number(kibibytes) * 1024;
  }
}

/**
 * CPU seconds that the threads of a process have used so far. They are counted in
 * nanoseconds, so that a few requests are enough.
 */
export function cpuSeconds(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`).map((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8"),
  );
  return threads.reduce((sum, statistics) => sum + Number(statistics.split(" ")[0]), 0) / 1e9;
}

/** The unit of the CPU times in `/proc/PID/stat`, in seconds. */
const tick = 0.01;

/** The parent of a process, and the CPU seconds of it and of its children that have ended. */
export function processTimes(pid: number): { parent: number; cpu: number } {
  // The name of the program, in parentheses, may have blanks.
  const [, stat = ""] = /^.*\) (.*)$/s.exec(readFileSync(`/proc/${pid}/stat`, "utf8")) ?? [];
  const fields = stat.split(" ").map(Number);
  const cpu = fields.slice(11, 15).reduce((sum, ticks) => sum + ticks, 0) * tick;
  return { parent: fields[1] as number, cpu };
}

export const megabytes = (bytes: number) => Math.round(bytes / 1e6);

export const median = (values: readonly number[]): number => percentile(values, 0.5);

/** The value that a share of the values is below. */
export const percentile = (values: readonly number[], share: number): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length * share)] ?? Number.NaN;

export const round = (value: number, digits = 2) => Number(value.toFixed(digits));
