import { createHash, randomUUID } from "node:crypto";
import { mkdir, readdir, rm, stat } from "node:fs/promises";
import { hostname } from "node:os";
import path from "node:path";

/** For how long the files of a process that we cannot look at, on another machine, are left alone, in milliseconds. */
const foreignPatience = 24 * 3_600_000;

const thisMachine = createHash("sha256").update(hostname()).digest("hex").slice(0, 8);

/**
 * Files that live no longer than what they are needed for: each process has a directory of its own, and whoever starts
 * next removes those of processes that are gone.
 */
export class TemporaryFiles {
  readonly #directory: string;

  private constructor(directory: string) {
    this.#directory = directory;
  }

  /** Opens a directory for this process below `parent`, and removes what ended processes left there. */
  static async open(parent: string): Promise<TemporaryFiles> {
    const directory = path.join(parent, `${thisMachine}-${process.pid}-${randomUUID()}`);
    openDirectories.add(directory);
    await mkdir(directory, { recursive: true, mode: 0o700 });
    for (const name of await readdir(parent)) {
      const other = path.join(parent, name);
      if (await isAbandoned(other)) await rm(other, { recursive: true, force: true });
    }
    return new TemporaryFiles(directory);
  }

  /** Lends an empty directory, and removes it with what is in it when the work is done. */
  async use<Result>(work: (directory: string) => Promise<Result>): Promise<Result> {
    const directory = path.join(this.#directory, randomUUID());
    await mkdir(directory, { recursive: true, mode: 0o700 });
    try {
      return await work(directory);
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  }

  async close(): Promise<void> {
    openDirectories.delete(this.#directory);
    await rm(this.#directory, { recursive: true, force: true });
  }
}

/** The directories of this process: several gateways may run in one. */
const openDirectories = new Set<string>();

async function isAbandoned(directory: string): Promise<boolean> {
  const [machine, pid] = path.basename(directory).split("-");
  if (machine !== thisMachine) return (await ageOf(directory)) > foreignPatience;
  if (Number(pid) === process.pid) return !openDirectories.has(directory);
  return !isAlive(Number(pid));
}

async function ageOf(directory: string): Promise<number> {
  try {
    return Date.now() - (await stat(directory)).mtimeMs;
  } catch (error) {
    // Another process was faster with removing it.
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return 0;
    throw error;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
