import type { Database } from "../database/client.js";
import { describeReplaced } from "../database/time-zones.js";
import type { Logger } from "../platform/telemetry/log.js";
import { type StepOutcome, Worker } from "../platform/workers/worker.js";

/**
 * The database may return as another version with other time zones while the gateway
 * runs.
 */
const intervalMs = 60_000;

/** Creates the worker that checks the time zones of facilities, and logs unknown ones. */
export function timeZoneWorker(database: Database, log: Logger): Worker {
  let logged = "";
  const step = async (): Promise<StepOutcome> => {
    await database.updateTimeZones();
    const replaced = (await database.replacedTimeZones()).map(describeReplaced);
    const found = replaced.join("\n");
    if (found !== logged) for (const line of replaced) log.warn(line);
    logged = found;
    return { dueInMs: intervalMs };
  };
  return new Worker("looking up the time zones of facilities", step, log);
}
