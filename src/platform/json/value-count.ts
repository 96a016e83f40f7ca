import { JsonText } from "./json-text.js";

export interface ValueCounting {
  /** The count stops soon after it exceeds this. */
  maximum: number;
  /** A text counts as one value, plus another for every n characters. */
  charactersPerValue: number;
}

/**
 * Counts a value with the items of lists and the members of objects in it, at any depth. A value that holds
 * a {@link JsonText} counts as infinitely many, so that nobody writes it as a whole.
 */
export function countValues(value: unknown, counting: ValueCounting, counted = 0): number {
  if (typeof value === "string") return counted + 1 + Math.floor(value.length / counting.charactersPerValue);
  if (typeof value !== "object" || value === null) return counted + 1;
  if (value instanceof JsonText) return Number.POSITIVE_INFINITY;
  let count = counted + 1;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length && count <= counting.maximum; index += 1)
      count = countValues(value[index], counting, count);
    return count;
  }
  for (const name in value) {
    if (count > counting.maximum) break;
    count = countValues((value as Record<string, unknown>)[name], counting, count);
  }
  return count;
}
