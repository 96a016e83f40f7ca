import { keysOf } from "../../platform/record.js";
import { type AlertSelection, noPeriod } from "../alerts/filter/alert-filter.js";
import { nightTimes } from "../alerts/local-time.js";

/** The fields of a selection that a period consists of. */
type Period = Pick<AlertSelection, keyof typeof noPeriod | "localTimes">;

const yesterday = { from: -1, to: -1 };

/** The periods to choose from. All but the last 24 hours go by the clock of each facility, and move on with time. */
export const periodPresets = {
  today: { period: "today" },
  yesterday: { relativeDays: yesterday },
  lastNight: { relativeDays: yesterday, localTimes: nightTimes },
  thisWeek: { relativeWeeks: { from: 0, to: 0 } },
  lastWeek: { relativeWeeks: { from: -1, to: -1 } },
  "24h": { period: "24h" },
  "7d": { period: "7d" },
  "30d": { period: "30d" },
} as const satisfies Record<string, Period>;

type PeriodPreset = keyof typeof periodPresets;

export const presetNames = keysOf(periodPresets);

const textOf = (selection: Period) => JSON.stringify(keysOf(noPeriod).map((name) => selection[name]));

const isNight = (times: Period["localTimes"]) =>
  times?.from === nightTimes.from && times.to === nightTimes.to;

/** The preset that a selection has as its period; undefined if it has another one, or none. */
export function presetOf(selection: Period): PeriodPreset | undefined {
  const found = presetNames.filter((name) => textOf(periodPresets[name]) === textOf(selection));
  return isNight(selection.localTimes) && found.includes("lastNight")
    ? "lastNight"
    : found.find((name) => name !== "lastNight");
}

/** The changes that choose a preset, or all time if undefined. The times of the day belong to the preset for nights. */
export const choiceOf = (name: PeriodPreset | undefined, selection: Period): Period => ({
  ...noPeriod,
  ...(presetOf(selection) === "lastNight" && { localTimes: undefined }),
  ...(name && periodPresets[name]),
});

/** The changes of a selection that choose a bound of one's own in place of named periods. */
export const boundOf = (name: "start" | "end", instant: string | undefined, selection: Period): Period => {
  const { start, end } = selection;
  return { ...choiceOf(undefined, selection), start, end, [name]: instant };
};
