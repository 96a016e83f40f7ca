import { setTimeout as sleep } from "node:timers/promises";

/** The minimum interval between reads, however often metrics are asked for. */
const intervalMs = 15_000;
/** Other metrics matter most while the database is slow. */
const maxWaitMs = 1_000;

/** Callers share a read in progress. No rows if the database does not answer in time. */
export function readNowAndThen<Row>(read: () => Promise<Row[]>, now: () => Date): () => Promise<Row[]> {
  let last: { rows: Promise<Row[]>; readAt: number } | undefined;
  return () => {
    if (!last || now().getTime() - last.readAt >= intervalMs) {
      const rows = read().catch((): Row[] => {
        last = undefined;
        return [];
      });
      last = { rows, readAt: now().getTime() };
    }
    return Promise.race([last.rows, sleep(maxWaitMs, [], { ref: false })]);
  };
}
