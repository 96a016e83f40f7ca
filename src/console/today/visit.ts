import { hasTexts, localTexts } from "../storage.js";

const hour = 3600_000;
const storageKey = "console.visit";
/**
 * How long Today stays about the same period, in milliseconds, also after a reload or in another tab: what is shown
 * must not vanish as soon as it counts as seen.
 */
const visitLength = 8 * hour;
/** The period of a first visit, and of viewers of whom nothing is kept. */
const firstPeriod = 24 * hour;
/** After less time, another browser goes on with the visit. */
const shortestAbsence = hour;
/** The longest period: counting by hours reads each alert. */
const longestPeriod = 31 * 24 * hour;

/** What Today is about: what happened since an instant. */
export interface Visit {
  since: string;
  /** The time of the visit before, which may be earlier than `since`; null at first. */
  seenAt: string | null;
}

/**
 * The present visit of a user, which goes on in this browser, or a new one; undefined as user stands for an API key. `now`
 * is the gateway's time.
 */
export function presentVisit(user: { id: string; seenAt: string | null } | undefined, now: number): Visit {
  const viewer = user?.id ?? "key";
  const kept = localTexts.getJson(storageKey);
  const wasHere = hasTexts(kept, ["viewer", "since", "beganAt", "seenAt"]) && kept.viewer === viewer;
  if (wasHere) {
    const age = now - Date.parse(kept.beganAt);
    const isValid = [kept.since, kept.seenAt || kept.since].every((text) => !Number.isNaN(Date.parse(text)));
    if (isValid && age >= 0 && age < visitLength) return { since: kept.since, seenAt: kept.seenAt || null };
  }
  const lastSeen = user?.seenAt ?? null;
  // A look in another browser just before is the same visit, whose beginning is not known here.
  const seenAt = wasHere || now - Date.parse(lastSeen ?? "") >= shortestAbsence ? lastSeen : null;
  const since = seenAt === null ? now - firstPeriod : Math.max(Date.parse(seenAt), now - longestPeriod);
  const visit = { since: new Date(since).toISOString(), seenAt };
  const beganAt = new Date(now).toISOString();
  localTexts.setItem(storageKey, JSON.stringify({ ...visit, seenAt: seenAt ?? "", viewer, beganAt }));
  return visit;
}

/** Whether a visit leaves out what happened long ago, although the viewer has not seen it. */
export const isCut = ({ since, seenAt }: Visit): boolean =>
  seenAt !== null && Date.parse(seenAt) < Date.parse(since);
