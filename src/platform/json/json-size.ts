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

/** How much JSON holds. */
export interface JsonSize {
  /** About how many items of lists and members of objects there are, by their commas. */
  values: number;
  /** How deep lists and objects are nested. */
  depth: number;
  /**
   * Whether there are numbers whose value JSON.parse might change: long ones, or with an
   * exponent.
   */
  hasLongNumbers: boolean;
}

/** Measures JSON before it is parsed: many members, or deep nesting, take long. */
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

/** Where the text ends that begins at a quote: at another one. */
function endOfText(json: Buffer, start: number): number {
  let at = start + 1;
  while (at < json.length && json[at] !== quote) at += json[at] === backslash ? 2 : 1;
  return at;
}

/** Where the digits end of the number that begins at a position, after its sign. */
function endOfNumber(json: Buffer, start: number, size: JsonSize): number {
  let end = start + 1;
  while (isInMantissa(json[end] as number)) end += 1;
  if (end - start > maxPlainLength || isExponent(json[end] as number)) size.hasLongNumbers = true;
  return end;
}
