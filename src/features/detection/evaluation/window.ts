import { offsetMinutes } from "../../../platform/time.js";

/** The days and clock times at which a rule applies. */
export interface Window {
  /** Whether the rule applies on each day of the week; 0 is Sunday. */
  days: readonly boolean[];
  /** The first and the last time, in milliseconds since local midnight; equal times mean the whole day. */
  start: number;
  end: number;
}

const dayMs = 86_400_000;
/** 1970 began on a Thursday. */
const firstDayOfWeek = 4;

/** What the clocks of a zone show: milliseconds since 1970 in their own time. */
export const clockTime = (at: number, timeZoneId: string): number =>
  at + offsetMinutes(timeZoneId, new Date(at)) * 60_000;

const timeOfDay = (clock: number): number => modulo(clock, dayMs);

const modulo = (value: number, divisor: number) => ((value % divisor) + divisor) % divisor;

/** The window of a rule by the clocks of a zone; null if the rule always applies. */
export function windowOf(
  { dayRange, timeRange }: { dayRange: readonly number[]; timeRange: { start: number; end: number } | null },
  timeZoneId: string,
): Window | null {
  const days = Array.from({ length: 7 }, (_, day) => dayRange.includes(day));
  const timeAt = (at: number) => timeOfDay(clockTime(at, timeZoneId));
  const [start, end] = timeRange ? [timeAt(timeRange.start), timeAt(timeRange.end)] : [0, 0];
  return start === end && days.every(Boolean) ? null : { days, start, end };
}

/** Whether a rule, its camera or facility is snoozed at a time. */
export const isSnoozed = (
  { snoozes }: { snoozes: readonly { from: number; until: number }[] },
  at: number,
): boolean => snoozes.some(({ from, until }) => from <= at && at < until);

/** Whether a window is open while clocks show a time. */
export function isOpen({ days, start, end }: Window, clock: number): boolean {
  const time = timeOfDay(clock);
  const day = modulo(Math.floor(clock / dayMs) + firstDayOfWeek, 7);
  const isToday = days[day] === true;
  if (start === end) return isToday;
  if (start < end) return isToday && start <= time && time < end;
  // The hours after midnight belong to the day before.
  return time >= start ? isToday : time < end && days[modulo(day - 1, 7)] === true;
}
