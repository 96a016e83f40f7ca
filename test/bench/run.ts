import type { MeasuredProcess } from "./process.js";
import type { Figure } from "./report.js";

/** What the cases of a run share. */
export interface BenchRun {
  gateway: MeasuredProcess;
  /** The address of the data set's database. */
  database: string;
  authorization: string;
  alerts: number;
  days: number;
  repetitions: number;
}

/** Measures one thing with a gateway of its own. */
export type BenchCase = (run: BenchRun) => Promise<Figure[]>;
