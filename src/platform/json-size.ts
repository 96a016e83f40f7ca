import { backslash, brace, closingBrace, comma, openingBrace, quote } from "./json-characters.js";

/** How much JSON holds. */
export interface JsonSize {
  /** About how many items of lists and members of objects there are, by their commas. */
  values: number;
  /** How deep lists and objects are nested. */
  depth: number;
}

/** Measures JSON before it is parsed: many members, or deep nesting, take long. */
export function measureJson(json: Buffer): JsonSize {
  const size = { values: 1, depth: 0 };
  let level = 0;
  for (let at = 0; at < json.length; at += 1) {
    const character = json[at] as number;
    if (character === quote) at = endOfText(json, at);
    else if (character === comma) size.values += 1;
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
