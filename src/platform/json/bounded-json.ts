import { brace, closingBrace, comma, openingBrace, quote } from "./json-characters.js";
import { endOfText } from "./value-end.js";

/** The maximum nesting of JSON. Functions that walk through JSON recurse once per level. */
const maxDepth = 64;

/** Why JSON is refused, as the end of a sentence: `is not valid JSON`. */
export class RefusedJsonError extends Error {}

/**
 * Parses JSON from outside. Throws a {@link RefusedJsonError} if it is not valid, is nested too deeply, or holds more
 * than `maxValues` list items and object members. Counts them before parsing, because many of them take long to parse.
 */
export function parseJson(text: string, maxValues = Number.POSITIVE_INFINITY): unknown {
  const { values, depth } = measure(text);
  if (depth > maxDepth) throw new RefusedJsonError(`is nested more than ${maxDepth} levels deep`);
  if (values > maxValues) throw new RefusedJsonError(`holds more than ${maxValues} values`);
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
}

function measure(text: string): JsonSize {
  const size = { values: 1, depth: 0 };
  let level = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charCodeAt(at);
    if (character === quote) at = endOfText(text, at);
    else if (character === comma) size.values += 1;
    else if ((character | brace) === closingBrace) level -= 1;
    else if ((character | brace) === openingBrace) {
      level += 1;
      if (level > size.depth) size.depth = level;
    }
  }
  return size;
}
