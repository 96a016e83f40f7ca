import { writeFileSync } from "node:fs";

/** The numbers of passed and failed checks in the JSON report of the tests. */
export interface Totals {
  numPassedTests: number;
  numFailedTests: number;
}

/** Writes the totals of a command where CI adds them up. */
export function writeTotals(file: string, totals: Totals): void {
  writeFileSync(file, `${JSON.stringify(totals)}\n`);
}
