import { defined } from "../../platform/defined.js";
import type { Formats } from "../language/formats.js";
import { instantOf, localDay, wallTime } from "../language/time-zones.js";
import type { RuleTexts } from "./english.js";

/** The days of the week from Monday on; 0 is Sunday. */
export const weekdays: readonly number[] = [1, 2, 3, 4, 5, 6, 0];

interface Hours {
  from: string;
  to: string;
}

/** The hours that a rule's `timeRange` means on the clocks of the facility. Undefined without a limit. */
export function hoursOf(
  timeRange: readonly [string, string] | readonly string[] | null | undefined,
  timeZone: string,
): Hours | undefined {
  const [start, end] = timeRange ?? [];
  if (start === undefined || end === undefined) return undefined;
  return { from: clockTime(start, timeZone), to: clockTime(end, timeZone) };
}

const clockTime = (instant: string, timeZone: string) =>
  wallTime(instant, timeZone).toISOString().slice(11, 16);

/** The `timeRange` of hours: instants at which the clocks of the facility show them. */
export const timeRangeOf = ({ from, to }: Hours, timeZone: string, now: Date): [string, string] => [
  instantAt(from, timeZone, now),
  instantAt(to, timeZone, now),
];

const day = 24 * 3600 * 1000;

/** An instant about now at which the clocks of a time zone show a time such as 22:00. */
function instantAt(time: string, timeZone: string, now: Date) {
  const today = Date.parse(`${localDay(now, timeZone)}T${time}Z`);
  const shows = (wall: number) => wallTime(instantOf(wall, timeZone), timeZone).getTime() === wall;
  // Clocks skip an hour at most on some days, not on two in a row.
  return instantOf(shows(today) ? today : today + day, timeZone).toISOString();
}

/** Whether a time is on one of the days and within the hours, which may run over midnight, by the clock of a facility. */
export function isWithin(
  days: readonly number[],
  hours: Hours | undefined,
  timeZone: string,
  now: Date,
): boolean {
  const clock = wallTime(now, timeZone);
  const time = clock.toISOString().slice(11, 16);
  const [today, yesterday] = [clock.getUTCDay(), (clock.getUTCDay() + 6) % 7];
  if (!hours || hours.from === hours.to) return days.includes(today);
  if (hours.from < hours.to) return days.includes(today) && hours.from <= time && time < hours.to;
  return (hours.from <= time && days.includes(today)) || (time < hours.to && days.includes(yesterday));
}

/** Days and hours in words, such as “Mon–Fri, 22:00–06:00 the next day”. */
export function scheduleInWords(
  days: readonly number[],
  hours: Hours | undefined,
  { formats, rules }: { formats: Formats; rules: RuleTexts },
): string {
  if (days.length === 0) return rules.schedule.never;
  const named = weekdays.length === new Set(days).size ? rules.schedule.everyDay : namesOf(days, formats);
  if (!hours || hours.from === hours.to) return `${named}, ${rules.schedule.allDay}`;
  const times = `${formats.clockTime(hours.from)}–${formats.clockTime(hours.to)}`;
  return `${named}, ${hours.to < hours.from ? rules.schedule.overnight(times) : times}`;
}

/** Days in words, three or more in a row as “Mon–Fri”. */
function namesOf(days: readonly number[], formats: Formats) {
  const runs: number[][] = [];
  for (const [index, weekday] of weekdays.entries()) {
    if (!days.includes(weekday)) continue;
    const isNext = index > 0 && days.includes(defined(weekdays[index - 1]));
    if (isNext) runs.at(-1)?.push(weekday);
    else runs.push([weekday]);
  }
  const nameOf = (weekday: number | undefined) => formats.dayOfWeek(defined(weekday), "short");
  return runs
    .map((run) => (run.length > 2 ? `${nameOf(run[0])}–${nameOf(run.at(-1))}` : run.map(nameOf).join(", ")))
    .join(", ");
}
