import type { TodayQueryVariables } from "../../generated/console.js";
import { hasKey, keysOf, recordOf } from "../../platform/record.js";
import { type AlertSelection, alertFilterOf } from "../alerts/filter/alert-filter.js";
import { nightTimes } from "../alerts/local-time.js";
import type { TodayPeriod } from "../language/en.js";

/** Which alerts a number on Today counts, and its link shows. */
export type Counted = Partial<AlertSelection>;

/** The number of nights with which the last one is compared. */
export const nightsCompared = 7;

const chosenPeriods = {
  lastNight: { relativeDays: { from: -1, to: -1 }, localTimes: nightTimes },
  "24h": { period: "24h" },
  "7d": { period: "7d" },
} satisfies Record<Exclude<TodayPeriod, "visit">, Counted>;

/** The alerts of each number on Today. Most of them were raised in a period. */
export const countedAlerts = (period: Counted) =>
  ({
    raised: period,
    open: { ...period, open: true },
    acknowledged: { ...period, acknowledged: true },
    lastNight: chosenPeriods.lastNight,
    nightsBefore: { relativeDays: { from: -1 - nightsCompared, to: -2 }, localTimes: nightTimes },
  }) satisfies Record<string, Counted>;

/** The period in an address of Today: what was chosen, or else since the last visit. */
export function periodIn(query: URLSearchParams): TodayPeriod {
  const name = query.get("period");
  return hasKey(chosenPeriods, name) ? name : "visit";
}

export const alertsOfPeriod = (name: TodayPeriod, since: string): Counted =>
  name === "visit" ? { start: since } : chosenPeriods[name];

/** All open alerts, which `Workspace.openAlertCount` counts. */
export const allOpen = { open: true } satisfies Counted;

export function filtersOf(period: Counted, now: number): Omit<TodayQueryVariables, "away"> {
  const counted = countedAlerts(period);
  return recordOf(keysOf(counted), (name) => alertFilterOf(counted[name], new Date(now)));
}
