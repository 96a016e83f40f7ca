import { type ChildProcess, spawn } from "node:child_process";
import { briefProcess, builtCommand, testSecrets } from "./environment.js";
import { scanLog } from "./log-scan.js";
import { requireResource } from "./resources.js";

// Every importer is going to run the build.
await requireResource("build");

/** The exit of a process, with its output. */
export interface Ending {
  code: number | null;
  output: string;
  errors: string;
}

interface CommandOptions {
  /**
   * The settings. From the test's own environment, only the paths of programs and the
   * time are passed on.
   */
  environment?: Record<string, string | undefined>;
  parameters?: string[];
  /** The directory of the installation to run; this project by default. */
  installation?: string;
}

/** A built command such as `main` or `commands/token`, as a separate process. */
export class RunningCommand {
  readonly ended: Promise<Ending>;
  output = "";
  errors = "";
  readonly #child: ChildProcess;
  readonly #listeners = new Set<() => void>();

  constructor(name: string, { environment = {}, parameters = [], installation }: CommandOptions) {
    const settings = Object.entries(environment).filter(([, value]) => value !== undefined);
    // Neither would optimizing JavaScript pay off, except while the demo's pictures are
    // drawn.
    const child = spawn(
      process.execPath,
      [...briefProcess, "--no-opt", builtCommand(name, installation), ...parameters],
      {
        env: {
          PATH: process.env.PATH,
          ...movedClock(),
          SHUTDOWN_DELAY: "0",
          CAMERA_FEED: "off",
          ...Object.fromEntries(settings),
        },
        stdio: ["ignore", "pipe", "pipe"],
      },
    );
    this.#child = child;
    child.stdout.setEncoding("utf8").on("data", (text) => this.#heard("output", text));
    child.stderr.setEncoding("utf8").on("data", (text) => this.#heard("errors", text));
    this.ended = new Promise((resolve, reject) => {
      child.once("error", reject);
      child.once("close", (code) => {
        scanLog(this.output);
        resolve({ code, output: this.output, errors: this.errors });
      });
    });
  }

  /** Waits until standard output, or that for errors, matches; fails when the process ends before. */
  async said(pattern: RegExp, stream: "output" | "errors" = "output"): Promise<RegExpExecArray> {
    const match = () => pattern.exec(this[stream]);
    const heard = new Promise<RegExpExecArray>((resolve) => {
      const look = () => {
        const found = match();
        if (found) resolve(found);
      };
      this.#listeners.add(look);
      look();
    });
    const silence = this.ended.then(({ code, errors }) => {
      const found = match();
      if (found) return found;
      throw new Error(`The process ended with ${code} and never said ${pattern}: ${errors}`);
    });
    return Promise.race([heard, silence]);
  }

  get pid(): number {
    return this.#child.pid as number;
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Ends the process by a signal; by default however it fares. */
  kill(signal: NodeJS.Signals = "SIGKILL"): Promise<Ending> {
    this.signal(signal);
    return this.ended;
  }

  #heard(stream: "output" | "errors", text: string): void {
    this[stream] += text;
    for (const listener of this.#listeners) listener();
  }
}

/** The variables that move the clock of a process, if the tests run under libfaketime. */
const movedClock = () =>
  Object.fromEntries(
    Object.entries(process.env).filter(([name]) => name === "LD_PRELOAD" || name.includes("FAKE")),
  );

/** Starts a built command that ends with the running test at the latest. */
export function startCommand(name: string, options: CommandOptions = {}): RunningCommand {
  const command = new RunningCommand(name, options);
  onTestFinished(async () => void (await command.kill()));
  return command;
}

/** Runs a built command to its end. */
export const runCommand = (name: string, options: CommandOptions = {}): Promise<Ending> =>
  startCommand(name, options).ended;

/** The settings that a gateway needs as a process; `variables` lead to its data. */
export const gatewaySettings = (variables: Record<string, string>): Record<string, string> => ({
  ...testSecrets,
  SEED: "none",
  DEMO_LIVE: "off",
  PORT: "0",
  LOG_LEVEL: "info",
  ...variables,
});

/** Waits until a gateway says that it is ready. Returns its address. */
export async function addressOf(gateway: RunningCommand): Promise<string> {
  const [, port] = await gateway.said(
    /The gateway is ready\.[\s\S]*?http:\/\/localhost:(\d+)\/graphql[\s\S]*\n\n/,
  );
  return `http://127.0.0.1:${port}`;
}
