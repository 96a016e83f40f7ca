import { knownSeverities, severityRank } from "../../features/alert-rule/alert-kind.js";
import type { InsightCountsQuery } from "../../generated/console.js";
import { defined } from "../../platform/defined.js";
import type { AlertSelection } from "../alerts/filter/alert-filter.js";
import { addDays } from "../language/calendar-days.js";

type Rows = InsightCountsQuery["counts"];

export type Colouring = "severity" | "type";

export interface Series {
  /** The severity or type; null for alerts without a severity, undefined for all other types. */
  value: string | null | undefined;
  /** What selects its alerts; undefined if they are of too many types. */
  selection: Partial<AlertSelection> | undefined;
  /** The alerts in each bar. */
  counts: number[];
  total: number;
  totalBefore: number;
}

export interface Counts {
  /** The keys of the days, weeks or months. */
  periods: string[];
  series: Series[];
  total: number;
  totalBefore: number;
  /** The number of alerts in the period before, at each bar's position; undefined where it has no such bar. */
  before: (number | undefined)[];
}

const colouredTypes = 6;

/** An address with more types would become too long. */
const mostSelectedTypes = 100;

/** How to compare bars with the period before: days by whole weeks back, others by their position from the end. */
interface PeriodComparison {
  isByDay: boolean;
  days: number;
}

export function countsOf(
  { counts, barsBefore, seriesBefore }: InsightCountsQuery,
  colouring: Colouring,
  comparison: PeriodComparison,
): Counts {
  const periods = [...sumsOf(counts).keys()];
  const positions = new Map(periods.map((period, index) => [period, index]));
  const found = new Map<string | null, Series>();
  const seriesOf = (row: Pick<Rows[number], Colouring>) => {
    const value = row[colouring] ?? null;
    const series = found.get(value) ?? {
      value,
      selection: selectionOf(colouring, value),
      counts: periods.map(() => 0),
      total: 0,
      totalBefore: 0,
    };
    found.set(value, series);
    return series;
  };
  for (const row of counts) {
    const series = seriesOf(row);
    series.counts[defined(positions.get(defined(row.period)))] = row.count;
    series.total += row.count;
  }
  for (const row of seriesBefore) seriesOf(row).totalBefore += row.count;
  const all = [...found.values()];
  return {
    periods,
    series: colouring === "severity" ? all.sort(byGravity) : withOthers(all),
    total: totalOf(counts),
    totalBefore: totalOf(seriesBefore),
    before: besides(periods, sumsOf(barsBefore), comparison),
  };
}

function selectionOf(colouring: Colouring, value: string | null): Partial<AlertSelection> {
  if (value === null) return { hasSeverity: false };
  return colouring === "type" ? { types: [value] } : { severities: [value] };
}

const totalOf = (rows: readonly Pick<Rows[number], "count">[]) =>
  rows.reduce((sum, { count }) => sum + count, 0);

function sumsOf(rows: readonly Pick<Rows[number], "period" | "count">[]) {
  const sums = new Map<string, number>();
  for (const { period, count } of rows) sums.set(defined(period), (sums.get(defined(period)) ?? 0) + count);
  return new Map([...sums].sort(([one], [other]) => (one < other ? -1 : 1)));
}

function besides(
  periods: readonly string[],
  before: ReadonlyMap<string, number>,
  { isByDay, days }: PeriodComparison,
) {
  if (before.size === 0) return periods.map(() => undefined);
  if (isByDay)
    return periods.map((day) => (days % 7 === 0 ? (before.get(addDays(day, -days)) ?? 0) : undefined));
  // The present week or month is not over, so the bars of both periods are aligned at their ends.
  const shift = before.size - periods.length;
  const sums = [...before.values()];
  return periods.map((_, index) => sums[index + shift]);
}

/** Unknown severities come after known ones, and alerts without one come last. */
function byGravity(one: Series, other: Series) {
  return (
    severityRank(one.value) - severityRank(other.value) ||
    String(one.value).localeCompare(String(other.value))
  );
}

function withOthers(all: Series[]) {
  const sorted = all.sort((one, other) => other.total - one.total || other.totalBefore - one.totalBefore);
  if (sorted.length <= colouredTypes + 1) return sorted;
  const types = sorted.slice(colouredTypes).flatMap(({ selection }) => selection?.types ?? []);
  const others = sorted.slice(colouredTypes).reduce((sum, each) => ({
    value: undefined,
    selection: types.length > mostSelectedTypes ? undefined : { types },
    counts: sum.counts.map((count, index) => count + (each.counts[index] ?? 0)),
    total: sum.total + each.total,
    totalBefore: sum.totalBefore + each.totalBefore,
  }));
  return [...sorted.slice(0, colouredTypes), others];
}

/** The CSS class with the colour of a series. A severity always has the same colour, a type that of its position. */
export function seriesClass(series: readonly Series[], value: Series["value"]): string {
  if (value === undefined || value === null) return "series series-other";
  return knownSeverities.includes(value)
    ? `series series-${value.toLowerCase()}`
    : `series series-${series.findIndex((each) => each.value === value) + 1}`;
}
