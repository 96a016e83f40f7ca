import { createHash, randomUUID } from "node:crypto";
import { mkdir, readdir, rm, stat } from "node:fs/promises";
import { hostname } from "node:os";
import path from "node:path";
import { codeOf } from "../../platform/thrown.js";

/** The lifetime of files of a process on another host, because nobody can check that process. */
const otherHostTimeoutMs = 24 * 3_600_000;

const thisHost = createHash("sha256").update(hostname()).digest("hex").slice(0, 8);

/** Temporary files. Each process has its own directory, and at its start removes those of ended processes. */
export class TemporaryFiles {
  readonly #directory: string;
  readonly #inUse = new Set<Promise<unknown>>();

  private constructor(directory: string) {
    this.#directory = directory;
  }

  /** Creates a directory for this process in `parent`, and removes those of ended processes. */
  static async open(parent: string): Promise<TemporaryFiles> {
    const directory = path.join(parent, `${thisHost}-${process.pid}-${randomUUID()}`);
    const files = new TemporaryFiles(directory);
    openDirectories.add(directory);
    try {
      await mkdir(directory, { recursive: true, mode: 0o700 });
      for (const name of await readdir(parent)) {
        const other = path.join(parent, name);
        if (await isAbandoned(other)) await rm(other, { recursive: true, force: true });
      }
    } catch (error) {
      await files.close();
      throw error;
    }
    return files;
  }

  /** Calls `work` with an empty directory. Removes the directory and its contents afterwards. */
  async withDirectory<Result>(work: (directory: string) => Promise<Result>): Promise<Result> {
    const use = this.#workIn(work);
    this.#inUse.add(use);
    try {
      return await use;
    } finally {
      this.#inUse.delete(use);
    }
  }

  /** Where a directory may be made that is removed with all others. */
  pathOf(name: string): string {
    return path.join(this.#directory, name);
  }

  /** Removes everything once no work uses a directory any more. A request may outlive a disconnected client. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#inUse);
    await rm(this.#directory, { recursive: true, force: true });
    openDirectories.delete(this.#directory);
  }

  async #workIn<Result>(work: (directory: string) => Promise<Result>): Promise<Result> {
    const directory = path.join(this.#directory, randomUUID());
    await mkdir(directory, { recursive: true, mode: 0o700 });
    try {
      return await work(directory);
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  }
}

/** The directories in use by this process. Several gateways may run in it. */
const openDirectories = new Set<string>();

async function isAbandoned(directory: string): Promise<boolean> {
  const [machine, pid] = path.basename(directory).split("-");
  if (machine !== thisHost) return (await ageOf(directory)) > otherHostTimeoutMs;
  if (Number(pid) === process.pid) return !openDirectories.has(directory);
  return !isAlive(Number(pid));
}

async function ageOf(directory: string): Promise<number> {
  try {
    return Date.now() - (await stat(directory)).mtimeMs;
  } catch (error) {
    // Another process has already removed it.
    if (codeOf(error) === "ENOENT") return 0;
    throw error;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === "EPERM";
  }
}
