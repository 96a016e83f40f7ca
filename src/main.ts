import "reflect-metadata";
import { createApp } from "./app.js";
import { readEnvironment } from "./environment.js";

try {
  const environment = readEnvironment();
  const app = await createApp(environment);
  let stopping = false;
  const stop = async (signal: string) => {
    if (stopping) return;
    stopping = true;
    app.log.info(`${signal}: finishing what is under way`);
    await app.close();
    process.exit(0);
  };
  process.on("SIGTERM", stop);
  process.on("SIGINT", stop);
  const shown = app.url.replace("127.0.0.1", "localhost");
  process.stdout.write(`
The gateway is ready.
  Playground   ${shown}/graphql
  REST docs    ${shown}/docs
  Health       ${shown}/healthz, ${shown}/readyz
${environment.AUTH_JWT_SECRET ? "  Token        npm run --silent token -- 'demo|admin'\n" : ""}
`);
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exit(1);
}
