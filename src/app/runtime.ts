import type { Environment } from "../environment.js";
import type { Logger } from "../platform/telemetry/log.js";
import type { DisposerStack } from "../platform/workers/disposer-stack.js";
import type { Shutdown } from "./shutdown.js";

/** What every part of the gateway is built with. */
export interface Runtime {
  environment: Environment;
  log: Logger;
  /** The clock that everything expires by. */
  now: () => Date;
  shutdown: Shutdown;
  /** Each part registers here how to close what it opens, as soon as it is open. */
  disposers: DisposerStack;
}
