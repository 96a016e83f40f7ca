import fc from "fast-check";
import type { AlertFilter } from "../../src/features/alert/alert.input.js";
import { listOf } from "../support/list-of.js";

export const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];

/** Time zones, with changes of their clocks and times around midnight. */
export const calendars: Record<string, string[]> = {
  // The first hour of a day is repeated, and skipped.
  "America/Havana": ["2025-11-02T04:00:00Z", "2025-11-02T05:00:00Z", "2025-03-09T05:00:00Z"],
  // A day starts an hour late; clocks go back at the end of a day.
  "Africa/Cairo": ["2025-10-30T21:00:00Z", "2026-04-23T22:00:00Z"],
  "Asia/Kathmandu": ["2025-11-01T18:15:00Z"],
  // The last hour of a day is repeated, the first one skipped.
  "America/Sao_Paulo": ["2018-02-18T02:00:00Z", "2018-11-04T03:00:00Z"],
  // West of Greenwich, and the first hour of a day is skipped.
  "America/Santiago": ["2025-09-07T04:00:00Z", "2026-04-05T03:00:00Z", "2026-09-06T04:00:00Z"],
  "Australia/Lord_Howe": ["2025-10-04T15:30:00Z", "2026-04-04T15:00:00Z"],
  // A whole day is skipped.
  "Pacific/Apia": ["2011-12-30T10:00:00Z"],
  "Pacific/Kiritimati": ["2025-11-01T10:00:00Z"],
  "Pacific/Pago_Pago": ["2025-11-02T11:00:00Z"],
  // Clocks go back from 00:01 to 23:01 of the day before.
  "America/St_Johns": ["2010-11-07T02:31:00Z", "2025-11-02T04:30:00Z"],
  // Weeks around the end of a year, too.
  "Europe/Berlin": [
    "2025-10-26T01:00:00Z",
    "2026-03-29T01:00:00Z",
    "2020-12-31T23:00:00Z",
    "2021-01-03T23:00:00Z",
  ],
  UTC: ["2025-11-02T00:00:00Z"],
};
export interface KnownAlert {
  id: string;
  zone: string;
  facilityId: string;
  cameraId: string;
  name: string;
  bookmark: boolean;
  createdAt: Date;
}

/** A filter of alerts, as far as these tests use it. */
export type Filter = Pick<
  AlertFilter,
  | "start"
  | "end"
  | "facilityIds"
  | "types"
  | "bookmark"
  | "localDays"
  | "relativeDays"
  | "relativeWeeks"
  | "localTimes"
  | "hoursOfDay"
  | "daysOfWeek"
>;

/** A filter, with the moment of its use. */
export interface FilterAtMoment {
  filter: Filter;
  now: Date;
}

const formats = new Map<string, Intl.DateTimeFormat>();

/**
 * The local date, and the local time to the millisecond, of an instant by ICU, such as
 * 2026-11-20 and 12:30:00.000.
 */
export function clock(at: Date, timeZone: string): { date: string; time: string } {
  const format =
    formats.get(timeZone) ??
    new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "medium" });
  formats.set(timeZone, format);
  const [date, time] = format.format(at).split(" ") as [string, string];
  return { date, time: `${time}.${at.toISOString().slice(20, 23)}` };
}

export const plusDays = (date: string, days: number) =>
  new Date(Date.parse(`${date}T00:00:00Z`) + days * day).toISOString().slice(0, 10);
const plus = (at: Date, milliseconds: number) => new Date(at.getTime() + milliseconds);
const dayOfWeek = (date: string) => new Date(`${date}T00:00:00Z`).getUTCDay();

/** The Monday of the week of a date. */
export const mondayOf = (date: string) => plusDays(date, -((dayOfWeek(date) + 6) % 7));

/** The ISO 8601 week of a date, such as `2026-W47`: it belongs to the year of its Thursday. */
export function weekOf(date: string): string {
  const thursday = plusDays(mondayOf(date), 3);
  const year = thursday.slice(0, 4);
  const week = Math.floor((Date.parse(thursday) - Date.parse(`${year}-01-01`)) / (7 * day)) + 1;
  return `${year}-W${String(week).padStart(2, "0")}`;
}

export interface Count {
  key: string;
  count: number;
}

/** The number of each key, ascending by key. */
export function counted(keys: string[]): Count[] {
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return [...counts].map(([key, count]) => ({ key, count })).sort(byKey);
}

export const byKey = (one: Count, other: Count) => (one.key < other.key ? -1 : 1);

const isWithin = ({ from, to }: { from: string; to: string }, value: string) => value >= from && value <= to;
const runsOverMidnight = ({ localTimes }: Filter) => localTimes != null && localTimes.to <= localTimes.from;

/**
 * The day of an alert. If the times of a filter run over midnight, the alerts after
 * midnight belong to the day before.
 */
export function dayOf(filter: Filter, { createdAt, zone }: Pick<KnownAlert, "createdAt" | "zone">): string {
  const { date, time } = clock(createdAt, zone);
  return runsOverMidnight(filter) && time < (filter.localTimes?.to as string) ? plusDays(date, -1) : date;
}

export type Condition = keyof Filter;
type Fulfilment<Name extends Condition> = (
  value: NonNullable<Filter[Name]>,
  alert: KnownAlert,
  at: FilterAtMoment,
) => boolean;

/**
 * Whether an alert fulfils a condition that a filter has, by the words of the API: each
 * condition by itself, by the clock of the alert's facility.
 */
const fulfilments: { [Name in Condition]: Fulfilment<Name> } = {
  start: (start, { createdAt }) => createdAt >= start,
  end: (end, { createdAt }) => createdAt < end,
  facilityIds: (facilityIds, { facilityId }) => facilityIds.includes(facilityId),
  types: (types, { name }) => types.includes(name),
  bookmark: (bookmark, alert) => bookmark === alert.bookmark,
  localDays: (range, alert, { filter }) => isWithin(range, dayOf(filter, alert)),
  relativeDays: ({ from, to }, alert, { filter, now }) => {
    const today = clock(now, alert.zone).date;
    return isWithin({ from: plusDays(today, from), to: plusDays(today, to) }, dayOf(filter, alert));
  },
  relativeWeeks: ({ from, to }, alert, { filter, now }) => {
    const monday = mondayOf(clock(now, alert.zone).date);
    return isWithin(
      { from: plusDays(monday, 7 * from), to: plusDays(monday, 7 * to + 6) },
      dayOf(filter, alert),
    );
  },
  localTimes: ({ from, to }, { createdAt, zone }, { filter }) => {
    const { time } = clock(createdAt, zone);
    return runsOverMidnight(filter) ? time >= from || time < to : time >= from && time < to;
  },
  hoursOfDay: (hours, { createdAt, zone }) => hours.includes(Number(clock(createdAt, zone).time.slice(0, 2))),
  daysOfWeek: (days, alert, { filter }) => days.includes(dayOfWeek(dayOf(filter, alert))),
};

export const conditions = Object.keys(fulfilments) as Condition[];

function isFulfilled<Name extends Condition>(
  condition: Name,
  at: FilterAtMoment,
  alert: KnownAlert,
): boolean {
  const value = at.filter[condition];
  const fulfils: Fulfilment<Name> = fulfilments[condition];
  return value == null || fulfils(value, alert, at);
}

export const matches = (at: FilterAtMoment, alert: KnownAlert): boolean =>
  conditions.every((condition) => isFulfilled(condition, at, alert));

/** The conditions that an alert does not fulfil. */
export const unfulfilled = (at: FilterAtMoment, alert: KnownAlert): Condition[] =>
  conditions.filter((condition) => !isFulfilled(condition, at, alert));

/** Values of a condition that an alert fulfils, and values that it narrowly misses. */
interface Choices<Value> {
  fulfilled: Value[];
  missed: Value[];
}

/** The first and last weeks, relative to the alert's week. */
const weekChoices: Choices<[number, number]> = {
  fulfilled: [
    [0, 0],
    [-1, 0],
    [0, 1],
    [-50, 50],
  ],
  missed: [
    [-1, -1],
    [1, 1],
  ],
};

/** The first and last days, relative to the alert's day. */
const dayChoices: Choices<[number, number]> = {
  fulfilled: [
    [0, 0],
    [0, 0],
    [-1, 0],
    [0, 1],
    [-1, 1],
    [-400, 0],
    [0, 400],
  ],
  missed: [
    [-1, -1],
    [1, 1],
    [-400, -1],
    [1, 400],
  ],
};

/**
 * The start and end of times of the day, in minutes from the alert's. A time that ends no
 * later than it begins runs over midnight.
 */
const timeChoices: Choices<[number, number]> = {
  fulfilled: [
    [0, 1],
    [-1, 1],
    [-30, 30],
    [-60, 60],
    [-600, 1],
    [0, 600],
    [0, 0],
    [1, 1],
    [0, -1],
    [2, 1],
  ],
  missed: [
    [-1, 0],
    [1, 2],
    [-60, 0],
    [1, 60],
    [1, 0],
  ],
};

/** A value of a cycle, and its neighbours. */
function choicesInCycle(value: number, length: number): Choices<number[]> {
  const [before, after] = [(value + length - 1) % length, (value + 1) % length];
  const others = listOf(length, (each) => each).filter((each) => each !== value);
  return {
    fulfilled: [[value], [value, after], [before, value]],
    missed: [[before, after], others],
  };
}

const timeText = (minutes: number) =>
  new Date(((minutes + 1440) % 1440) * minute).toISOString().slice(11, 16);

const periods: Condition[][] = [
  ["start", "end"],
  ["localDays"],
  ["localDays"],
  ["relativeDays"],
  ["relativeDays"],
  ["start", "localDays"],
  ["end", "relativeDays"],
  ["localDays", "relativeDays"],
  ["start", "end", "localDays", "relativeDays"],
  ["relativeWeeks"],
  ["end", "relativeDays", "relativeWeeks"],
];

/** Conditions on an alert in addition to its period. */
const furtherConditions: Condition[] = [
  "facilityIds",
  "types",
  "bookmark",
  "localTimes",
  "hoursOfDay",
  "daysOfWeek",
];

/** The times between an alert and the use of a filter. */
const delays = [0, 1, minute, hour / 2, hour, 23 * hour, day, 25 * hour, 7 * day - hour, 7 * day, 200 * day];

/**
 * A condition of a filter, and whether the alert behind the filter narrowly misses it.
 */
export interface Wanted {
  condition: Condition;
  isMissed: boolean;
}

/**
 * Filters made from an alert. The alert fulfils all their conditions, or narrowly misses
 * one if it should. `facilityIds` are the ids of all facilities.
 */
export function filtersFrom(
  alert: KnownAlert,
  facilityIds: readonly string[],
  wanted?: Wanted,
): fc.Arbitrary<FilterAtMoment> {
  const { createdAt, zone, facilityId, name, bookmark } = alert;
  const [hourOfDay, minuteOfHour] = clock(createdAt, zone).time.split(":").map(Number) as [number, number];
  const of = <Value>(condition: Condition, { fulfilled, missed }: Choices<Value>) =>
    fc.constantFrom(...(wanted?.isMissed && wanted.condition === condition ? missed : fulfilled));
  const instants = (condition: Condition, { fulfilled, missed }: Choices<number>) =>
    of(condition, { fulfilled, missed }).map((distance) => plus(createdAt, distance));
  const otherIds = facilityIds.filter((id) => id !== facilityId);
  const someOthers = fc.subarray(otherIds, { minLength: 1, maxLength: 3 });
  const isFacilityMissed = wanted?.isMissed && wanted.condition === "facilityIds";
  return fc
    .record({
      period: fc.constantFrom(...periods),
      further: fc.oneof(fc.constant([]), fc.subarray(furtherConditions, { maxLength: 2 })),
      delay: fc.constantFrom(...delays),
      start: instants("start", { fulfilled: [0, -1, -hour, -day, -400 * day], missed: [1] }),
      end: instants("end", { fulfilled: [1, 2, hour, day, 400 * day], missed: [0] }),
      facilityIds: fc
        .oneof(fc.constant<string[]>([]), someOthers)
        .map((others) => (isFacilityMissed ? others : [facilityId, ...others])),
      types: of("types", {
        fulfilled: [[name], ["SMOKE", "FENCE"]],
        missed: [[name === "SMOKE" ? "FENCE" : "SMOKE"], []],
      }),
      bookmark: of("bookmark", { fulfilled: [bookmark], missed: [!bookmark] }),
      days: of("localDays", dayChoices),
      relativeDays: of("relativeDays", dayChoices),
      relativeWeeks: of("relativeWeeks", weekChoices),
      times: of("localTimes", timeChoices),
      hoursOfDay: of("hoursOfDay", choicesInCycle(hourOfDay, 24)),
      weekdays: fc.nat(),
    })
    .map(
      ({
        period,
        further,
        delay,
        times,
        days,
        relativeDays,
        relativeWeeks,
        weekdays,
        ...values
      }): FilterAtMoment => {
        const has = new Set([...period, ...further, ...(wanted ? [wanted.condition] : [])]);
        const minutes = hourOfDay * 60 + minuteOfHour;
        const localTimes = has.has("localTimes")
          ? { from: timeText(minutes + times[0]), to: timeText(minutes + times[1]) }
          : undefined;
        const date = dayOf({ localTimes }, alert);
        const all: Filter = {
          ...values,
          localTimes,
          localDays: { from: plusDays(date, days[0]), to: plusDays(date, days[1]) },
          daysOfWeek: pick(
            choicesInCycle(dayOfWeek(date), 7)[
              wanted?.isMissed && wanted.condition === "daysOfWeek" ? "missed" : "fulfilled"
            ],
            weekdays,
          ),
        };
        const now = momentAfter(alert, date, delay);
        const today = clock(now, zone).date;
        all.relativeDays = relativeTo(today, date, relativeDays);
        all.relativeWeeks = relativeWeeksTo(today, date, relativeWeeks);
        return {
          now,
          filter: Object.fromEntries(
            Object.entries(all).filter(([condition]) => has.has(condition as Condition)),
          ),
        };
      },
    );
}

const pick = <Value>(list: readonly Value[], index: number) => list[index % list.length] as Value;

/**
 * A moment that is not before a date by the clock of an alert's facility, although that
 * may have gone back over midnight since the alert.
 */
function momentAfter({ createdAt, zone }: KnownAlert, date: string, delay: number): Date {
  const now = plus(createdAt, delay);
  return clock(now, zone).date < date ? plus(now, day) : now;
}

/** Days around a date or next to it, counted from today. All are in the past. */
function relativeTo(today: string, date: string, range: [number, number]): { from: number; to: number } {
  return fromToday((Date.parse(date) - Date.parse(today)) / day, range);
}

const relativeWeeksTo = (today: string, date: string, range: [number, number]) =>
  fromToday((Date.parse(mondayOf(date)) - Date.parse(mondayOf(today))) / (7 * day), range);

function fromToday(distance: number, [from, to]: [number, number]): { from: number; to: number } {
  // A moment narrowly after today is not in the past, but a moment narrowly before the
  // date is.
  return distance + from > 0
    ? { from: distance - 1, to: distance - 1 }
    : { from: distance + from, to: Math.min(0, distance + to) };
}
