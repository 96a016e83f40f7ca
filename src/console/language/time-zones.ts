export type Instant = Date | string | number;

/** The number of time zones whose formatters are kept: each takes 0.1 ms to create and 30 KB to keep. */
const mostKept = 500;

export function keptFor<Value>(
  kept: Map<string, Value>,
  timeZone: string,
  make: (timeZone: string) => Value,
): Value {
  const known = kept.get(timeZone);
  if (known !== undefined) return known;
  const made = make(timeZone);
  const [oldest] = kept.keys();
  if (kept.size >= mostKept && oldest !== undefined) kept.delete(oldest);
  kept.set(timeZone, made);
  return made;
}

interface Clock {
  timeZone: string;
  format: Intl.DateTimeFormat;
}

const clocks = new Map<string, Clock>();
const fields = {
  year: "numeric",
  month: "numeric",
  day: "numeric",
  hour: "numeric",
  minute: "numeric",
  second: "numeric",
} as const;

function makeClock(timeZone: string): Clock {
  // The calendar and the digits must not follow the reader's language.
  const options = { calendar: "gregory", numberingSystem: "latn", hourCycle: "h23", ...fields } as const;
  try {
    return { timeZone, format: new Intl.DateTimeFormat("en", { ...options, timeZone }) };
  } catch {
    return { timeZone: "UTC", format: new Intl.DateTimeFormat("en", { ...options, timeZone: "UTC" }) };
  }
}

/** The name of a time zone if this browser knows it, or else UTC, so that an unknown zone breaks nothing. */
export const usableTimeZone = (timeZone: string): string => keptFor(clocks, timeZone, makeClock).timeZone;

/** Whether this browser knows a time zone. */
export const knowsTimeZone = (timeZone: string): boolean => usableTimeZone(timeZone) === timeZone;

/** The wall time of a time zone at an instant, as the instant at which clocks in UTC show it. */
export function wallTime(instant: Instant, timeZone: string): Date {
  const parts = keptFor(clocks, timeZone, makeClock).format.formatToParts(new Date(instant));
  const value = (type: keyof typeof fields) => Number(parts.find((part) => part.type === type)?.value);
  return new Date(
    Date.UTC(
      value("year"),
      value("month") - 1,
      value("day"),
      value("hour"),
      value("minute"),
      value("second"),
    ),
  );
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

const day = 24 * 3600_000;

/**
 * The instant at which clocks of a time zone show a wall time, given as the instant at which clocks in UTC show it. It
 * is the first one if clocks show the time twice; if they skip it, as if they had not been changed yet.
 */
export function instantOf(wall: number, timeZone: string): Date {
  // Clocks change at most once in these days.
  const instantNear = (near: number) => new Date(wall - (wallTime(near, timeZone).getTime() - near));
  // Clocks change at most once in these days.
  const first = instantNear(wall - day);
  const isRight = (instant: Date) => wallTime(instant, timeZone).getTime() === wall;
  return [first, instantNear(wall + day)].find(isRight) ?? first;
}
