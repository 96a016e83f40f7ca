import { defined } from "../../platform/defined.js";
import { instantOf } from "../../platform/time.js";
import { addDays } from "../language/calendar-days.js";
import type { Formats } from "../language/formats.js";
import { localDay, localInputValue, wallTime } from "../language/time-zones.js";
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

/** An instant about now at which the clocks of a time zone show a time such as 22:00. */
function instantAt(time: string, timeZone: string, now: Date) {
  const today = localDay(now, timeZone);
  const at = (day: string) => instantOf(`${day}T${time}`, timeZone);
  // Clocks skip an hour at most on some days, not on two in a row.
  const isShown = localInputValue(at(today), timeZone) === `${today}T${time}`;
  return at(isShown ? today : addDays(today, 1)).toISOString();
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
