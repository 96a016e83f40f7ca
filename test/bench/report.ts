import { writeFileSync } from "node:fs";

/** A measured figure and its bound. */
export interface Figure {
  name: string;
  value: number;
  unit: string;
  /** The bound; figures without one are informational. */
  atMost?: number;
  atLeast?: number;
}

export const figure = (
  name: string,
  value: number,
  unit: string,
  bounds?: Pick<Figure, "atMost" | "atLeast">,
): Figure => ({ name, value, unit, ...bounds });

export const isMet = ({ value, atMost, atLeast }: Figure) =>
  (atMost === undefined || value <= atMost) && (atLeast === undefined || value >= atLeast);

/** Formats the figures as a Markdown table. */
export function table(figures: readonly Figure[]): string {
  const rows = figures.map((figure) => {
    const bound =
      figure.atMost !== undefined
        ? `≤ ${figure.atMost}`
        : figure.atLeast !== undefined
          ? `≥ ${figure.atLeast}`
          : "";
    return `| ${figure.name} | ${figure.value} ${figure.unit} | ${bound} | ${bound && (isMet(figure) ? "met" : "MISSED")} |`;
  });
  return ["| Figure | Measured | Bound | |", "|---|---|---|---|", ...rows].join("\n");
}

/** Writes the figures as JSON, together with the settings and the platform. */
export function writeReport(file: string, settings: object, figures: readonly Figure[]): void {
  const machine = { node: process.version, platform: `${process.platform} ${process.arch}` };
  writeFileSync(
    file,
    `${JSON.stringify({ date: new Date().toISOString(), machine, settings, figures }, null, 2)}\n`,
  );
}
