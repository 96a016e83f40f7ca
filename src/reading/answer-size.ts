import { badRequest, type ServiceError } from "../platform/errors.js";
import { countRefusal } from "../platform/telemetry/refusals.js";

/**
 * A page of 1000 alerts with all fields has a megabyte or a few; this leaves 16 KB for
 * each.
 */
const mebibytes = 16;

/** The largest answer, by what is read from the database for it, in bytes. */
export const maxAnswerBytes = mebibytes * 1024 * 1024;

/** What an object counts for: about as much as one with its id alone takes. */
const bytesPerObject = 40;

/**
 * How much has been read for the answer of one request, so that it is refused before it
 * is made.
 */
export class AnswerSize {
  #bytes = 0;
  #objects = 0;
  #cost = 0;
  #max = maxAnswerBytes;

  /** For answers that are streamed. */
  removeLimit(): void {
    this.#max = Number.POSITIVE_INFINITY;
  }

  /** Counts what was read; BAD_REQUEST if that is too much. */
  add(bytes: number): void {
    this.#bytes += bytes;
    this.assertWithinLimit();
  }

  /**
   * Counts the objects of a list, also of one that was read before: what is read once may
   * be in an answer many times. BAD_REQUEST if they are too many.
   */
  addObjects(count: number): void {
    this.#objects += count;
    if (this.#objects * bytesPerObject > this.#max) throw tooLarge();
  }

  /**
   * Counts what is selected below lists that turned out longer than they are taken to be,
   * and returns what that costs altogether.
   */
  addCost(cost: number): number {
    this.#cost += cost;
    return this.#cost;
  }

  /** To be called when what was read is discarded. */
  clear(): void {
    this.#bytes = 0;
  }

  /**
   * To be called before an operation is executed in another way, with what is still there
   * of what was read.
   */
  restart(): void {
    this.#objects = 0;
    this.#cost = 0;
  }

  /** BAD_REQUEST if more has been read than an answer may contain. */
  assertWithinLimit(): void {
    if (this.#bytes > this.#max) throw tooLarge();
  }
}

function tooLarge(): ServiceError {
  countRefusal("answer_size", "request");
  return badRequest([
    {
      path: "query",
      message: `the answer would exceed ${mebibytes} MiB: ask for fewer objects or for fewer fields`,
    },
  ]);
}

/**
 * BAD_REQUEST for the text of an answer that is too long: what is read once may be
 * written many times.
 */
export function assertAnswerLength(length: number): void {
  if (length > maxAnswerBytes) throw tooLarge();
}
