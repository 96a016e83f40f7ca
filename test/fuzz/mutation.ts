import type { SeededRandom } from "../../src/programs/demo/seeded-random.js";

const insertions = [
  "\u0000",
  "\r\n",
  "\r\n\r\n",
  '"',
  "{",
  "}",
  "[",
  "]",
  "\\",
  "\\u",
  "#",
  "...",
  "$",
  "@",
  ":",
  "--",
  ";",
  "%",
  "\ud800",
  "\u00a0",
  "é",
  "🎥",
  "null",
  "1e999",
  "-",
];

/** A copy of a text in which a few pieces are deleted, repeated, moved or replaced. */
export function mutateText(text: string, random: SeededRandom): string {
  let result = text;
  for (let round = random.integer(1, 4); round > 0; round -= 1) {
    const at = random.integer(0, result.length);
    const length = random.chance(0.7) ? random.integer(0, 5) : random.integer(0, result.length - at);
    const piece = result.slice(at, at + length);
    const replacement = random.pick([
      () => "",
      () => piece + piece,
      () => random.pick(insertions),
      () => piece + random.pick(insertions),
      () => [...piece].reverse().join(""),
      () => result.slice(random.integer(0, result.length)).slice(0, random.integer(0, 30)),
    ])();
    result = result.slice(0, at) + replacement + result.slice(at + length);
  }
  return result.slice(0, 200_000);
}

/** The same for bytes. */
export const mutateBytes = (bytes: Buffer, random: SeededRandom): Buffer =>
  Buffer.from(mutateText(bytes.toString("latin1"), random), "latin1");
