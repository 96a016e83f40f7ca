import type { Digest } from "../../generated/prisma/client.js";
import { instantOf, localTime } from "../../platform/time.js";

/** When a digest is due each day, and when the last one was. */
type DigestSchedule = Pick<Digest, "at" | "timeZoneId" | "lastDueAt">;

/** The calendar day of an instant in a time zone, such as 2026-11-20. */
const dayOf = (instant: Date, timeZoneId: string): string => localTime(instant, timeZoneId).slice(0, 10);

const dayAfter = (day: string): string => {
  const midnight = new Date(`${day}T00:00:00Z`);
  midnight.setUTCDate(midnight.getUTCDate() + 1);
  return midnight.toISOString().slice(0, 10);
};

/**
 * When the next digest is due after an instant: once per calendar day, also if clocks skip or repeat the time, or if
 * the user sets another one.
 */
export function nextDigestAt({ at, timeZoneId, lastDueAt }: DigestSchedule, after: Date): Date {
  let day = dayOf(after, timeZoneId);
  const lastDay = lastDueAt && dayOf(lastDueAt, timeZoneId);
  if (lastDay && lastDay >= day) day = dayAfter(lastDay);
  for (;;) {
    const due = instantOf(`${day}T${at}`, timeZoneId);
    if (due > after) return due;
    day = dayAfter(day);
  }
}
