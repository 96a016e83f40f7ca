import { writeFileSync } from "node:fs";

/** One figure of a run: what was measured, and what it has to be. */
export interface Figure {
  name: string;
  value: number;
  unit: string;
  /** At most, or at least, this; a figure without a bound only informs. */
  atMost?: number;
  atLeast?: number;
}

export const isMet = ({ value, atMost, atLeast }: Figure) => (atMost === undefined || value <= atMost) && (atLeast === undefined || value >= atLeast);

/** The figures as a table to read. */
export function table(figures: readonly Figure[]): string {
  const rows = figures.map((figure) => {
    const bound = figure.atMost !== undefined ? `≤ ${figure.atMost}` : figure.atLeast !== undefined ? `≥ ${figure.atLeast}` : "";
    return `| ${figure.name} | ${figure.value} ${figure.unit} | ${bound} | ${bound && (isMet(figure) ? "met" : "MISSED")} |`;
  });
  return ["| Figure | Measured | Bound | |", "|---|---|---|---|", ...rows].join("\n");
}

/** Writes the figures as JSON, with what they were measured on. */
export function writeReport(file: string, settings: object, figures: readonly Figure[]): void {
  const machine = { node: process.version, platform: `${process.platform} ${process.arch}` };
  writeFileSync(file, `${JSON.stringify({ date: new Date().toISOString(), machine, settings, figures }, null, 2)}\n`);
}
