import { countValues, type ValueCounting } from "../../platform/json/value-count.js";

/**
 * The maximum number of values in the variables of an operation, and in the arguments of all its fields together. It
 * allows 1000 alerts with some fifty points each, or 1000 frames with five tracked objects of fifteen attributes each.
 */
const counting: ValueCounting = { maximum: 150_000, charactersPerValue: 256 };

/** The message about more values than an operation may have. */
export const tooManyValues = `hold too many values (items of lists, fields of objects, texts): at most ${counting.maximum} allowed`;

/** Adds the values in a value to those counted so far. */
export const addValues = (value: unknown, counted = 0): number => countValues(value, counting, counted);

/** Whether an operation may not have this number of values. */
export const exceedsValues = (count: number): boolean => count > counting.maximum;
