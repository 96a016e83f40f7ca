import { createWriteStream } from "node:fs";
import { link, mkdir, open, opendir, rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { codeOf } from "../../platform/thrown.js";
import { contentTypeOf, type ObjectContent, type ObjectLocation, type ObjectStore } from "./object-store.js";
import type { TemporaryFiles } from "./temporary-files.js";

/** Stores objects as files in a directory. Writes each file among the temporary files, and moves the complete file. */
export class LocalObjectStore implements ObjectStore {
  readonly kind = "local";
  readonly #directory: string;
  readonly #temporary: TemporaryFiles;
  readonly #known = new Set<string>();

  /** The temporary files must be on the same file system. */
  constructor(directory: string, temporary: TemporaryFiles) {
    this.#directory = path.resolve(directory);
    this.#temporary = temporary;
  }

  async put(key: string, content: ObjectContent): Promise<void> {
    const source = Buffer.isBuffer(content) ? Readable.from([content]) : content;
    // Nobody else handles errors of the stream until the pipeline is set up.
    source.on("error", () => {});
    const file = await this.#prepare(key);
    await this.#temporary.withDirectory(async (directory) => {
      const partial = path.join(directory, "partial");
      await pipeline(source, createWriteStream(partial));
      await rename(partial, file);
    });
  }

  async read(key: string): Promise<Readable | undefined> {
    return (await unlessMissing(open(this.#file(key))))?.createReadStream();
  }

  async copy(from: string, to: string): Promise<void> {
    // Link instead of copying. Objects are immutable, so two keys can share one file until both are deleted.
    await link(this.#file(from), await this.#prepare(to));
  }

  async delete(keys: readonly string[]): Promise<string[]> {
    // The store has never accepted an invalid key.
    const validKeys = keys.filter((key) => contentTypeOf(key));
    await Promise.all(validKeys.map((key) => rm(this.#file(key), { force: true })));
    return [];
  }

  async locate(key: string): Promise<ObjectLocation | undefined> {
    return contentTypeOf(key) ? { directory: this.#directory, file: key } : undefined;
  }

  async has(key: string): Promise<boolean> {
    return contentTypeOf(key) !== undefined && (await unlessMissing(stat(this.#file(key)))) !== undefined;
  }

  list(): AsyncGenerator<string> {
    return this.#keysBelow("");
  }

  close(): void {}

  async *#keysBelow(folder: string): AsyncGenerator<string> {
    const directory = await unlessMissing(opendir(path.join(this.#directory, folder), { bufferSize: 1000 }));
    for await (const entry of directory ?? []) {
      const name = folder + entry.name;
      // Follow links: an operator may have moved a folder to another disk, and left a link.
      const target = entry.isSymbolicLink()
        ? await unlessMissing(stat(path.join(this.#directory, name)))
        : entry;
      if (target?.isDirectory()) yield* this.#keysBelow(`${name}/`);
      else if (contentTypeOf(name)) yield name;
    }
  }

  #file(key: string): string {
    if (!contentTypeOf(key)) throw new Error("Not a key of the object store");
    return path.join(this.#directory, key);
  }

  async #prepare(key: string): Promise<string> {
    const file = this.#file(key);
    const directory = path.dirname(file);
    if (!this.#known.has(directory)) {
      await mkdir(directory, { recursive: true, mode: 0o700 });
      this.#known.add(directory);
    }
    return file;
  }
}

/** The result of a file operation; undefined if the file does not exist. */
async function unlessMissing<Result>(operation: Promise<Result>): Promise<Result | undefined> {
  try {
    return await operation;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}
