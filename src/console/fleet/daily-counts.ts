import { addDays } from "../language/calendar-days.js";
import { localDay } from "../language/time-zones.js";

/** The number of weeks for the usual count of a weekday. */
const weeks = 8;

/** The days for which each facility's alerts are counted. */
export const countedDays = { relativeDays: { from: -7 * weeks, to: 0 } };

/** A facility's alerts by its own calendar. */
export interface DailyCounts {
  today: number;
  /** The median for the same weekday in the last weeks; undefined without such a day since the first alert. */
  usual: number | undefined;
  /** The days up to today, the oldest first. */
  recent: { day: string; count: number }[];
}

/** Compares today's count of a facility with its recent days. `counts` has no entries for days without alerts. */
export function dailyCounts(
  counts: readonly { key: string; count: number }[],
  timeZone: string,
  now: Date,
): DailyCounts {
  const countOf = new Map(counts.map(({ key, count }) => [key, count]));
  const today = localDay(now, timeZone);
  const back = (days: number) => {
    const day = addDays(today, -days);
    return { day, count: countOf.get(day) ?? 0 };
  };
  const first = counts[0]?.key ?? "9999";
  const same = Array.from({ length: weeks }, (_, index) => back(7 * (index + 1))).filter(
    ({ day }) => day >= first,
  );
  return {
    today: back(0).count,
    usual: median(same.map(({ count }) => count)),
    recent: Array.from({ length: 14 }, (_, index) => back(13 - index)),
  };
}

function median(values: readonly number[]) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const [low, high] =
    sorted.length % 2 === 1 ? [sorted[middle], sorted[middle]] : [sorted[middle - 1], sorted[middle]];
  return low === undefined || high === undefined ? undefined : Math.round((low + high) / 2);
}
