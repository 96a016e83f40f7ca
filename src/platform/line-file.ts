import type { Writable } from "node:stream";
import { finished } from "node:stream/promises";
import { takeTurn } from "./queues/turns.js";

/** A text file of which each row is a line. */
export interface LineFile<Row> {
  /** What precedes the rows. */
  head?: string;
  /** The line of a row, with its end. */
  lineOf: (row: Row) => string;
  /** How much work a line is. */
  unitsOf: (row: Row) => number;
}

/** Lines are written together until they are so much work or so many characters. */
const unitsPerWrite = 200;
const charactersPerWrite = 64 * 1024;

/**
 * Writes pages of rows as lines of UTF-8 to a stream, respecting its backpressure, and
 * returns the number of rows. Rejects if the stream is closed early.
 */
export async function writeLines<Row>(
  target: Writable,
  { head = "", lineOf, unitsOf }: LineFile<Row>,
  pages: AsyncIterable<Row[]>,
  onProgress: (rows: number) => void = () => {},
): Promise<number> {
  const output = new PacedOutput(target);
  // Nothing is sent before the first page was read: until then, a failure can still be
  // reported with a status code.
  let text = head;
  let units = 0;
  let count = 0;
  for await (const page of pages) {
    for (const row of page) {
      text += lineOf(row);
      units += unitsOf(row);
      if (units < unitsPerWrite && text.length < charactersPerWrite) continue;
      await takeTurn(output, units);
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

/** A stream that is written to no faster than it is read. */
class PacedOutput {
  readonly #target: Writable;
  #isClosed: boolean;
  #resume: (() => void) | undefined;

  constructor(target: Writable) {
    this.#target = target;
    this.#isClosed = target.closed;
    // Listeners for the whole file: the compressor of responses does not let go of
    // listeners for single events.
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
