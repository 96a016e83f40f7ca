import "reflect-metadata";
import { setFlagsFromString } from "node:v8";
import { type App, createApp } from "./app.js";
import { readEnvironment } from "./environment.js";

// Left to itself, V8 lets the heap grow to four times of what is alive before it looks for what is not.
setFlagsFromString("--heap-growing-percent=100");

let app: App | undefined;
/** How long a gateway that was told to end still answers, in milliseconds, so that load balancers learn of it. */
let farewell = 0;
let isStopping = false;

async function stop(signal: NodeJS.Signals): Promise<void> {
  if (isStopping) return;
  isStopping = true;
  app?.log.info(`${signal}: finishing what is under way`);
  // Nobody waits for load balancers at a keyboard; and a start that is broken off leaves nothing half-done.
  await app?.close({ farewell: signal === "SIGTERM" ? farewell : 0 });
  process.exit(0);
}

process.on("SIGTERM", stop);
process.on("SIGINT", stop);

try {
  const environment = readEnvironment();
  farewell = environment.SHUTDOWN_DELAY;
  app = await createApp(environment);
  const shown = app.url.replace("127.0.0.1", "localhost");
  const token = environment.AUTH_JWT_SECRET ? "  Token        npm run --silent token -- 'demo|admin'\n" : "";
  process.stdout.write(`
The gateway is ready.
  Playground   ${shown}/graphql
  REST docs    ${shown}/docs
  Health       ${shown}/healthz, ${shown}/readyz
${token}
`);
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exit(1);
}
