import { knownSeverities } from "../../alert-rule/alert-kind.js";
import type { Series } from "./series.js";

/**
 * The CSS class with the colour of a series. Severities always have the same colour,
 * types have that of their place.
 */
export function seriesClass(series: readonly Series[], value: Series["value"]): string {
  if (value === undefined || value === null) return "series series-other";
  return knownSeverities.includes(value)
    ? `series series-${value.toLowerCase()}`
    : `series series-${series.findIndex((each) => each.value === value) + 1}`;
}
