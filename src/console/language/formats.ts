type Instant = Date | string;

const units = [
  ["year", 365 * 24 * 3600],
  ["month", 30 * 24 * 3600],
  ["week", 7 * 24 * 3600],
  ["day", 24 * 3600],
  ["hour", 3600],
  ["minute", 60],
] as const;

/** Writes numbers, and instants in a facility's time zone, as the reader's language does. */
export class Formats {
  readonly #locale: string;
  readonly #number: Intl.NumberFormat;
  readonly #change: Intl.NumberFormat;
  readonly #relative: Intl.RelativeTimeFormat;
  readonly #dates = new Map<string, Intl.DateTimeFormat>();

  constructor(locale: string) {
    this.#locale = locale;
    this.#number = new Intl.NumberFormat(locale);
    this.#change = new Intl.NumberFormat(locale, { style: "percent", maximumFractionDigits: 0, signDisplay: "exceptZero" });
    this.#relative = new Intl.RelativeTimeFormat(locale, { numeric: "auto", style: "short" });
  }

  /** A number with its separators. */
  number(value: number): string {
    return this.#number.format(value);
  }

  /** The date, the time and the zone, such as “20 Nov 2026, 18:51 CET”. */
  moment(instant: Instant, timeZone: string): string {
    return this.#date({ dateStyle: "medium", timeStyle: "short" }, timeZone)
      .format(new Date(instant))
      .concat(` ${this.zone(instant, timeZone)}`);
  }

  /** The time of day, such as “18:51”. */
  timeOfDay(instant: Instant, timeZone: string): string {
    return this.#date({ timeStyle: "short" }, timeZone).format(new Date(instant));
  }

  /** The date, such as “20 Nov 2026”. */
  date(instant: Instant, timeZone: string): string {
    return this.#date({ dateStyle: "medium" }, timeZone).format(new Date(instant));
  }

  /** The day of the week, such as “Friday”. */
  weekday(instant: Instant, timeZone: string): string {
    return this.#date({ weekday: "long" }, timeZone).format(new Date(instant));
  }

  /** A calendar day as the API writes it, such as “20 Nov”. */
  calendarDay(day: string): string {
    return this.#date({ day: "numeric", month: "short" }, "UTC").format(new Date(day));
  }

  /** A calendar month as the API writes it, such as “Nov 2026”. */
  calendarMonth(month: string): string {
    return this.#date({ month: "short", year: "numeric" }, "UTC").format(new Date(month));
  }

  /** A day of the week from 1, Monday, to 7, Sunday, such as “Mon” or “Monday”. */
  dayOfWeek(day: number, form: "short" | "long"): string {
    // January 1st, 2024, was a Monday.
    return this.#date({ weekday: form }, "UTC").format(Date.UTC(2024, 0, day));
  }

  /** The beginning of an hour of the day, such as “14:00”. */
  hourOfDay(hour: number): string {
    return this.timeOfDay(new Date(Date.UTC(2024, 0, 1, hour)), "UTC");
  }

  /** By how much a number has changed, such as “+12%”. */
  change(share: number): string {
    return this.#change.format(share);
  }

  /** The zone's name at an instant, such as “CET” or “GMT+3”. */
  zone(instant: Instant, timeZone: string): string {
    const parts = this.#date({ timeZoneName: "short" }, timeZone).formatToParts(new Date(instant));
    return parts.find(({ type }) => type === "timeZoneName")?.value ?? timeZone;
  }

  /** How long ago it was, or how soon it will be, such as “5 min. ago”. */
  relative(instant: Instant, now: Date): string {
    const seconds = (new Date(instant).getTime() - now.getTime()) / 1000;
    const [unit, length] = units.find(([, each]) => Math.abs(seconds) >= each) ?? ["minute", 60];
    return this.#relative.format(Math.trunc(seconds / length), unit);
  }

  #date(options: Intl.DateTimeFormatOptions, timeZone: string): Intl.DateTimeFormat {
    const key = `${timeZone} ${JSON.stringify(options)}`;
    const format = this.#dates.get(key) ?? new Intl.DateTimeFormat(this.#locale, { ...options, timeZone });
    this.#dates.set(key, format);
    return format;
  }
}

/** The calendar day of an instant in a time zone, as the API writes it, such as 2026-11-20. */
export function localDay(instant: Date, timeZone: string): string {
  // The calendar and the digits must not be those of the reader's language.
  return new Intl.DateTimeFormat("en-CA", { timeZone, year: "numeric", month: "2-digit", day: "2-digit" }).format(instant);
}

/** The instant at which a calendar day begins in a time zone, or just after, where clocks skip midnight. */
export function startOfLocalDay(day: string, timeZone: string): Date {
  const midnight = Date.parse(`${day}T00:00:00Z`);
  // The offset at midnight in UTC may be another than at midnight there.
  const nearly = midnight - offsetAt(midnight, timeZone);
  return new Date(midnight - offsetAt(nearly, timeZone));
}

/** How much the clocks of a time zone are ahead of UTC at an instant, in milliseconds. */
function offsetAt(instant: number, timeZone: string): number {
  const fields = { year: "numeric", month: "numeric", day: "numeric", hour: "numeric", minute: "numeric", second: "numeric" } as const;
  const parts = new Intl.DateTimeFormat("en-US", { timeZone, hourCycle: "h23", ...fields }).formatToParts(instant);
  const value = (type: keyof typeof fields) => Number(parts.find((part) => part.type === type)?.value);
  return (
    Date.UTC(value("year"), value("month") - 1, value("day"), value("hour"), value("minute"), value("second")) - Math.floor(instant / 1000) * 1000
  );
}
