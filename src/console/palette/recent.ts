import { localTexts } from "../storage.js";

const storageKey = "console.recent";
/** The maximum number of entries that are kept. */
const mostKept = 6;

/**
 * The keys of what a user chose last in this browser, latest first. Names are not kept:
 * they are read again, so that only what the user may still see is shown.
 */
export function recentKeys(userId: string | undefined): string[] {
  const kept = localTexts.getJson(storageKey) as { userId?: unknown; keys?: unknown } | null | undefined;
  if (userId === undefined || kept?.userId !== userId || !Array.isArray(kept.keys)) return [];
  return kept.keys.filter((key) => typeof key === "string").slice(0, mostKept);
}

/** Keeps what a user chose. What another user chose in this browser is forgotten. */
export function keepRecent(userId: string | undefined, key: string): void {
  if (userId === undefined) return;
  const keys = [...new Set([key, ...recentKeys(userId)])].slice(0, mostKept);
  localTexts.setItem(storageKey, JSON.stringify({ userId, keys }));
}
