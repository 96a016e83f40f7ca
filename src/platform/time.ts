import { keptFor } from "./kept-values.js";

/** The clock of a time zone, or of another one where it is not known: databases and browsers may know others. */
interface Clock {
  timeZone: string;
  format: Intl.DateTimeFormat;
}

/** Clocks by time zone. There are some 600 zones, but clients may spell a name in any case. */
const clocks = new Map<string, Clock>();

const day = 86_400_000;
/** Offsets at the start of each day, by time zone and day. Computing one takes a hundred times as long as a look-up. */
const offsetsOfDays = new Map<string, number>();

/** The offset of a time zone from UTC at an instant, in whole minutes, as ISO 8601 can express no fraction. */
export function offsetMinutes(timeZoneId: string, instant: Date): number {
  const number = Math.floor(instant.getTime() / day);
  const before = offsetOfDay(timeZoneId, number);
  // A zone changes its offset at most once a day.
  return before === offsetOfDay(timeZoneId, number + 1) ? before : computeOffset(timeZoneId, instant);
}

const offsetOfDay = (timeZoneId: string, number: number): number =>
  keptFor(
    offsetsOfDays,
    `${number} ${timeZoneId}`,
    () => computeOffset(timeZoneId, new Date(number * day)),
    20_000,
  );

/** Replaces a time zone whose name is unknown. */
export const substituteTimeZone = "UTC";

const clockOf = (timeZoneId: string) => keptFor(clocks, timeZoneId, makeClock, 1_000);

/** The name of a time zone if it is known here, or else of one that is. */
export const usableTimeZone = (timeZoneId: string): string => clockOf(timeZoneId).timeZone;

function makeClock(timeZone: string): Clock {
  try {
    return { timeZone, format: formatFor(timeZone) };
  } catch {
    return { timeZone: substituteTimeZone, format: formatFor(substituteTimeZone) };
  }
}

const formatFor = (timeZone: string) =>
  new Intl.DateTimeFormat("en-US", {
    timeZone,
    calendar: "gregory",
    numberingSystem: "latn",
    hourCycle: "h23",
    era: "short",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });

function computeOffset(timeZoneId: string, instant: Date): number {
  const part: Record<string, string> = {};
  for (const { type, value } of clockOf(timeZoneId).format.formatToParts(instant)) part[type] = value;
  const local = new Date(0);
  const year = Number(part.year);
  local.setUTCFullYear(part.era === "BC" ? 1 - year : year, Number(part.month) - 1, Number(part.day));
  local.setUTCHours(Number(part.hour), Number(part.minute), Number(part.second));
  return Math.round((local.getTime() - Math.floor(instant.getTime() / 1000) * 1000) / 60_000);
}

/** An instant in the local time of a zone, with its offset, such as `2026-11-20T12:30:00.000+03:00`. */
export function localTime(instant: Date, timeZoneId: string): string {
  const offset = offsetMinutes(timeZoneId, instant);
  const clock = new Date(instant.getTime() + offset * 60_000).toISOString().slice(0, -1);
  const distance = Math.abs(offset);
  const pad = (value: number) => String(value).padStart(2, "0");
  return `${clock}${offset < 0 ? "-" : "+"}${pad(Math.floor(distance / 60))}:${pad(distance % 60)}`;
}

/**
 * The instant at which the clocks of a zone show a time such as `2026-11-20T07:00`. If they show it twice, the first
 * instant. If they skip it, the time is as much later as they skip.
 */
export function instantOf(shown: string, timeZoneId: string): Date {
  const ofUtc = Date.parse(`${shown}Z`);
  const offsetAt = (time: number) => offsetMinutes(timeZoneId, new Date(time)) * 60_000;
  // The offsets before and after a change of the clocks, if there is one.
  const [first, second] = [ofUtc - offsetAt(ofUtc - day), ofUtc - offsetAt(ofUtc + day)];
  const isShownAt = (time: number) => time + offsetAt(time) === ofUtc;
  return new Date(isShownAt(first) || !isShownAt(second) ? first : second);
}

export function isTimeZone(timeZoneId: string): boolean {
  try {
    return Boolean(new Intl.DateTimeFormat("en-US", { timeZone: timeZoneId }));
  } catch {
    return false;
  }
}

/** A time some milliseconds after another one, or before if these are negative. */
export const later = (time: Date, milliseconds: number): Date => new Date(time.getTime() + milliseconds);
