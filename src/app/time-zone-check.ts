import type { Database } from "../database/client.js";
import { describeReplaced } from "../database/time-zones.js";
import type { StepOutcome } from "../leases/worker.js";
import type { Logger } from "../platform/telemetry/log.js";

/**
 * The database may return as another version with other time zones while the gateway
 * runs.
 */
const intervalMs = 60_000;

/** The step of a worker that checks the time zones of facilities, and logs unknown ones. */
export function checkTimeZones(database: Database, log: Logger): () => Promise<StepOutcome> {
  let logged = "";
  return async () => {
    await database.updateTimeZones();
    const replaced = (await database.replacedTimeZones()).map(describeReplaced);
    const found = replaced.join("\n");
    if (found !== logged) for (const line of replaced) log.warn(line);
    logged = found;
    return { dueInMs: intervalMs };
  };
}
