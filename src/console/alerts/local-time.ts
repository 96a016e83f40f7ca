import type { AlertFilter } from "../../generated/console.js";
import { addDays, dayNumber, dayOfWeek } from "../language/calendar-days.js";
import { localDay } from "../language/time-zones.js";

/**
 * A time of the day when something begins, and one when it ends, such as 18:00 and 06:00.
 */
export interface TimeRange {
  from: string;
  to: string;
}

/**
 * Whether times of the day run over midnight: the hours after it belong to the day before
 * then.
 */
export const runOverMidnight = (times: TimeRange | null | undefined): boolean =>
  times != null && times.to <= times.from;

/** When an alert was raised, by the clock of its facility. */
interface LocalMoment {
  /** The local time, such as 2026-11-20T12:30:00.000+03:00. */
  localCreatedAt: string;
  facility: { timeZoneId: string };
}

/**
 * Whether the API would find that an alert fulfils the conditions of a filter that go by
 * the clock of its facility.
 */
export function matchesLocalTime(
  { localCreatedAt, facility }: LocalMoment,
  filter: AlertFilter,
  now: number,
): boolean {
  const { localDays, relativeDays, localTimes, hoursOfDay, daysOfWeek } = filter;
  const [date, time] = [localCreatedAt.slice(0, 10), localCreatedAt.slice(11, 16)];
  const isOverMidnight = runOverMidnight(localTimes);
  const day = localTimes && isOverMidnight && time < localTimes.to ? addDays(date, -1) : date;
  const isBetween = (value: number | string, { from, to }: { from: number | string; to: number | string }) =>
    value >= from && value <= to;
  return (
    (!localDays || isBetween(day, localDays)) &&
    (!relativeDays ||
      isBetween(dayNumber(day) - dayNumber(localDay(now, facility.timeZoneId)), relativeDays)) &&
    (!localTimes ||
      (isOverMidnight
        ? time >= localTimes.from || time < localTimes.to
        : time >= localTimes.from && time < localTimes.to)) &&
    (!hoursOfDay || hoursOfDay.includes(Number(time.slice(0, 2)))) &&
    (!daysOfWeek || daysOfWeek.includes(dayOfWeek(day)))
  );
}
