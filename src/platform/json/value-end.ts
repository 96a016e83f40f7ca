import { backslash, brace, closingBrace, comma, openingBrace, quote } from "./json-characters.js";

/** The end of the value at a position of a valid JSON text; undefined if the value is longer than the limit. */
export function endOfValue(
  text: string,
  start: number,
  limit = Number.POSITIVE_INFINITY,
): number | undefined {
  const last = Math.min(text.length, start + limit);
  let depth = 0;
  for (let at = start; at < last; at += 1) {
    const character = text.charCodeAt(at);
    if (character === quote) at = endOfText(text, at);
    else if ((character | brace) === openingBrace) depth += 1;
    else if ((character | brace) === closingBrace) depth -= 1;
    // A number or a word ends where its list or object continues or ends.
    if (depth < 0 || (depth === 0 && character === comma)) return at;
    if (depth === 0 && (character === quote || (character | brace) === closingBrace)) return at + 1;
  }
  return undefined;
}

/** The position of the quote that ends the text after an opening quote. */
export function endOfText(text: string, start: number): number {
  for (let at = start + 1; ; at += 1) {
    const character = text.charCodeAt(at);
    if (character === backslash) at += 1;
    else if (character === quote || Number.isNaN(character)) return at;
  }
}
