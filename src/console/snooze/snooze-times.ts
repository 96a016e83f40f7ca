import { addDays } from "../language/calendar-days.js";
import { localDay, wallTime } from "../language/time-zones.js";

/** The times until which the reader can snooze something. */
export const snoozeChoices = ["hour", "tomorrow", "day", "time"] as const;
export type SnoozeChoice = (typeof snoozeChoices)[number];

/** The time of day at which a snooze until tomorrow ends. */
export const endTomorrow = "06:00";

const hour = 3_600_000;

/**
 * The end of a snooze that begins now, on the clock of the facility. `time` is what the
 * reader chose, such as 2026-11-28T06:00; undefined if it is no time.
 */
export function endOf(
  choice: SnoozeChoice,
  { time, now, timeZone }: { time: string; now: number; timeZone: string },
): Date | undefined {
  if (choice === "hour") return new Date(now + hour);
  if (choice === "day") return new Date(now + 24 * hour);
  const local = choice === "time" ? time : `${addDays(localDay(now, timeZone), 1)}T${endTomorrow}`;
  const wall = Date.parse(`${local}Z`);
  return Number.isNaN(wall) ? undefined : instantOf(wall, timeZone);
}

/**
 * The instant at which clocks of a time zone show a wall time, given as the instant at
 * which clocks in UTC show it. The first one if they show it twice; if they skip it, as
 * if they had not been changed yet.
 */
function instantOf(wall: number, timeZone: string): Date {
  // Clocks change at most once in these days.
  const instants = [wall - 24 * hour, wall + 24 * hour].map(
    (near) => wall - (wallTime(near, timeZone).getTime() - near),
  ) as [number, number];
  const shown = instants.find((instant) => wallTime(instant, timeZone).getTime() === wall);
  return new Date(shown ?? instants[0]);
}

/** An instant as a field for local dates and times takes it, on the facility's clock. */
export const localTimeOf = (instant: number, timeZone: string): string =>
  wallTime(instant, timeZone).toISOString().slice(0, 16);
