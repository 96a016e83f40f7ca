/**
 * The maximum number of values in the variables of an operation, and in the arguments of
 * all its fields together. The limit allows 1000 alerts with some thirty points each.
 * Every value costs a fraction of a microsecond in each of several checks.
 */
export const maxValues = 100_000;

/** A text counts as one value, plus another for every n characters. */
const charactersPerValue = 256;

/** The message about more than {@link maxValues} values. */
export const tooManyValues = `hold too many values (items of lists, fields of objects, texts): at most ${maxValues} allowed`;

/**
 * Counts the items of lists and the fields of objects in a value, at any depth. Stops
 * soon after the count exceeds {@link maxValues}.
 */
export function countValues(value: unknown, counted = 0): number {
  if (typeof value === "string") return counted + 1 + Math.floor(value.length / charactersPerValue);
  if (typeof value !== "object" || value === null) return counted + 1;
  let count = counted + 1;
  if (Array.isArray(value)) {
    if (count + value.length > maxValues) return count + value.length;
    for (const item of value) {
      count = countValues(item, count);
      if (count > maxValues) break;
    }
    return count;
  }
  for (const name in value) {
    count = countValues((value as Record<string, unknown>)[name], count);
    if (count > maxValues) break;
  }
  return count;
}
