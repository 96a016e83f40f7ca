import type { MeasuredProcess } from "./measured-process.js";
import type { Figure } from "./report.js";

/** Inputs shared by all cases of a run. */
export interface BenchRun {
  gateway: MeasuredProcess;
  /** Another build of the gateway to compare with. */
  otherBuild?: MeasuredProcess;
  /** The directory of that build. */
  otherDirectory?: string;
  /** Its database. */
  otherDatabase?: string;
  /** The GraphQL endpoint of a PostGraphile with the same database. */
  peer?: string;
  /** Connection string of the database with the data set. */
  database: string;
  authorization: string;
  alerts: number;
  days: number;
  repetitions: number;
}

/** Measures one aspect. Each case runs against its own gateway process. */
export type BenchCase = (run: BenchRun) => Promise<Figure[]>;
