import { type AlertSelection, type RecentPeriod, recentPeriods } from "../alerts/alert-filter.js";
import { localDay, startOfLocalDay } from "../language/formats.js";

/** How long a bar may be. */
export const units = ["DAY", "WEEK", "MONTH"] as const;

/** How long a bar is. */
export type Unit = (typeof units)[number];

/** A period of time in ISO 8601; the end is exclusive. */
export interface Period {
  start: string;
  end: string;
}

const hourMs = 3600_000;
const dayMs = 24 * hourMs;
const isoOf = (time: number) => new Date(time).toISOString();

/**
 * The period that a selection asks for, and the one before it. It ends with the present hour unless the selection says when, and a
 * period of days begins with a day of the facilities. What has no start is as long as the period.
 */
export function comparedPeriods(
  { period, start, end }: Pick<AlertSelection, "start" | "end"> & { period: RecentPeriod },
  timeZones: readonly string[],
  now: Date,
): { shown: Period; before: Period } {
  const until = end === undefined ? Math.ceil((now.getTime() + 1) / hourMs) * hourMs : Date.parse(end);
  const length = recentPeriods[period] * hourMs;
  const from = Math.min(start === undefined ? startOfRecent(until - length, length, timeZones) : Date.parse(start), until);
  // Recent periods are compared at the same hours of the same weekdays.
  const back = start === undefined ? length : until - from;
  return { shown: { start: isoOf(from), end: isoOf(until) }, before: { start: isoOf(from - back), end: isoOf(until - back) } };
}

function startOfRecent(start: number, length: number, timeZones: readonly string[]): number {
  if (length <= dayMs) return start;
  const [day] = timeZones
    .map((zone) => localDay(new Date(start + dayMs - 1), zone))
    .sort()
    .reverse();
  return Math.max(start, ...timeZones.map((zone) => startOfLocalDay(day as string, zone).getTime()));
}

/** The unit in which a period has neither too few bars nor too many. */
export function suitableUnit({ start, end }: Period): Unit {
  const days = (Date.parse(end) - Date.parse(start)) / dayMs;
  if (days <= 45) return "DAY";
  return days <= 400 ? "WEEK" : "MONTH";
}

/** The first day of a day, ISO week or month by its key, such as 2026-11-20, 2026-W47 or 2026-11, and the first day after it. */
export function daysOf(key: string): { first: string; after: string } {
  const day = (time: number) => isoOf(time).slice(0, 10);
  const week = /^(\d{4})-W(\d\d)$/.exec(key);
  if (week) {
    // The week of January 4th is the first.
    const fourth = Date.UTC(Number(week[1]), 0, 4);
    const monday = fourth - ((new Date(fourth).getUTCDay() + 6) % 7) * dayMs + (Number(week[2]) - 1) * 7 * dayMs;
    return { first: day(monday), after: day(monday + 7 * dayMs) };
  }
  if (key.length === 7) {
    const [year, month] = key.split("-").map(Number) as [number, number];
    return { first: `${key}-01`, after: day(Date.UTC(year, month, 1)) };
  }
  return { first: key, after: day(Date.parse(`${key}T00:00:00Z`) + dayMs) };
}

/** When a day, week or month is at any of the facilities, within a period. */
export function instantsOf(key: string, timeZones: readonly string[], { start, end }: Period): Period {
  const { first, after } = daysOf(key);
  const starts = timeZones.map((zone) => startOfLocalDay(first, zone).getTime());
  const ends = timeZones.map((zone) => startOfLocalDay(after, zone).getTime());
  return { start: isoOf(Math.max(Date.parse(start), Math.min(...starts))), end: isoOf(Math.min(Date.parse(end), Math.max(...ends))) };
}

/** Whether a bar and the one at the same place in the period before are of the same weekday, so that they can be compared. */
export function areComparable(unit: Unit, shown: Period, before: Period): boolean {
  return unit !== "DAY" || (Date.parse(shown.start) - Date.parse(before.start)) % (7 * dayMs) === 0;
}
