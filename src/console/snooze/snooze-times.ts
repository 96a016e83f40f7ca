import { instantOf } from "../../platform/time.js";
import { addDays } from "../language/calendar-days.js";
import { localDay } from "../language/time-zones.js";

/** The times until which the reader can snooze something. */
export const snoozeChoices = ["hour", "tomorrow", "day", "time"] as const;
export type SnoozeChoice = (typeof snoozeChoices)[number];

/** The time of day at which a snooze until tomorrow ends. */
export const endTomorrow = "06:00";

const hour = 3_600_000;

/**
 * The end of a snooze that begins at `now`, on the clock of the facility. `time` is what the reader chose, such
 * as 2026-11-28T06:00; undefined if it is no time.
 */
export function endOf(
  choice: SnoozeChoice,
  { time, now, timeZone }: { time: string; now: number; timeZone: string },
): Date | undefined {
  if (choice === "hour") return new Date(now + hour);
  if (choice === "day") return new Date(now + 24 * hour);
  return instantAt(
    choice === "time" ? time : `${addDays(localDay(now, timeZone), 1)}T${endTomorrow}`,
    timeZone,
  );
}

/** The instant of a local time, such as 2026-11-28T06:00; undefined if it is no time. */
export function instantAt(local: string, timeZone: string): Date | undefined {
  return Number.isNaN(Date.parse(`${local}Z`)) ? undefined : instantOf(local, timeZone);
}
