import { randomUUID } from "node:crypto";
import { link, mkdir, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import type { ObjectStore } from "./object-store.js";

const keyShape = /^(?:[a-z0-9][a-z0-9_-]*\/)*[a-z0-9][a-z0-9_-]*\.(?:jpg|png|webp)$/;

/** Keeps objects as files below a directory. */
export class LocalObjectStore implements ObjectStore {
  readonly kind = "local";
  readonly #directory: string;
  readonly #known = new Set<string>();

  constructor(directory: string) {
    this.#directory = path.resolve(directory);
  }

  async put(key: string, content: Buffer): Promise<void> {
    const file = await this.#prepare(key);
    const partial = `${file}.${randomUUID()}.partial`;
    await writeFile(partial, content, { flag: "wx" });
    await rename(partial, file);
  }

  async copy(from: string, to: string): Promise<void> {
    // Objects never change once stored, so that two names may share one content until each is deleted.
    await link(this.#file(from), await this.#prepare(to));
  }

  async delete(key: string): Promise<void> {
    const file = this.path(key);
    // What cannot be a key was never stored here.
    if (file !== undefined) await rm(file, { force: true });
  }

  path(key: string): string | undefined {
    return keyShape.test(key) ? path.join(this.#directory, key) : undefined;
  }

  #file(key: string): string {
    const file = this.path(key);
    if (file === undefined) throw new Error("Not a key of the object store");
    return file;
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
