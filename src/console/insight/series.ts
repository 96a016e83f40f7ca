import type { InsightCountsQuery } from "../../generated/console.js";

type Rows = InsightCountsQuery["counts"];

/** What the colours of bars stand for. */
export type Colouring = "severity" | "type";

/** The alerts of one severity or type, or of all types that are too few to have a colour of their own. */
export interface Series {
  /** The severity or type; null for alerts without a severity, undefined for all other types. */
  value: string | null | undefined;
  /** The alerts in each bar. */
  counts: number[];
  total: number;
  totalBefore: number;
}

/** What a chart of counts shows. */
export interface Counts {
  /** The keys of the days, weeks or months. */
  periods: string[];
  series: Series[];
  total: number;
  totalBefore: number;
  /** The alerts in each bar of the period before. */
  before: number[];
}

const severityOrder: readonly (string | null | undefined)[] = ["CRITICAL", "HIGH", "MEDIUM", "LOW"];
/** How many types have a colour of their own. */
const colouredTypes = 6;

/** Arranges what was counted by bars and colours: severities with the gravest first, types with the most frequent first. */
export function countsOf({ counts, countsBefore }: InsightCountsQuery, colouring: Colouring): Counts {
  const periods = periodsOf(counts);
  const positions = new Map(periods.map((period, index) => [period, index]));
  const found = new Map<string | null, Series>();
  const seriesOf = (row: Rows[number]) => {
    const value = row[colouring] ?? null;
    const series = found.get(value) ?? { value, counts: periods.map(() => 0), total: 0, totalBefore: 0 };
    found.set(value, series);
    return series;
  };
  for (const row of counts) {
    const series = seriesOf(row);
    series.counts[positions.get(row.period as string) as number] = row.count;
    series.total += row.count;
  }
  for (const row of countsBefore) seriesOf(row).totalBefore += row.count;
  const all = [...found.values()];
  return {
    periods,
    series: colouring === "severity" ? all.sort(byGravity) : withOthers(all),
    total: sumOf(counts),
    totalBefore: sumOf(countsBefore),
    before: periodsOf(countsBefore).map((period) => sumOf(countsBefore.filter((row) => row.period === period))),
  };
}

const periodsOf = (rows: Rows) => [...new Set(rows.map(({ period }) => period as string))].sort();
const sumOf = (rows: Rows) => rows.reduce((sum, { count }) => sum + count, 0);

/** Severities that are not known come after those that are, and none comes last. */
function byGravity(one: Series, other: Series): number {
  const rank = ({ value }: Series) => (severityOrder.includes(value) ? severityOrder.indexOf(value) : severityOrder.length + Number(value === null));
  return rank(one) - rank(other) || String(one.value).localeCompare(String(other.value));
}

function withOthers(all: Series[]): Series[] {
  const sorted = all.sort((one, other) => other.total - one.total || other.totalBefore - one.totalBefore);
  if (sorted.length <= colouredTypes + 1) return sorted;
  const others = sorted.slice(colouredTypes).reduce((sum, each) => ({
    value: undefined,
    counts: sum.counts.map((count, index) => count + (each.counts[index] ?? 0)),
    total: sum.total + each.total,
    totalBefore: sum.totalBefore + each.totalBefore,
  }));
  return [...sorted.slice(0, colouredTypes), others];
}
