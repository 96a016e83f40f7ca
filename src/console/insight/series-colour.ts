import type { Series } from "./series.js";

/**
 * The CSS class with the colour of a series. Severities always have the same colour,
 * types have that of their place.
 */
export function seriesClass(series: readonly Series[], value: Series["value"]): string {
  if (value === undefined || value === null) return "series series-other";
  const severity = /^(?:CRITICAL|HIGH|MEDIUM|LOW)$/.exec(value);
  return severity
    ? `series series-${value.toLowerCase()}`
    : `series series-${series.findIndex((each) => each.value === value) + 1}`;
}
