import { type Dispatch, type SetStateAction, useEffect, useState } from "react";
import { memberIn } from "../../platform/record.js";
import { sessionTexts } from "../storage.js";
import { authorization } from "./session.js";

const storageKey = "console.drafts";
/** The maximum number of drafts. Beyond it, the oldest is dropped. */
const mostKept = 50;

interface Drafts {
  owner: string;
  values: Record<string, unknown>;
}

/** The viewer, even with a new token or key; undefined if unknown. */
function presentOwner() {
  const [scheme, credentials = ""] = authorization()?.split(" ") ?? [];
  try {
    if (scheme === "Basic") return /cmk_[0-9a-f]+/.exec(atob(credentials))?.[0];
    const payload = credentials.split(".")[1] ?? "";
    const claims: unknown = JSON.parse(atob(payload.replaceAll("-", "+").replaceAll("_", "/")));
    const sub = memberIn(claims, "sub");
    return typeof sub === "string" ? `${memberIn(claims, "iss")} ${sub}` : undefined;
  } catch {
    return undefined;
  }
}

/** The drafts of the viewer; undefined if nobody is signed in. Nobody sees the drafts of another viewer. */
function presentDrafts(): Drafts | undefined {
  const owner = presentOwner();
  if (owner === undefined) return undefined;
  const kept = sessionTexts.getJson(storageKey);
  const values = memberIn(kept, "owner") === owner ? memberIn(kept, "values") : undefined;
  if (typeof values !== "object") sessionTexts.removeItem(storageKey);
  return { owner, values: Object.assign(Object.create(null), values) };
}

/** A draft from this tab; undefined if there is none. Another version may have written it: callers have to check it. */
export const keptDraft = (key: string): unknown => presentDrafts()?.values[key];

/**
 * Keeps a draft in this tab, also when the session ends or the page is loaded again. Undefined removes the
 * draft.
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

/** A text that is being written, which is back after signing in again. Empty texts are not kept. */
export function useDraftText(key: string): [text: string, setText: Dispatch<SetStateAction<string>>] {
  const [text, setText] = useState(() => {
    const kept = keptDraft(key);
    return typeof kept === "string" ? kept : "";
  });
  useEffect(() => keepDraft(key, text === "" ? undefined : text), [key, text]);
  return [text, setText];
}
