import type { ComponentType } from "react";
import type { QueryChanges } from "../navigation/location.js";

/** Something that can be chosen in the palette: a view of the console, or an action. */
export type Entry = {
  /** Stays the same, and is kept for the entries that were chosen lately. */
  key: string;
  title: string;
  hint?: string | undefined;
  icon: ComponentType;
  /** Whether the entry is found by typing only. */
  isHidden?: boolean;
} & ({ to: QueryChanges } | { page: string } | { run: () => void });

/** The minimum text, in characters, for what is many: a shorter one finds nearly all of it. */
export const leastText = 2;

/** The words to look for, without accents and differences of case. */
export const wordsOf = (text: string): string[] =>
  foldedText(text)
    .split(/\s+/)
    .filter((word) => word !== "");

/** The folded texts of entries: rules are thousands, and are searched at each key. */
const foldedTexts = new WeakMap<Entry, { title: string; all: string }>();

function foldedTextsOf(entry: Entry) {
  const known = foldedTexts.get(entry);
  if (known) return known;
  const title = foldedText(entry.title);
  const folded = { title, all: `${title} ${foldedText(entry.hint ?? "")}` };
  foldedTexts.set(entry, folded);
  return folded;
}

function foldedText(text: string) {
  return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
}

/**
 * How well an entry matches words, from 0, the best; undefined if one of them is neither in its title nor in
 * its hint.
 */
function rankOf(entry: Entry, words: readonly string[]): number | undefined {
  const { title, all } = foldedTextsOf(entry);
  if (!words.every((word) => all.includes(word))) return undefined;
  if (title.startsWith(words[0] ?? "")) return 0;
  return words.some((word) => ` ${title}`.includes(` ${word}`)) ? 1 : 2;
}

/** The entries that match words: those chosen lately first, then the best ones. */
export function matching(
  entries: readonly Entry[],
  words: readonly string[],
  recent: readonly string[],
): Entry[] {
  const ranked = entries.flatMap((entry) => {
    const rank = rankOf(entry, words);
    return rank === undefined ? [] : [{ entry, rank: recent.includes(entry.key) ? -1 : rank }];
  });
  return ranked.sort((one, other) => one.rank - other.rank).map(({ entry }) => entry);
}
