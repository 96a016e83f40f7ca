import type { AlertSelection } from "../alerts/filter/alert-filter.js";
import { addDays } from "../language/calendar-days.js";
import { localDay } from "../language/time-zones.js";

const shownDays = 14;
const day = 24 * 3600_000;

/** The days for which each facility's alerts are counted, by its own calendar. */
export const countedDays = { relativeDays: { from: 1 - shownDays, to: 0 } };

/** The alerts of each facility's yesterday up to the same time, with which those of today so far are compared. */
export const yesterdayByNow = (now: number) =>
  ({
    relativeDays: { from: -1, to: -1 },
    end: new Date(now - day).toISOString(),
  }) satisfies Partial<AlertSelection>;

/** The counts of a facility's days up to today, the oldest first. `counts` has no entries for days without alerts. */
export function dailyCounts(
  counts: readonly { key: string; count: number }[],
  timeZone: string,
  now: Date,
): number[] {
  const countOf = new Map(counts.map(({ key, count }) => [key, count]));
  const today = localDay(now, timeZone);
  return Array.from(
    { length: shownDays },
    (_, index) => countOf.get(addDays(today, index + 1 - shownDays)) ?? 0,
  );
}
