import type { Writable } from "node:stream";
import { finished } from "node:stream/promises";
import { takeSlice } from "../queues/slices.js";

/** A text file with one line per row. */
export interface LineFile<Row> {
  head?: string;
  /** The line of a row, including its line break. */
  lineOf: (row: Row) => string;
  /** The work of writing a line, in units. */
  unitsOf: (row: Row) => number;
}

/** A write collects lines up to this many units of work, or this many characters. */
const unitsPerWrite = 200;
const charactersPerWrite = 64 * 1024;

/**
 * Writes pages of rows as UTF-8 lines to a stream, respects its backpressure, and returns the number of
 * rows. Rejects if the stream closes early.
 */
export async function writeLines<Row>(
  target: Writable,
  { head = "", lineOf, unitsOf }: LineFile<Row>,
  pages: AsyncIterable<Row[]>,
  onProgress: (rows: number) => void = () => {},
): Promise<number> {
  const output = new PacedOutput(target);
  // Read the first page before sending anything: until then, a failure can still set the status code.
  let text = head;
  let units = 0;
  let count = 0;
  for await (const page of pages) {
    for (const row of page) {
      text += lineOf(row);
      units += unitsOf(row);
      if (units < unitsPerWrite && text.length < charactersPerWrite) continue;
      await takeSlice(output, units);
      await output.write(text);
      text = "";
      units = 0;
    }
    count += page.length;
    onProgress(count);
  }
  await output.end(text);
  return count;
}

/** Writes to a stream no faster than its reader reads. */
class PacedOutput {
  readonly #target: Writable;
  #isClosed: boolean;
  #resume: (() => void) | undefined;

  constructor(target: Writable) {
    this.#target = target;
    this.#isClosed = target.closed;
    // One listener for the whole file: the compressor of responses never releases listeners for single events.
    target.on("drain", () => this.#resume?.());
    target.once("close", () => {
      this.#isClosed = true;
      this.#resume?.();
    });
  }

  async write(text: string): Promise<void> {
    this.#assertOpen();
    if (this.#target.write(text)) return;
    await new Promise<void>((resolve) => {
      this.#resume = resolve;
    });
    this.#assertOpen();
  }

  async end(text: string): Promise<void> {
    this.#assertOpen();
    this.#target.end(text);
    await finished(this.#target);
  }

  #assertOpen(): void {
    if (this.#isClosed) throw new Error("The stream that the lines are written to was closed");
  }
}
