import { fail } from "../../platform/thrown.js";
import "reflect-metadata";
import { networkInterfaces } from "node:os";
import { setFlagsFromString } from "node:v8";
import { isLoopback } from "../../engine/access/trustworthy-url.js";
import { cameraFeedOf } from "../../engine/settings/camera-feed.js";
import { type Environment, readEnvironment } from "../../engine/settings/environment.js";
import { type App, createApp } from "./app.js";
import { seedNewDemo } from "./workers/demo.js";

// By default, V8 lets the heap grow to four times the size of the live objects before it collects garbage.
setFlagsFromString("--heap-growing-percent=100");
// V8 would keep compiled operations that the gateway has dropped, for several collections.
setFlagsFromString("--no-compilation-cache");

let app: App | undefined;
/** How long the gateway keeps serving after SIGTERM, in milliseconds, so that load balancers notice. */
let shutdownDelay = 0;
let isStopping = false;

async function stop(signal: NodeJS.Signals): Promise<void> {
  if (isStopping) return;
  isStopping = true;
  app?.log.info(`${signal}: shutting down`);
  // At a keyboard, there is no load balancer to wait for. A startup can be interrupted at any step: all of them can be
  // repeated.
  await app?.close({ shutdownDelay: signal === "SIGTERM" ? shutdownDelay : 0 });
  process.exit(0);
}

/** The address by which others may reach a gateway that has no PUBLIC_URL. */
function suggestedUrl({ HOST }: Environment, url: string): string {
  const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  const [own] = addresses.filter(({ family, internal }) => family === "IPv4" && !internal);
  return /^(?:0\.0\.0\.0|[:0]+)$/.test(HOST)
    ? url.replace(/\/\/.*(?=:)/, `//${own?.address ?? "<address>"}`)
    : url;
}

process.on("SIGTERM", stop);
process.on("SIGINT", stop);

try {
  const environment = readEnvironment();
  shutdownDelay = environment.SHUTDOWN_DELAY;
  if (!(await seedNewDemo(environment))) process.exit(1);
  app = await createApp(environment);
  if (process.version.startsWith("v20."))
    app.log.warn("Node.js 20 is supported until 0.4.0 of the gateway: install 22.15 or later of 22, or 24");
  if (!environment.PUBLIC_URL && !isLoopback(environment.HOST))
    app.log.warn(
      `PUBLIC_URL is not set: invitations, mails and links to pictures lead to localhost, which nobody else can open. Set it to the address by which this gateway is reached, such as PUBLIC_URL=${suggestedUrl(environment, app.url)}`,
    );
  const isPublic = environment.PUBLIC_URL && !isLoopback(environment.HOST);
  const shown = isPublic ? environment.PUBLIC_URL : app.url.replace("127.0.0.1", "localhost");
  const user = app.demoUser ?? "<authId of a user>";
  const token = environment.AUTH_JWT_SECRET ? `  Token        npm run --silent token -- '${user}'\n` : "";
  const feed = cameraFeedOf(environment);
  const { FEED_RING: seconds, FEED_RINGS: rings } = environment;
  const kept = seconds === 0 ? "" : `; keeps the last ${seconds} s of up to ${rings} cameras for clips`;
  const opened = "reason" in feed ? `off: ${feed.reason}` : `builtin, by ${feed.ffmpegPath}${kept}`;
  process.stdout.write(`
The gateway is ready.
  Console      ${shown}/
  Playground   ${shown}/graphql
  REST docs    ${shown}/docs
  Health       ${shown}/healthz, ${shown}/readyz
  Camera feed  ${opened}
${token}
`);
} catch (error) {
  fail(error);
}
