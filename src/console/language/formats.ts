import { type Instant, keptFor, usableTimeZone, wallTime } from "./time-zones.js";

/** What spreadsheet programs expect between the fields of CSV. */
export type ListSeparator = "," | ";";

const units = [
  ["year", 365 * 24 * 3600],
  ["month", 30 * 24 * 3600],
  ["week", 7 * 24 * 3600],
  ["day", 24 * 3600],
  ["hour", 3600],
  ["minute", 60],
] as const;

/**
 * How dates and times are written; each of these is made once, as it takes some 0.1 ms.
 */
const forms = {
  moment: { dateStyle: "medium", timeStyle: "short" },
  timeOfDay: { timeStyle: "short" },
  date: { dateStyle: "medium" },
  weekday: { weekday: "long" },
  shortWeekday: { weekday: "short" },
  dayAndMonth: { day: "numeric", month: "short" },
  month: { month: "short", year: "numeric" },
} satisfies Record<string, Intl.DateTimeFormatOptions>;

/**
 * Writes numbers, and instants in a facility's time zone, as the reader's language does.
 */
export class Formats {
  readonly #locale: string;
  readonly #number: Intl.NumberFormat;
  readonly #change: Intl.NumberFormat;
  readonly #relative: Intl.RelativeTimeFormat;
  readonly #forms = new Map<keyof typeof forms, Intl.DateTimeFormat>();
  readonly #zones = new Map<string, Intl.DateTimeFormat>();

  constructor(locale: string) {
    this.#locale = locale;
    this.#number = new Intl.NumberFormat(locale);
    this.#change = new Intl.NumberFormat(locale, {
      style: "percent",
      maximumFractionDigits: 0,
      signDisplay: "exceptZero",
    });
    this.#relative = new Intl.RelativeTimeFormat(locale, { numeric: "auto", style: "short" });
  }

  /** A number with its separators. */
  number(value: number): string {
    return this.#number.format(value);
  }

  /**
   * What spreadsheet programs expect between the fields of CSV: a semicolon where the
   * comma is for decimals.
   */
  get listSeparator(): ListSeparator {
    const decimal = this.#number.formatToParts(1.5).find(({ type }) => type === "decimal");
    return decimal?.value === "," ? ";" : ",";
  }

  /** The date, the time and the zone, such as “20 Nov 2026, 18:51 CET”. */
  moment(instant: Instant, timeZone: string): string {
    return `${this.#write("moment", wallTime(instant, timeZone))} ${this.zone(instant, timeZone)}`;
  }

  /** The time of day, such as “18:51”. */
  timeOfDay(instant: Instant, timeZone: string): string {
    return this.#write("timeOfDay", wallTime(instant, timeZone));
  }

  /** The day of the week, such as “Friday”. */
  weekday(instant: Instant, timeZone: string): string {
    return this.#write("weekday", wallTime(instant, timeZone));
  }

  /** A calendar day as the API writes it, such as “20 Nov 2026”. */
  date(day: string): string {
    return this.#write("date", new Date(day));
  }

  /** A calendar day as the API writes it, such as “20 Nov”. */
  calendarDay(day: string): string {
    return this.#write("dayAndMonth", new Date(day));
  }

  /** A calendar month as the API writes it, such as “Nov 2026”. */
  calendarMonth(month: string): string {
    return this.#write("month", new Date(month));
  }

  /**
   * A day of the week, from 0 or 7, Sunday, to 6, Saturday, such as “Mon” or “Monday”.
   */
  dayOfWeek(day: number, form: "short" | "long"): string {
    // January 7th, 2024, was a Sunday.
    return this.#write(form === "short" ? "shortWeekday" : "weekday", new Date(Date.UTC(2024, 0, 7 + day)));
  }

  /** A time of the day as the API writes it, 14:00, such as “14:00” or “2:00 pm”. */
  clockTime(time: string): string {
    return this.#write("timeOfDay", new Date(`2024-01-01T${time}Z`));
  }

  /** The beginning of an hour of the day, such as “14:00”. */
  hourOfDay(hour: number): string {
    return this.clockTime(`${String(hour).padStart(2, "0")}:00`);
  }

  /** By how much a number has changed, such as “+12%”. */
  change(share: number): string {
    return this.#change.format(share);
  }

  /** The zone's name at an instant, such as “CET” or “GMT+3”. */
  zone(instant: Instant, timeZone: string): string {
    const make = (name: string) =>
      new Intl.DateTimeFormat(this.#locale, { timeZone: name, timeZoneName: "short" });
    const parts = keptFor(this.#zones, usableTimeZone(timeZone), make).formatToParts(new Date(instant));
    return parts.find(({ type }) => type === "timeZoneName")?.value ?? timeZone;
  }

  /** How long ago it was, or how soon it will be, such as “5 min. ago”. */
  relative(instant: Instant, now: Date): string {
    const seconds = (new Date(instant).getTime() - now.getTime()) / 1000;
    const [unit, length] = largestUnit(seconds);
    return this.#relative.format(Math.trunc(seconds / length), unit);
  }

  /** A length of time in its largest unit, rounded, such as “3 hours”. */
  duration(milliseconds: number): string {
    const rounded = roundTo(largestUnit(milliseconds / 1000)[1], milliseconds / 1000);
    // What rounds to 24 hours is a day.
    const [unit, length] = largestUnit(rounded);
    return new Intl.NumberFormat(this.#locale, { style: "unit", unit, unitDisplay: "long" }).format(
      Math.round(rounded / length),
    );
  }

  /** Writes what clocks show, which {@link wallTime} gives. */
  #write(form: keyof typeof forms, shown: Date): string {
    const format =
      this.#forms.get(form) ?? new Intl.DateTimeFormat(this.#locale, { ...forms[form], timeZone: "UTC" });
    this.#forms.set(form, format);
    return format.format(shown);
  }
}

const roundTo = (step: number, value: number) => Math.round(value / step) * step;
const largestUnit = (seconds: number) =>
  units.find(([, length]) => Math.abs(seconds) >= length) ?? (["minute", 60] as const);
