import { localDay } from "../language/formats.js";

/** How many weeks back the usual count of a weekday looks. */
const weeks = 8;
const dayMs = 24 * 3600_000;

/** The period in which alerts are counted by day: some days more than are shown, as days begin at other times elsewhere. The same all day long. */
export function countedPeriod(now: Date): { start: string; end: string } {
  const today = Math.floor(now.getTime() / dayMs) * dayMs;
  return { start: new Date(today - (7 * weeks + 2) * dayMs).toISOString(), end: new Date(today + 3 * dayMs).toISOString() };
}

/** A facility's alerts by its own calendar. */
export interface DailyCounts {
  today: number;
  /** The median of the same weekday in the last weeks; undefined if there was none since the first alert. */
  usual: number | undefined;
  /** The days up to today, the oldest first. */
  recent: { day: string; count: number }[];
}

/** What the counts of a facility's days say about its today. Days without alerts are missing in `counts`. */
export function dailyCounts(counts: readonly { key: string; count: number }[], timeZone: string, now: Date): DailyCounts {
  const countOf = new Map(counts.map(({ key, count }) => [key, count]));
  // At noon, no change of the clock leads into another day.
  const today = new Date(`${localDay(now, timeZone)}T12:00:00Z`);
  const back = (days: number) => {
    const day = new Date(today.getTime() - days * dayMs).toISOString().slice(0, 10);
    return { day, count: countOf.get(day) ?? 0 };
  };
  const first = counts[0]?.key ?? "9999";
  const same = Array.from({ length: weeks }, (_, index) => back(7 * (index + 1))).filter(({ day }) => day >= first);
  return {
    today: back(0).count,
    usual: median(same.map(({ count }) => count)),
    recent: Array.from({ length: 14 }, (_, index) => back(13 - index)),
  };
}

function median(values: readonly number[]): number | undefined {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const [low, high] = sorted.length % 2 === 1 ? [sorted[middle], sorted[middle]] : [sorted[middle - 1], sorted[middle]];
  return low === undefined || high === undefined ? undefined : Math.round((low + high) / 2);
}
