import { seedDemoFleet } from "../app/demo.js";
import { openInfrastructure } from "../app/infrastructure.js";
import { Shutdown } from "../app/shutdown.js";
import { readEnvironment } from "../engine/settings/environment.js";
import { DisposerStack } from "../platform/disposer-stack.js";
import { createLog } from "../platform/telemetry/log.js";
import { fail } from "../platform/thrown.js";

/**
 * Fills a new embedded database with the demo fleet. The gateway starts this process, and
 * waits for its end.
 */
process.on("disconnect", () => process.exit(1));
const environment = readEnvironment();
const log = createLog(environment.LOG_LEVEL);
const disposers = new DisposerStack();
const runtime = { environment, log, now: () => new Date(), shutdown: new Shutdown(), disposers };
try {
  await seedDemoFleet(runtime, await openInfrastructure(runtime));
  await disposers.dispose();
  process.exit(0);
} catch (error) {
  fail(error);
}
