import type { TodayQueryVariables } from "../../generated/console.js";
import { keysOf, recordOf } from "../../platform/record.js";
import { type AlertSelection, alertFilterOf } from "../alerts/filter/alert-filter.js";
import { nightTimes } from "../alerts/local-time.js";

/** Which alerts a number on Today counts, and its link shows. */
type Counted = Partial<AlertSelection>;

/** The number of nights with which the last one is compared. */
export const nightsCompared = 7;

/** The alerts of each number on Today. Those of a period were raised since an instant. */
export const countedAlerts = (since: string) =>
  ({
    raised: { start: since },
    open: { start: since, open: true },
    acknowledged: { start: since, acknowledged: true },
    lastNight: { relativeDays: { from: -1, to: -1 }, localTimes: nightTimes },
    nightsBefore: { relativeDays: { from: -1 - nightsCompared, to: -2 }, localTimes: nightTimes },
  }) satisfies Record<string, Counted>;

/** All open alerts, which `Workspace.openAlertCount` counts. */
export const allOpen = { open: true } satisfies Counted;

export function filtersSince(since: string): Omit<TodayQueryVariables, "away"> {
  const counted = countedAlerts(since);
  return recordOf(keysOf(counted), (name) => alertFilterOf(counted[name], new Date(since)));
}
