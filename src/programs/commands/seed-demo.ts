import { readEnvironment } from "../../engine/settings/environment.js";
import { DisposerStack } from "../../platform/disposer-stack.js";
import { createLog } from "../../platform/telemetry/log.js";
import { fail } from "../../platform/thrown.js";
import { openInfrastructure } from "../gateway/infrastructure.js";
import { Shutdown } from "../gateway/shutdown.js";
import { seedDemoFleet } from "../gateway/workers/demo.js";

/** Fills a new embedded database with the demo fleet. The gateway starts this process, and waits for its end. */
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
