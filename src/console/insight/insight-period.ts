import type { AlertFilter } from "../../generated/console.js";
import { defined } from "../../platform/defined.js";
import {
  type AlertSelection,
  type RecentPeriod,
  recentPeriods,
  startOfHours,
} from "../alerts/filter/alert-filter.js";
import { earliestRelativeDay, earliestRelativeWeek } from "../alerts/filter/alert-filter-fields.js";
import {
  addDays,
  type DayRange,
  dayNumber,
  dayOfNumber,
  daysOf,
  mondayOf,
} from "../language/calendar-days.js";
import { localDay } from "../language/time-zones.js";

const units = ["DAY", "WEEK", "MONTH"] as const;

export type Unit = (typeof units)[number];

const dayMs = 24 * 3600_000;
/** The maximum number of bars that can be told apart. */
const mostBars = 750;
const shortestDays: Record<Unit, number> = { DAY: 1, WEEK: 7, MONTH: 28 };
const earliest = "0001-01-01";
const isoOf = (time: number) => new Date(Math.max(time, Date.parse(earliest))).toISOString();

/** The period of a filter. At least one part is present. */
type Period = Pick<AlertFilter, "start" | "end" | "localDays" | "relativeDays" | "relativeWeeks">;

/**
 * The selection to count until a moment, the end of the present quarter of an hour. It has the usual period if none is
 * selected, and instants instead of a number of hours. A period without a start is as long as the usual one.
 */
export function countedSelection(
  selection: AlertSelection,
  usual: RecentPeriod,
  until: number,
): AlertSelection {
  const { start, end, localDays, relativeDays, relativeWeeks } = selection;
  if ((localDays || relativeDays || relativeWeeks) && !selection.period && !start && !end) return selection;
  const period = selection.period ?? (start || end ? undefined : usual);
  const recent = period && recentPeriods[period];
  if (recent && "days" in recent) return { ...selection, period };
  const last = end === undefined ? until : Date.parse(end);
  const usualStart = recent ? startOfHours(recent.hours, until - 1) : last - lengthOf(usual);
  const first = start === undefined ? usualStart : Math.min(Date.parse(start), last);
  return { ...selection, period: undefined, start: isoOf(first), end: isoOf(last) };
}

function lengthOf(period: RecentPeriod) {
  const recent = recentPeriods[period];
  return "days" in recent ? recent.days * dayMs : recent.hours * 3600_000;
}

/** The number of days in a period. */
export function daysIn({ start, end, localDays, relativeDays, relativeWeeks }: Period): number {
  if (localDays) return dayNumber(localDays.to) - dayNumber(localDays.from) + 1;
  if (relativeDays) return relativeDays.to - relativeDays.from + 1;
  if (relativeWeeks) return 7 * (relativeWeeks.to - relativeWeeks.from + 1);
  return (Date.parse(end ?? "") - Date.parse(start ?? "")) / dayMs;
}

/** The period before another, of the same length. Of an unfinished period, the same part counts. */
export function periodBefore(period: Period, until: number): Pick<AlertSelection, keyof Period> {
  const { start, end, localDays, relativeDays, relativeWeeks } = period;
  const days = daysIn(period);
  const weeks = Math.ceil(days / 7);
  const back = (time: number) => isoOf(time - Math.round(days * dayMs));
  const dayBack = (day: string) => dayOfNumber(Math.max(dayNumber(day) - days, dayNumber(earliest)));
  const last = Math.min(until, end == null ? until : Date.parse(end));
  // The API counts back from today only so far.
  const isTooEarly =
    (relativeDays && relativeDays.from - days < earliestRelativeDay) ||
    (relativeWeeks && relativeWeeks.from - weeks < earliestRelativeWeek);
  if (isTooEarly) return { start: isoOf(last - Math.round(2 * days * dayMs)), end: back(last) };
  return {
    ...(start != null && { start: back(Date.parse(start)) }),
    end: back(last),
    ...(localDays && { localDays: { from: dayBack(localDays.from), to: dayBack(localDays.to) } }),
    ...(relativeDays && { relativeDays: earlier(relativeDays, days) }),
    ...(relativeWeeks && { relativeWeeks: earlier(relativeWeeks, weeks) }),
  };
}

const earlier = ({ from, to }: { from: number; to: number }, by: number) => ({
  from: from - by,
  to: to - by,
});

/** The units that do not divide a period into too many bars. */
export const possibleUnits = (days: number): Unit[] =>
  units.filter((unit) => unit === "MONTH" || days <= mostBars * shortestDays[unit]);

/** The unit that divides a period into neither too few nor too many bars. */
export function suitableUnit(days: number): Unit {
  if (days <= 45) return "DAY";
  return days <= 400 ? "WEEK" : "MONTH";
}

/**
 * The part of a selection's period that a bar covers. If its days lie in the period in every time zone, the days alone
 * are enough, so that the address stays the same as time passes.
 */
export function periodOfBar(key: string, selection: AlertSelection, until: number): Partial<AlertSelection> {
  const { period, localDays } = selection;
  const bar = within(daysOf(key), localDays);
  const recent = period && recentPeriods[period];
  if (!recent || !("days" in recent)) return { localDays: bar };
  // The local day may be one earlier or later than the day in UTC.
  const today = dayNumber(localDay(until - 1, "UTC"));
  const isWhole = dayNumber(bar.from) >= today + 2 - recent.days && dayNumber(bar.to) <= today - 1;
  return { localDays: bar, ...(isWhole && { period: undefined }) };
}

const within = (days: DayRange, others: DayRange | undefined) =>
  others
    ? {
        from: days.from < others.from ? others.from : days.from,
        to: days.to > others.to ? others.to : days.to,
      }
    : days;

/** The first and the last day of a period, by the calendars of facilities, each of which has its own today. */
export function daysOfPeriod(
  { start, end, localDays, relativeDays, relativeWeeks }: Period,
  timeZones: readonly string[],
  now: number,
): DayRange {
  const zones = timeZones.length > 0 ? timeZones : ["UTC"];
  const extremes = (instant: number) => {
    const days = zones.map((zone) => localDay(instant, zone)).sort();
    return { from: defined(days[0]), to: defined(days.at(-1)) };
  };
  const today = extremes(now);
  let days: DayRange = { from: earliest, to: "9999-12-31" };
  if (start != null) days = within(days, { ...days, from: extremes(Date.parse(start)).from });
  if (end != null) days = within(days, { ...days, to: extremes(Date.parse(end) - 1).to });
  if (relativeDays)
    days = within(days, {
      from: addDays(today.from, relativeDays.from),
      to: addDays(today.to, relativeDays.to),
    });
  if (relativeWeeks)
    days = within(days, {
      from: addDays(mondayOf(today.from), 7 * relativeWeeks.from),
      to: addDays(mondayOf(today.to), 7 * relativeWeeks.to + 6),
    });
  return within(days, localDays ?? undefined);
}

/** The last day of a period, by the calendars of facilities, that is over at all of them before a moment. */
export function lastDayOver(period: Period, timeZones: readonly string[], now: number): string {
  const { to } = daysOfPeriod(period, timeZones, now);
  const zones = timeZones.length > 0 ? timeZones : ["UTC"];
  const yesterdays = zones.map((zone) => addDays(localDay(now, zone), -1));
  return defined([to, ...yesterdays].sort()[0]);
}
