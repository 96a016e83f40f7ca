import type { AlertFilter } from "../../../generated/console.js";
import { hasKey } from "../../../platform/record.js";
import type { QueryChanges } from "../../navigation/location.js";
import { type FieldSelection, selectableFields, selectingFields } from "./alert-filter-fields.js";

/** Periods that end now: n hours, or n days by the calendar of each facility, today included. */
export const recentPeriods = {
  today: { days: 1 },
  "24h": { hours: 24 },
  "7d": { days: 7 },
  "30d": { days: 30 },
} as const;

/** Days begin at quarters of hours of UTC wherever a facility is, in milliseconds. */
export const quarter = 15 * 60_000;

/** The start of n hours that end at a moment, at a full quarter of an hour, so that all views show the same alerts. */
export const startOfHours = (hours: number, now: number): number =>
  Math.floor(now / quarter) * quarter - hours * 3600_000;

export type RecentPeriod = keyof typeof recentPeriods;

export const marks = ["acknowledged", "bookmark", "falsePositive"] as const;

export type Mark = (typeof marks)[number];

/** Which alerts a view shows. An empty list and undefined limit nothing. */
export interface AlertSelection extends FieldSelection {
  /** A period that ends now; `start`, `end`, `relativeDays` and `relativeWeeks` are absent then. */
  period?: RecentPeriod | undefined;
}

/** Reads the selection of alerts from an address. Ignores marks, periods and times that it does not understand. */
export function alertSelectionOf(query: URLSearchParams): AlertSelection {
  const selected = Object.fromEntries(
    selectableFields.map(([field, { parameter }]) => [field, parameter.read(query.getAll(parameter.name))]),
  ) as unknown as FieldSelection;
  const period = query.get("period");
  return hasKey(recentPeriods, period)
    ? { ...selected, ...noPeriod, period, localDays: selected.localDays }
    : selected;
}

/**
 * The parameters of an address that selects alerts, as {@link alertSelectionOf} reads them; those that
 * select nothing are undefined, so that they are removed.
 */
export function alertParametersOf(selection: Partial<AlertSelection>): QueryChanges {
  const removed = selectableFields.map(([, { parameter }]) => [parameter.name, undefined]);
  const set = selectingFields(selection).map(([, { parameter }, selected]) => [
    parameter.name,
    parameter.write(selected),
  ]);
  return { ...Object.fromEntries([...removed, ...set]), period: selection.period };
}

export const addressOfAlerts = (selection: Partial<AlertSelection>): QueryChanges => ({
  view: "alerts",
  ...alertParametersOf(selection),
});

/** The fields of a selection that a period consists of, without any. */
export const noPeriod = {
  period: undefined,
  start: undefined,
  end: undefined,
  localDays: undefined,
  relativeDays: undefined,
  relativeWeeks: undefined,
} satisfies Partial<AlertSelection>;

/** Whether a selection leaves nothing out. */
export const selectsAll = (selection: AlertSelection): boolean =>
  selection.period === undefined && selectingFields(selection).length === 0;

/** Whether a selection has a period, and so does not reach over all time. */
export const hasPeriod = (selection: AlertSelection): boolean =>
  selection.period !== undefined ||
  selectingFields(selection).some(([, { shown }]) => "menu" in shown && shown.menu === "period");

/** Whether the period of a selection ends before it starts, so that it selects nothing. */
export const endsBeforeStart = ({ start, end }: AlertSelection): boolean =>
  start !== undefined && end !== undefined && end <= start;

// Detectors' clocks may be ahead, so “until now” has no end.
const always = { start: "1970-01-01T00:00:00.000Z", end: "9999-12-31T00:00:00.000Z" };

export function alertFilterOf(selection: Partial<AlertSelection>, now: Date): AlertFilter {
  const asked = selectingFields(selection).flatMap(([name, { parameter }, selected]) =>
    parameter.ask ? [[name, parameter.ask(selected)]] : [],
  );
  return { ...Object.fromEntries(asked), ...periodOf(selection, now) };
}

function periodOf(
  { period, start, end, localDays, relativeDays, relativeWeeks }: Partial<AlertSelection>,
  now: Date,
): Partial<AlertFilter> {
  const recent = period && recentPeriods[period];
  if (recent && "days" in recent) return { relativeDays: { from: 1 - recent.days, to: 0 } };
  if (recent) return { ...always, start: new Date(startOfHours(recent.hours, now.getTime())).toISOString() };
  if ((localDays || relativeDays || relativeWeeks) && start === undefined && end === undefined) return {};
  const from = start ?? always.start;
  // A period that ends before it starts contains nothing.
  return { start: from, end: end === undefined ? always.end : end < from ? from : end };
}

/** Whether what a selection selects changes as time passes. */
export const isMoving = ({ period, relativeDays, relativeWeeks }: AlertSelection): boolean =>
  period !== undefined || relativeDays !== undefined || relativeWeeks !== undefined;
