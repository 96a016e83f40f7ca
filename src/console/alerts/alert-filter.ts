import type { AlertFilter, AlertItemFragment } from "../../generated/console.js";
import type { QueryChanges } from "../navigation/location.js";

/** Periods that end now, in hours. */
export const recentPeriods = { "24h": 24, "7d": 7 * 24, "30d": 30 * 24 } as const;

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

const flags = [...marks, "observation"] as const;
const instants = { from: "start", to: "end" } as const;

const isPeriod = (text: string | null): text is RecentPeriod => text !== null && Object.hasOwn(recentPeriods, text);

/** Reads the selection of alerts from an address; what it says wrongly about marks and periods does not matter. */
export function alertSelectionOf(query: URLSearchParams): AlertSelection {
  const selection: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(lists)) selection[field] = query.getAll(name);
  for (const name of flags) {
    const value = query.get(name);
    if (value === "true" || value === "false") selection[name] = value === "true";
  }
  const period = query.get("period");
  if (isPeriod(period)) selection.period = period;
  else
    for (const [name, field] of Object.entries(instants)) {
      const time = Date.parse(query.get(name) ?? "");
      if (!Number.isNaN(time)) selection[field] = new Date(time).toISOString();
    }
  return selection as unknown as AlertSelection;
}

/**
 * The parameters of an address that selects alerts, as {@link alertSelectionOf} reads them; those that select nothing are undefined,
 * so that they are removed. The address of the view that shows them is `addressOf({ view: "alerts", ...alertParametersOf(selection) })`.
 */
export function alertParametersOf(selection: Partial<AlertSelection>): QueryChanges {
  return Object.fromEntries([
    ...Object.entries(lists).map(([name, field]) => [name, selection[field] ?? []]),
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

// Detectors' clocks may be ahead, so “until now” has no end.
const always = { start: "1970-01-01T00:00:00.000Z", end: "9999-12-31T00:00:00.000Z" };

/** The selection as the API takes it. */
export function alertFilterOf({ period, start, end, falsePositive, ...selection }: AlertSelection, now: Date): AlertFilter {
  const from = period ? new Date(now.getTime() - recentPeriods[period] * 3600_000).toISOString() : (start ?? always.start);
  return {
    ...Object.fromEntries(Object.entries(selection).filter(([, value]) => (Array.isArray(value) ? value.length > 0 : value !== undefined))),
    ...(falsePositive !== undefined && { falsePositive: [falsePositive] }),
    start: from,
    // A period that ends before it starts contains nothing.
    end: end === undefined ? always.end : end < from ? from : end,
  };
}

/** Whether the API would list an alert with a filter. */
export function matches(alert: AlertItemFragment, filter: AlertFilter): boolean {
  const isIn = (value: string | null | undefined, list: readonly string[] | null | undefined) => !list || (value != null && list.includes(value));
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
    (filter.end == null || time < Date.parse(filter.end))
  );
}
