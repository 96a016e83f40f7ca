import type { Series } from "./series.js";

/**
 * The class of what shows a series, by which it has its colour: severities have theirs
 * everywhere, types by their place.
 */
export function seriesClass(series: readonly Series[], value: Series["value"]): string {
  if (value === undefined || value === null) return "series series-other";
  const severity = /^(?:CRITICAL|HIGH|MEDIUM|LOW)$/.exec(value);
  return severity
    ? `series series-${value.toLowerCase()}`
    : `series series-${series.findIndex((each) => each.value === value) + 1}`;
}
