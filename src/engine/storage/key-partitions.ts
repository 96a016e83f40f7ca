import { createHash } from "node:crypto";
import { appendFile, readFile } from "node:fs/promises";
import path from "node:path";

const partitionCount = 1024;
/** The characters per partition that stay in memory before the partition is appended to its file. */
const bufferSize = 16 * 1024;

/**
 * Entries with keys, in files of a directory. Entries with equal keys go to the same file, so any number of entries can
 * be compared by key in little memory.
 */
export class KeyPartitions<Entry extends { key: string }> {
  readonly #directory: string;
  readonly #buffers = new Map<number, string>();
  readonly #written = new Set<number>();

  constructor(directory: string) {
    this.#directory = directory;
  }

  async add(entry: Entry): Promise<void> {
    const partition = createHash("sha256").update(entry.key).digest().readUInt16BE() % partitionCount;
    const text = `${this.#buffers.get(partition) ?? ""}${JSON.stringify(entry)}\n`;
    this.#buffers.set(partition, text.length < bufferSize ? text : "");
    if (text.length < bufferSize) return;
    await appendFile(this.#fileOf(partition), text);
    this.#written.add(partition);
  }

  /** The entries of each partition by key. Call this after adding all entries. */
  async *read(): AsyncGenerator<Map<string, Entry[]>> {
    for (const [partition, buffered] of this.#buffers) {
      const text = this.#written.has(partition)
        ? (await readFile(this.#fileOf(partition), "utf8")) + buffered
        : buffered;
      const entries = new Map<string, Entry[]>();
      for (const line of text.split("\n").slice(0, -1)) {
        const entry = JSON.parse(line) as Entry;
        const sameKey = entries.get(entry.key);
        if (sameKey) sameKey.push(entry);
        else entries.set(entry.key, [entry]);
      }
      yield entries;
    }
  }

  #fileOf(partition: number): string {
    return path.join(this.#directory, `partition-${partition}`);
  }
}
