import { type AlertSelection, alertFilterOf, noPeriod } from "../alerts/filter/alert-filter.js";
import { addDays, type DayRange, dayOfWeek } from "../language/calendar-days.js";
import { periodBefore, periodOfBar } from "./insight-period.js";

/** The weeks before with whose same weekdays a day is compared. */
export const weeksCompared = 4;
const daysCompared = 7;

/**
 * The alerts that each number of Insight counts and its link shows: both by one filter, so that they agree. `until` is
 * the end of what is counted.
 */
export function countedAlerts(counted: AlertSelection, until: number) {
  return {
    all: counted,
    before: selectionBefore(counted, until),
    /** The alerts in a bar: a day, a week or a month. */
    inBar: (key: string): AlertSelection => ({ ...counted, ...periodOfBar(key, counted, until) }),
    /** The alerts in an hour of the day, on a day of the week from 0, Sunday, or both. */
    at: ({ hour, weekday }: { hour?: number; weekday?: number }): AlertSelection => ({
      ...counted,
      ...(hour !== undefined && { hoursOfDay: [hour] }),
      ...(weekday !== undefined && { daysOfWeek: [weekday] }),
    }),
  };
}

/** The alerts of the period before the counted one, of the same length. */
const selectionBefore = (counted: AlertSelection, until: number): AlertSelection => ({
  ...counted,
  ...noPeriod,
  ...periodBefore(alertFilterOf(counted, new Date(until)), until),
});

/** A day beside the same weekdays before it. */
interface DayAndPast {
  day: string;
  selection: AlertSelection;
  past: DayRange;
  pastSelection: AlertSelection;
}

/** The week that ends with a day: each of its days that are counted at all, beside the same weekdays before it. */
export function daysAndPast(counted: AlertSelection, lastDay: string): DayAndPast[] {
  const of = (localDays: DayRange) => ({ ...counted, ...noPeriod, localDays });
  const days = Array.from({ length: daysCompared }, (_, index) => addDays(lastDay, -index));
  const isCounted = (day: string) =>
    counted.daysOfWeek.length === 0 || counted.daysOfWeek.includes(dayOfWeek(day));
  return days.filter(isCounted).map((day) => {
    const past = { from: addDays(day, -7 * weeksCompared), to: addDays(day, -1) };
    return {
      day,
      past,
      selection: of({ from: day, to: day }),
      pastSelection: { ...of(past), daysOfWeek: [dayOfWeek(day)] },
    };
  });
}

/** All days that are compared. */
export const comparedDays = (counted: AlertSelection, lastDay: string): AlertSelection => ({
  ...counted,
  ...noPeriod,
  localDays: { from: addDays(lastDay, 1 - daysCompared - 7 * weeksCompared), to: lastDay },
});

/** The number of alerts of a day, and of its weekdays before, among the counts of days. */
export const countsOfDay = ({ day, past }: DayAndPast, counts: ReadonlyMap<string, number>) => ({
  count: counts.get(day) ?? 0,
  pastCount: [...counts].reduce(
    (sum, [each, count]) =>
      each >= past.from && each <= past.to && dayOfWeek(each) === dayOfWeek(day) ? sum + count : sum,
    0,
  ),
});
