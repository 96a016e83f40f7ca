import { writeFileSync } from "node:fs";

/** How many checks passed and failed, as the JSON report of the tests has it. */
export interface Totals {
  numPassedTests: number;
  numFailedTests: number;
}

/** Writes the totals of a command where CI adds them up. */
export function writeTotals(file: string, totals: Totals): void {
  writeFileSync(file, `${JSON.stringify(totals)}\n`);
}
