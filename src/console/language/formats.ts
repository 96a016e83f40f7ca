import { keptFor } from "../../platform/kept-values.js";
import { usableTimeZone } from "../../platform/time.js";
import { type Instant, localDay, readersTimeZone, showsReadersTime, wallTime } from "./time-zones.js";

/** The separator of CSV fields that spreadsheet programs expect. */
export type ListSeparator = "," | ";";

const units = [
  ["year", 365 * 24 * 3600],
  ["month", 30 * 24 * 3600],
  ["week", 7 * 24 * 3600],
  ["day", 24 * 3600],
  ["hour", 3600],
  ["minute", 60],
] as const;

/** The formats of dates and times. Each formatter is created once, because that takes about 0.1 ms. */
const forms = {
  moment: { dateStyle: "medium", timeStyle: "short" },
  timeOfDay: { timeStyle: "short" },
  date: { dateStyle: "medium" },
  weekday: { weekday: "long" },
  shortWeekday: { weekday: "short" },
  dayAndMonth: { day: "numeric", month: "short" },
  month: { month: "short", year: "numeric" },
} satisfies Record<string, Intl.DateTimeFormatOptions>;

/** Formats numbers, and instants by the reader's clock, in the reader's language. */
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

  /** The separator of CSV fields that spreadsheet programs expect: a semicolon where decimals have a comma. */
  get listSeparator(): ListSeparator {
    const decimal = this.#number.formatToParts(1.5).find(({ type }) => type === "decimal");
    return decimal?.value === "," ? ";" : ",";
  }

  /** The date, the time and the zone, such as “20 Nov 2026, 18:51 CET”, with the local time of a facility beside it. */
  moment(instant: Instant, facilityZone?: string): string {
    const own = `${this.#write("moment", wallTime(instant, readersTimeZone))} ${this.zone(instant, readersTimeZone)}`;
    const local = this.#localTime(instant, facilityZone);
    return local === "" ? own : `${own} (${local})`;
  }

  /**
   * A moment in a list whose days and order go by the reader's clock, such as “18:51 · 5 min. ago”. It names the date of
   * another day than today, and the local time of a facility.
   */
  listed(instant: Instant, now: Date, facilityZone?: string): string {
    const [day, today] = [localDay(instant), localDay(now)];
    const isThisYear = day.slice(0, 4) === today.slice(0, 4);
    const date = isThisYear ? this.calendarDay(day) : this.date(day);
    return [
      this.timeOfDay(instant, readersTimeZone),
      day === today ? this.relative(instant, now) : date,
      this.#localTime(instant, facilityZone),
    ]
      .filter((part) => part !== "")
      .join(" · ");
  }

  /** The time at a facility with its zone, and its day if that is another one; nothing where it is the reader's time. */
  #localTime(instant: Instant, zone = readersTimeZone) {
    if (showsReadersTime(instant, zone)) return "";
    const time = `${this.timeOfDay(instant, zone)} ${this.zone(instant, zone)}`;
    const day = localDay(instant, zone);
    return day === localDay(instant) ? time : `${this.calendarDay(day)}, ${time}`;
  }

  /** The names of the zones in which clocks show another time than the reader's at an instant, such as “CET, GMT+3”. */
  otherZones(instant: Instant, facilityZones: readonly string[]): string {
    const others = facilityZones.filter((zone) => !showsReadersTime(instant, zone));
    return [...new Set(others.map((zone) => this.zone(instant, zone)))].join(", ");
  }

  timeOfDay(instant: Instant, timeZone: string): string {
    return this.#write("timeOfDay", wallTime(instant, timeZone));
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

  /** A day of the week, from 0 or 7 for Sunday to 6 for Saturday, such as “Mon” or “Monday”. */
  dayOfWeek(day: number, form: "short" | "long"): string {
    // January 7th, 2024, was a Sunday.
    return this.#write(form === "short" ? "shortWeekday" : "weekday", new Date(Date.UTC(2024, 0, 7 + day)));
  }

  /** A time of day from the API, such as 14:00, as “14:00” or “2:00 pm”. */
  clockTime(time: string): string {
    return this.#write("timeOfDay", new Date(`2024-01-01T${time}Z`));
  }

  /** The start of an hour of the day, such as “14:00”. */
  hourOfDay(hour: number): string {
    return this.clockTime(`${String(hour).padStart(2, "0")}:00`);
  }

  /** The change of a number, such as “+12%”. */
  change(share: number): string {
    return this.#change.format(share);
  }

  /** The zone's name at an instant, such as “CET” or “GMT+3”, which no line breaks at its minus. */
  zone(instant: Instant, timeZone: string): string {
    // Each takes 0.1 ms to create and 30 KB to keep.
    const make = () =>
      new Intl.DateTimeFormat(this.#locale, { timeZone: usableTimeZone(timeZone), timeZoneName: "short" });
    const parts = keptFor(this.#zones, timeZone, make).formatToParts(new Date(instant));
    return (parts.find(({ type }) => type === "timeZoneName")?.value ?? timeZone).replace("-", "\u2011");
  }

  /** The time since or until an instant, such as “5 min. ago”. */
  relative(instant: Instant, now: Date): string {
    const seconds = (new Date(instant).getTime() - now.getTime()) / 1000;
    const [unit, length] = largestUnit(seconds);
    return this.#relative.format(Math.trunc(seconds / length), unit);
  }

  /** A duration in its largest unit, rounded, such as “3 hours”. */
  duration(milliseconds: number): string {
    const rounded = roundTo(largestUnit(milliseconds / 1000)[1], milliseconds / 1000);
    // A duration that rounds to 24 hours is a day.
    const [unit, length] = largestUnit(rounded);
    return new Intl.NumberFormat(this.#locale, { style: "unit", unit, unitDisplay: "long" }).format(
      Math.round(rounded / length),
    );
  }

  /** Formats a wall time from {@link wallTime}. */
  #write(form: keyof typeof forms, shown: Date) {
    const format =
      this.#forms.get(form) ?? new Intl.DateTimeFormat(this.#locale, { ...forms[form], timeZone: "UTC" });
    this.#forms.set(form, format);
    return format.format(shown);
  }
}

const roundTo = (step: number, value: number) => Math.round(value / step) * step;
const largestUnit = (seconds: number) =>
  units.find(([, length]) => Math.abs(seconds) >= length) ?? (["minute", 60] as const);
