import {
  backslash,
  brace,
  closingBrace,
  comma,
  isDigit,
  isExponent,
  isInMantissa,
  openingBrace,
  quote,
} from "./json-characters.js";
import { maxPlainLength } from "./json-numbers.js";

/** The size of JSON. */
export interface JsonSize {
  /** The approximate number of list items and object members, counted by commas. */
  values: number;
  /** The maximum nesting of lists and objects. */
  depth: number;
  /** Whether JSON.parse might change a number: a long one, or one with an exponent. */
  hasLongNumbers: boolean;
}

/**
 * Measures JSON before parsing, because many members or deep nesting take long to parse.
 */
export function measureJson(json: Buffer): JsonSize {
  const size = { values: 1, depth: 0, hasLongNumbers: false };
  let level = 0;
  for (let at = 0; at < json.length; at += 1) {
    const character = json[at] as number;
    if (character === quote) at = endOfText(json, at);
    else if (character === comma) size.values += 1;
    else if (isDigit(character)) at = endOfNumber(json, at, size) - 1;
    else if ((character | brace) === closingBrace) level -= 1;
    else if ((character | brace) === openingBrace) {
      level += 1;
      if (level > size.depth) size.depth = level;
    }
  }
  return size;
}

/** The position of the quote that ends the text after an opening quote. */
function endOfText(json: Buffer, start: number): number {
  let at = start + 1;
  while (at < json.length && json[at] !== quote) at += json[at] === backslash ? 2 : 1;
  return at;
}

/** The end of the digits of the number that begins at a position, after its sign. */
function endOfNumber(json: Buffer, start: number, size: JsonSize): number {
  let end = start + 1;
  while (isInMantissa(json[end] as number)) end += 1;
  if (end - start > maxPlainLength || isExponent(json[end] as number)) size.hasLongNumbers = true;
  return end;
}
