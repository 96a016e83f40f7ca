import { badRequest, type ServiceError } from "../../platform/errors/errors.js";
import { countRefusal } from "../../platform/telemetry/refusals.js";

/** A page of 1000 alerts with all fields takes a few megabytes. The limit leaves 16 KB for each alert. */
const mebibytes = 16;

/** The maximum number of bytes that are read from the database for one answer. */
export const maxAnswerBytes = mebibytes * 1024 * 1024;

/** The number of bytes that an object counts for: about the size of one with its ID alone. */
const bytesPerObject = 40;

/**
 * Counts the bytes that were read for the answer of a request: one that gets too large is refused before composing it.
 */
export class AnswerSize {
  #bytes = 0;
  #objects = 0;
  #cost = 0;
  #max = maxAnswerBytes;

  /** Lifts the limit, for answers that are streamed. */
  removeLimit(): void {
    this.#max = Number.POSITIVE_INFINITY;
  }

  /** Counts bytes that were read. BAD_REQUEST if the answer gets too large. */
  add(bytes: number): void {
    this.#bytes += bytes;
    this.assertWithinLimit();
  }

  /** Counts the objects of a list, even if read before: an answer may repeat it. BAD_REQUEST if there are too many. */
  addObjects(count: number): void {
    this.#objects += count;
    if (this.#objects * bytesPerObject > this.#max) throw tooLarge();
  }

  /** Counts the selection below lists that are longer than their estimate, and returns the total cost of such lists. */
  addCost(cost: number): number {
    this.#cost += cost;
    return this.#cost;
  }

  /** Call this after discarding everything that was read. */
  clear(): void {
    this.#bytes = 0;
  }

  /** Call this before executing an operation in another way. Rows in the loaders keep counting. */
  restart(): void {
    this.#objects = 0;
    this.#cost = 0;
  }

  /** Throws BAD_REQUEST if more bytes were read than an answer may contain. */
  assertWithinLimit(): void {
    if (this.#bytes > this.#max) throw tooLarge();
  }
}

const refused = new WeakSet<object>();

function tooLarge(): ServiceError {
  countRefusal("answer_size", "request");
  const error = badRequest([
    {
      path: "query",
      message: `the answer would exceed ${mebibytes} MiB: ask for fewer objects or for fewer fields`,
    },
  ]);
  refused.add(error);
  return error;
}

/** Whether an answer was refused as too large, so that no other way can compose it. */
export const isTooLarge = (error: unknown): boolean => refused.has(error as object);

/** Throws BAD_REQUEST if the text of an answer is too long: an answer may repeat what was read once. */
export function assertAnswerLength(length: number): void {
  if (length > maxAnswerBytes) throw tooLarge();
}
