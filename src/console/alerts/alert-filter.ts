import type { AlertFilter, AlertItemFragment } from "../../generated/console.js";
import { type DayRange, isDay } from "../language/calendar-days.js";
import type { QueryChanges } from "../navigation/location.js";
import { matchesLocalTime, type TimeRange } from "./local-time.js";

/**
 * Periods that end now: so many hours, or days by the calendar of each facility, of which
 * the last is its present one.
 */
export const recentPeriods = {
  today: { days: 1 },
  "24h": { hours: 24 },
  "7d": { days: 7 },
  "30d": { days: 30 },
} as const;

/** Days begin at quarters of hours of UTC wherever a facility is, in milliseconds. */
export const quarter = 15 * 60_000;

/**
 * When a period of so many hours that ends at a moment begins: at a quarter of an hour,
 * so that views that follow the time at different steps show the same alerts; nothing
 * within the hours is left out.
 */
export const startOfHours = (hours: number, now: number): number =>
  Math.floor(now / quarter) * quarter - hours * 3600_000;

/** The name of a period that ends now. */
export type RecentPeriod = keyof typeof recentPeriods;

/** What can be marked, by the name of the parameter in the address. */
export const marks = ["acknowledged", "bookmark", "falsePositive"] as const;

/** The name of a mark. */
export type Mark = (typeof marks)[number];

/** Which alerts a view shows. An empty list and undefined do not matter. */
export interface AlertSelection extends Partial<Record<Mark, boolean | undefined>> {
  facilityIds: readonly string[];
  cameraIds: readonly string[];
  alertRuleIds: readonly string[];
  areaIds: readonly string[];
  types: readonly string[];
  severities: readonly string[];
  observation?: boolean | undefined;
  /** Days by the calendar of each facility, the last one included. */
  localDays?: DayRange | undefined;
  /**
   * The time of the day by the clock of each facility, such as 18:00 and 06:00, the end
   * excluded.
   */
  localTimes?: TimeRange | undefined;
  /** From 0 to 23, by the clock of each facility. */
  hoursOfDay: readonly number[];
  /** From 0, Sunday, to 6, by the calendar of each facility. */
  daysOfWeek: readonly number[];
  /** A period that ends now; `start` and `end` are absent then. */
  period?: RecentPeriod | undefined;
  /** The first instant of the period, in ISO 8601. */
  start?: string | undefined;
  /** The first instant after the period, in ISO 8601. */
  end?: string | undefined;
}

/** The parameters that may be given several times, and what they select. */
const lists = {
  facility: "facilityIds",
  camera: "cameraIds",
  rule: "alertRuleIds",
  area: "areaIds",
  type: "types",
  severity: "severities",
} as const;

/**
 * The parameters of numbers that may be given several times, the largest number, and what
 * they select.
 */
const numbers = {
  hour: { field: "hoursOfDay", most: 23 },
  weekday: { field: "daysOfWeek", most: 6 },
} as const;

/**
 * The parameters of which each is a first and a last value, such as
 * 2026-11-19..2026-11-25, and what they select.
 */
const ranges = {
  days: { field: "localDays", isValid: (from: string, to: string) => isDay(from) && isDay(to) && from <= to },
  times: {
    field: "localTimes",
    isValid: (...times: string[]) => times.every((time) => /^(?:[01]\d|2[0-3]):[0-5]\d$/.test(time)),
  },
} as const;

const flags = [...marks, "observation"] as const;
const instants = { from: "start", to: "end" } as const;

const isPeriod = (text: string | null): text is RecentPeriod =>
  text !== null && Object.hasOwn(recentPeriods, text);

/**
 * Reads the selection of alerts from an address; what it says wrongly about marks,
 * periods and times does not matter.
 */
export function alertSelectionOf(query: URLSearchParams): AlertSelection {
  const selection: Record<string, unknown> = { ...numbersIn(query), ...rangesIn(query) };
  for (const [name, field] of Object.entries(lists)) selection[field] = query.getAll(name);
  for (const name of flags) {
    const value = query.get(name);
    if (value === "true" || value === "false") selection[name] = value === "true";
  }
  const period = query.get("period");
  return {
    ...selection,
    ...(isPeriod(period) ? { period } : instantsIn(query)),
  } as unknown as AlertSelection;
}

function numbersIn(query: URLSearchParams): Record<string, number[]> {
  const valid = (name: string, most: number) =>
    [...new Set(query.getAll(name))].filter((text) => /^\d\d?$/.test(text) && Number(text) <= most);
  return Object.fromEntries(
    Object.entries(numbers).map(([name, { field, most }]) => [field, valid(name, most).map(Number)]),
  );
}

function rangesIn(query: URLSearchParams): Record<string, DayRange | TimeRange> {
  const found: Record<string, DayRange | TimeRange> = {};
  for (const [name, { field, isValid }] of Object.entries(ranges)) {
    const [from = "", to = from] = query.get(name)?.split("..") ?? [];
    if (isValid(from, to)) found[field] = { from, to };
  }
  return found;
}

function instantsIn(query: URLSearchParams): Record<string, string> {
  const found: Record<string, string> = {};
  for (const [name, field] of Object.entries(instants)) {
    const time = Date.parse(query.get(name) ?? "");
    if (!Number.isNaN(time)) found[field] = new Date(time).toISOString();
  }
  return found;
}

/**
 * The parameters of an address that selects alerts, as {@link alertSelectionOf} reads
 * them; those that select nothing are undefined, so that they are removed. The address of
 * the view that shows them is
 * `addressOf({ view: "alerts", ...alertParametersOf(selection) })`.
 */
export function alertParametersOf(selection: Partial<AlertSelection>): QueryChanges {
  return Object.fromEntries([
    ...Object.entries(lists).map(([name, field]) => [name, selection[field] ?? []]),
    ...Object.entries(numbers).map(([name, { field }]) => [name, selection[field]?.map(String) ?? []]),
    ...Object.entries(ranges).map(([name, { field }]) => [
      name,
      selection[field] && inWords(selection[field]),
    ]),
    ...flags.map((name) => [name, selection[name]?.toString()]),
    ["period", selection.period],
    ...Object.entries(instants).map(([name, field]) => [name, selection[field]]),
  ]);
}

/** Whether a selection leaves anything out. */
export const selectsAll = (selection: AlertSelection): boolean =>
  Object.values(alertParametersOf(selection))
    .flat()
    .every((value) => value === undefined);

/**
 * Whether the period of a selection ends before it starts, so that it selects nothing.
 */
export const endsBeforeStart = ({ start, end }: AlertSelection): boolean =>
  start !== undefined && end !== undefined && end <= start;

const inWords = ({ from, to }: DayRange | TimeRange) => (from === to ? from : `${from}..${to}`);

// Detectors' clocks may be ahead, so “until now” has no end.
const always = { start: "1970-01-01T00:00:00.000Z", end: "9999-12-31T00:00:00.000Z" };

/** The selection as the API takes it. */
export function alertFilterOf(
  { period, start, end, falsePositive, ...selection }: AlertSelection,
  now: Date,
): AlertFilter {
  return {
    ...Object.fromEntries(
      Object.entries(selection).filter(([, value]) =>
        Array.isArray(value) ? value.length > 0 : value !== undefined,
      ),
    ),
    ...(falsePositive !== undefined && { falsePositive: [falsePositive] }),
    ...periodOf({ period, start, end, localDays: selection.localDays }, now),
  };
}

function periodOf(
  { period, start, end, localDays }: Pick<AlertSelection, "period" | "start" | "end" | "localDays">,
  now: Date,
): Partial<AlertFilter> {
  const recent = period && recentPeriods[period];
  if (recent && "days" in recent) return { relativeDays: { from: 1 - recent.days, to: 0 } };
  if (recent) return { ...always, start: new Date(startOfHours(recent.hours, now.getTime())).toISOString() };
  if (localDays && start === undefined && end === undefined) return {};
  const from = start ?? always.start;
  // A period that ends before it starts contains nothing.
  return { start: from, end: end === undefined ? always.end : end < from ? from : end };
}

/** Whether what a selection selects changes as time passes. */
export const isMoving = ({ period }: AlertSelection): boolean => period !== undefined;

/** Whether the API would list an alert with a filter at a moment. */
export function matches(alert: AlertItemFragment, filter: AlertFilter, now: number): boolean {
  const isIn = (value: string | null | undefined, list: readonly string[] | null | undefined) =>
    !list || (value != null && list.includes(value));
  const is = (value: boolean, wanted: boolean | null | undefined) => wanted == null || value === wanted;
  const time = Date.parse(alert.createdAt);
  return (
    isIn(alert.facilityId, filter.facilityIds) &&
    isIn(alert.cameraId, filter.cameraIds) &&
    isIn(alert.alertRuleId, filter.alertRuleIds) &&
    isIn(alert.name, filter.types) &&
    isIn(alert.severity, filter.severities) &&
    (!filter.areaIds || alert.areaIds.some((id) => filter.areaIds?.includes(id))) &&
    is(alert.acknowledgedAt !== null, filter.acknowledged) &&
    is(alert.bookmark, filter.bookmark) &&
    is(alert.observation, filter.observation) &&
    (!filter.falsePositive || filter.falsePositive.includes(alert.falsePositive)) &&
    (filter.start == null || time >= Date.parse(filter.start)) &&
    (filter.end == null || time < Date.parse(filter.end)) &&
    matchesLocalTime(alert, filter, now)
  );
}
