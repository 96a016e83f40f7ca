import { setTimeout as sleep } from "node:timers/promises";

/** The minimum interval between reads, however often metrics are asked for. */
const intervalMs = 15_000;
/**
 * How long other metrics wait for a read. They matter most while the database is slow or its connections are in use.
 */
const maxWaitMs = 1_000;

/** Reads rows now and then, and returns the last ones in between; none if the database does not answer in time. */
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
