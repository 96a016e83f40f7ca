import {
  brace,
  closingBrace,
  comma,
  isDigit,
  isExponent,
  isInMantissa,
  openingBrace,
  quote,
} from "./json-characters.js";
import { maxPlainLength, rememberText } from "./json-numbers.js";
import { endOfText } from "./value-end.js";

/**
 * The maximum nesting of JSON. Functions that walk through JSON recurse once per level.
 */
const maxDepth = 64;

/** Why JSON is refused, as the end of a sentence: `is not valid JSON`. */
export class RefusedJsonError extends Error {}

/**
 * Parses JSON from outside. Throws a {@link RefusedJsonError} if it is not valid, is
 * nested too deeply, or holds more than `maxValues` list items and object members.
 * Nesting and values are counted before parsing, because many of them take long to parse.
 * Remembers the text if JSON.parse might change a number (see json-numbers.ts).
 */
export function parseJson(text: string, maxValues = Number.POSITIVE_INFINITY): unknown {
  const { values, depth, hasLongNumbers } = measure(text);
  if (depth > maxDepth) throw new RefusedJsonError(`is nested more than ${maxDepth} levels deep`);
  if (values > maxValues) throw new RefusedJsonError(`holds more than ${maxValues} values`);
  const value = parsed(text);
  if (hasLongNumbers) rememberText(value, text);
  return value;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new RefusedJsonError("is not valid JSON", { cause: error });
  }
}

interface JsonSize {
  /** The approximate number of list items and object members, counted by commas. */
  values: number;
  /** The maximum nesting of lists and objects. */
  depth: number;
  /** Whether JSON.parse might change a number: a long one, or one with an exponent. */
  hasLongNumbers: boolean;
}

function measure(text: string): JsonSize {
  const size = { values: 1, depth: 0, hasLongNumbers: false };
  let level = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charCodeAt(at);
    if (character === quote) at = endOfText(text, at);
    else if (character === comma) size.values += 1;
    else if (isDigit(character)) at = endOfNumber(text, at, size) - 1;
    else if ((character | brace) === closingBrace) level -= 1;
    else if ((character | brace) === openingBrace) {
      level += 1;
      if (level > size.depth) size.depth = level;
    }
  }
  return size;
}

/** The end of the digits of the number that begins at a position, after its sign. */
function endOfNumber(text: string, start: number, size: JsonSize): number {
  let end = start + 1;
  while (isInMantissa(text.charCodeAt(end))) end += 1;
  if (end - start > maxPlainLength || isExponent(text.charCodeAt(end))) size.hasLongNumbers = true;
  return end;
}
