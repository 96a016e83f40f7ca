import { offsetMinutes } from "../../platform/time.js";

export type Instant = Date | string | number;

/** The wall time of a time zone at an instant, as the instant at which clocks in UTC show it. */
export function wallTime(instant: Instant, timeZone: string): Date {
  const time = new Date(instant);
  return new Date(time.getTime() + offsetMinutes(timeZone, time) * 60_000);
}

export const readersTimeZone: string = Intl.DateTimeFormat().resolvedOptions().timeZone ?? "UTC";

/** The calendar day of an instant on the reader's clock or another one, in the API's format, such as 2026-11-20. */
export const localDay = (instant: Instant, timeZone = readersTimeZone): string =>
  wallTime(instant, timeZone).toISOString().slice(0, 10);

/** Whether the clocks of a time zone show what the reader's shows at an instant. */
export const showsReadersTime = (instant: Instant, timeZone: string): boolean =>
  wallTime(instant, timeZone).getTime() === wallTime(instant, readersTimeZone).getTime();

/** An instant as a field for local dates and times takes it, on the reader's clock or another one. */
export const localInputValue = (instant: Instant | null | undefined, timeZone = readersTimeZone): string =>
  instant ? wallTime(instant, timeZone).toISOString().slice(0, 16) : "";
