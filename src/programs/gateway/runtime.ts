import type { Environment } from "../../engine/settings/environment.js";
import type { DisposerStack } from "../../platform/disposer-stack.js";
import type { Logger } from "../../platform/telemetry/log.js";
import type { Shutdown } from "./shutdown.js";

export interface Runtime {
  environment: Environment;
  log: Logger;
  /** The clock for all expiry. */
  now: () => Date;
  shutdown: Shutdown;
  /** Each part registers the closing of its resources here as soon as they are open. */
  disposers: DisposerStack;
}
