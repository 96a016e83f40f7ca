import { useEffect, useState } from "react";
import { sessionTexts } from "../storage.js";
import { authorization } from "./session.js";

const storageKey = "console.drafts";
/** So many are kept; then the oldest is given up. */
const mostKept = 50;

/** What somebody was writing or drawing, by what it is for. */
interface Drafts {
  owner: string;
  values: Record<string, unknown>;
}

/** Who is signed in, also with another token or key; undefined if that cannot be told. */
function presentOwner(): string | undefined {
  const [scheme, credentials = ""] = authorization()?.split(" ") ?? [];
  try {
    if (scheme === "Basic") return /cmk_[0-9a-f]+/.exec(atob(credentials))?.[0];
    const payload = credentials.split(".")[1] ?? "";
    const { iss, sub } = JSON.parse(atob(payload.replaceAll("-", "+").replaceAll("_", "/"))) as {
      iss?: unknown;
      sub?: unknown;
    };
    return typeof sub === "string" ? `${iss} ${sub}` : undefined;
  } catch {
    return undefined;
  }
}

/** The drafts of whoever is signed in: nobody is shown what another has written. */
function presentDrafts(): Drafts | undefined {
  const owner = presentOwner();
  if (owner === undefined) return undefined;
  const kept = sessionTexts.getJson(storageKey) as Partial<Drafts> | null | undefined;
  const isTheirs = kept?.owner === owner && typeof kept.values === "object";
  if (!isTheirs) sessionTexts.removeItem(storageKey);
  return { owner, values: Object.assign(Object.create(null), isTheirs ? kept.values : {}) };
}

/**
 * A draft that is kept in this tab; undefined if there is none. It may be of another
 * version: whoever reads it has to look.
 */
export const keptDraft = (key: string): unknown => presentDrafts()?.values[key];

/**
 * Keeps a draft in this tab, over the end of the session and loading the page again;
 * undefined keeps it no longer.
 */
export function keepDraft(key: string, value: unknown): void {
  const drafts = presentDrafts();
  if (!drafts || (value === undefined && !(key in drafts.values))) return;
  const { owner, values } = drafts;
  delete values[key];
  if (value !== undefined) values[key] = value;
  const kept = Object.fromEntries(Object.entries(values).slice(-mostKept));
  sessionTexts.setItem(storageKey, JSON.stringify({ owner, values: kept }));
}

/**
 * A text that is being written, which is there again after signing in anew. An empty one
 * is not kept.
 */
export function useDraftText(key: string): [text: string, setText: (text: string) => void] {
  const [text, setText] = useState(() => {
    const kept = keptDraft(key);
    return typeof kept === "string" ? kept : "";
  });
  useEffect(() => keepDraft(key, text === "" ? undefined : text), [key, text]);
  return [text, setText];
}
