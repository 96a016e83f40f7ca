import { type MeasuredServer, median, round } from "./measured-process.js";
import type { PostgresqlBackends } from "./postgresql-backends.js";
import { type Figure, figure } from "./report.js";

/**
 * A server with its PostgreSQL servers. Their CPU time is compared with another side's.
 */
export class Side<Outcome> {
  /** The results of each measured repetition. */
  readonly outcomes: Outcome[] = [];
  /**
   * For each measured repetition the CPU seconds per unit of work: of the server, and of
   * each PostgreSQL server.
   */
  readonly cpu: number[][] = [];

  constructor(
    readonly server: MeasuredServer,
    readonly postgresql: readonly PostgresqlBackends[],
    private readonly work: () => Promise<Outcome>,
  ) {}

  /** Does a number of units of the work once. */
  async repeat(units: number, isMeasured: boolean): Promise<void> {
    const before = await this.#cpu();
    const outcome = await this.work();
    const after = await this.#cpu();
    if (!isMeasured) return;
    this.outcomes.push(outcome);
    this.cpu.push(after.map((seconds, index) => (seconds - (before[index] as number)) / units));
  }

  /**
   * The medians per unit in milliseconds, such as `0.4 + 0.2 ms`: of the server, and of
   * each PostgreSQL server.
   */
  cpuFigure(name: string): Figure {
    const [server, ...postgresql] = (this.cpu[0] ?? []).map((_, part) =>
      round(median(this.cpu.map((each) => each[part] as number)) * 1000),
    );
    return figure(name, server as number, [...postgresql.map((part) => `+ ${part}`), "ms"].join(" "));
  }

  async #cpu(): Promise<number[]> {
    return [this.server.cpu, ...(await Promise.all(this.postgresql.map((backends) => backends.cpu())))];
  }
}

/**
 * Repetitions that are not measured, so that code is compiled and caches are full on all
 * sides.
 */
const warmUpRepetitions = 4;

/** Makes the sides work in turns, because the speed of the machine varies over time. */
export async function measureInTurns(
  sides: readonly Side<unknown>[],
  { units, repetitions }: { units: number; repetitions: number },
): Promise<void> {
  for (let repetition = -warmUpRepetitions; repetition < repetitions; repetition += 1) {
    for (const side of sides) await side.repeat(units, repetition >= 0);
  }
}

/**
 * The ratio per repetition, because the speed of the machine varies over time but affects
 * all sides.
 */
export function cpuRatios(side: Side<unknown>, other: Side<unknown>): number[] {
  const totals = ({ cpu }: Side<unknown>) =>
    cpu.map((parts) => parts.reduce((sum, seconds) => sum + seconds, 0));
  const others = totals(other);
  return totals(side).map((total, repetition) => total / (others[repetition] as number));
}

/**
 * With seven repetitions, the median lies between the second-lowest and the
 * second-highest ratio with a probability of 7/8.
 */
export function spread(ratios: readonly number[]): { low: number; high: number } {
  const sorted = ratios.toSorted((one, other) => one - other);
  return { low: round(sorted[1] ?? Number.NaN), high: round(sorted.at(-2) ?? Number.NaN) };
}

/** The rates of the gateway and of its baseline, of one repetition each. */
export interface Rates {
  gateway: number[];
  baseline: number[];
}

/** The gateway's rate relative to that of the baseline, and both, per second. */
export function rateFigures(
  ratio: [name: string, atLeast: number | undefined],
  rates: Rates,
  nameOf: (side: keyof Rates) => string,
): Figure[] {
  const ratios = rates.gateway.map((rate, index) => rate / (rates.baseline[index] as number));
  const [name, atLeast] = ratio;
  return [
    figure(name, round(median(ratios)), "×", atLeast === undefined ? {} : { atLeast }),
    ...(["gateway", "baseline"] as const).map((side) =>
      figure(nameOf(side), Math.round(median(rates[side])), "/s"),
    ),
  ];
}

/** The median of ratios with its spread, and its maximum. */
export function ratioFigure(name: string, ratios: readonly number[], atMost?: number): Figure {
  const { low, high } = spread(ratios);
  return figure(name, round(median(ratios)), `× (${low} to ${high})`, {
    ...(atMost !== undefined && { atMost }),
  });
}
