import { type ChildProcessByStdio, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { setPriority } from "node:os";
import { pipeline, Readable, type Writable } from "node:stream";

/** The time between asking a program to end and ending it. */
const graceTime = 1000;
/** The length of standard error that is kept of its beginning, and of its end. */
const keptErrors = 8192;
/** The address space of a program: for pictures of 50 megapixels, it needs up to 1 GiB. */
const maxMemory = 1280 * 1024 * 1024;

/**
 * Programs of util-linux that limit a program, and end it with its parent however that ends. Without them,
 * the gateway ends what it started only while it runs itself.
 */
const limits = [
  ["/usr/bin/prlimit", `--as=${maxMemory}`, "--fsize=0", "--core=0", "--"],
  ["/usr/bin/setpriv", "--pdeathsig", "KILL", "--"],
];

/** The exit codes of util-linux and the loader for a program that cannot be started. */
const startFailures = [126, 127];

export type Command = readonly [program: string, ...parameters: string[]];

/**
 * A run of ffmpeg or ffprobe. It has no environment, reads a script or packets, and writes neither files nor anything
 * that is shown: its errors contain passwords.
 */
export class MediaProgram {
  readonly output: Readable;
  /**
   * Resolves once the program has ended, with an extract of what it wrote as errors. Fails if it cannot be
   * started.
   */
  readonly ended: Promise<string>;
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  #killing: NodeJS.Timeout | undefined;
  #hasEnded = false;

  /** A niceness of 19 gives way to all others. */
  constructor(command: Command, input: string | Iterable<Buffer> | AsyncIterable<Buffer>, niceness: number) {
    const [program] = command;
    const [first = program, ...rest] = [...limits.filter(isInstalled).flat(), ...command];
    const child = spawn(first, rest, { cwd: "/", env: {}, stdio: ["pipe", "pipe", "pipe"] });
    this.#child = child;
    if (child.pid !== undefined) giveWay(child.pid, niceness);
    let errors = () => "";
    this.ended = new Promise((resolve, reject) => {
      const fail = (cause?: unknown) => reject(new Error(`${program} cannot be started`, { cause }));
      child.on("error", fail);
      child.once("close", (code) => {
        this.#hasEnded = true;
        clearTimeout(this.#killing);
        if (startFailures.includes(code ?? 0)) fail();
        else resolve(errors());
      });
    });
    // Whoever reads the output first learns of a failure only later.
    this.ended.catch(() => {});
    // Without free file descriptors, there are no streams, and the error comes afterwards.
    this.output = child.stdout;
    errors = readErrors(child.stderr);
    // A program that ended has no use for the rest.
    pipeline(Readable.from(input), child.stdin, () => {});
  }

  /** Asks the program to end, so that it closes its session, and ends it a moment later. */
  stop(): void {
    if (this.#hasEnded || this.#killing) return;
    this.#child.kill();
    this.#killing = setTimeout(() => this.kill(), graceTime);
  }

  /** Ends the program at once. */
  kill(): void {
    this.#child.kill("SIGKILL");
  }
}

/** Lowers the priority of a process, with the threads that it will start. */
function giveWay(pid: number, niceness: number): void {
  try {
    setPriority(pid, niceness);
  } catch {
    // The process has ended already.
  }
}

const isInstalled = ([program = ""]: readonly string[]) => existsSync(program);

/** Keeps the beginning and the end of a stream's text. Returns a function that tells it. */
function readErrors(stream: Readable): () => string {
  let beginning = "";
  let end = "";
  stream.setEncoding("utf8").on("data", (text: string) => {
    const taken = keptErrors - beginning.length;
    beginning += text.slice(0, taken);
    end = (end + text.slice(taken)).slice(-keptErrors);
  });
  return () => beginning + end;
}
