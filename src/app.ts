import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expressMiddleware } from "@as-integrations/express5";
import compression from "compression";
import cors from "cors";
import express, { type Express } from "express";
import helmet from "helmet";
import { createKey } from "./access/api-key.js";
import { isLoopback, signToken, type TokenSettings, tokenVerifier } from "./access/jwt.js";
import { permissions } from "./access/permissions.js";
import { RateLimits } from "./access/rate-limits.js";
import { type GatewayServices, RequestContext } from "./access/request-context.js";
import { purgeRemovedCamera } from "./alert/removed-cameras.js";
import { type Database, openDatabase } from "./database/client.js";
import { seedDemo } from "./database/demo/seed.js";
import type { Environment } from "./environment.js";
import { meetStranger, refusal } from "./graphql/admit.js";
import { playgroundRouter } from "./graphql/playground.js";
import { schema } from "./graphql/schema.js";
import { startApolloServer } from "./graphql/server.js";
import { failureHandler, unknownPath } from "./http/failure.js";
import { filesRouter } from "./http/files.js";
import { healthRouter } from "./http/health.js";
import { jsonBody, limitServer, serverLimits } from "./http/limits.js";
import { onlyMethods, readMethods } from "./http/methods.js";
import { requestLog } from "./http/request-log.js";
import { countStrangers } from "./http/strangers.js";
import { createLog, type Logger } from "./platform/log.js";
import { Worker } from "./platform/worker.js";
import { docsRouter } from "./rest/docs.js";
import { openApiDocument } from "./rest/openapi.js";
import { restRouter } from "./rest/router.js";
import { routeGroups } from "./rest/routes.js";
import { prepareRoute } from "./rest/run-operation.js";
import { LocalObjectStore } from "./storage/local.js";
import { removeObjects } from "./storage/object-removal.js";
import type { ObjectStore } from "./storage/object-store.js";
import { SignedLinks } from "./storage/signed-link.js";

/** What tests look into or replace. */
export interface AppOptions {
  /** The clock of everything that expires. */
  now?: () => Date;
  /** Called with each SQL statement that is run. */
  onStatement?: (sql: string) => void;
}

/** A running gateway. */
export interface App {
  /** Where it listens. */
  url: string;
  log: Logger;
  database: Database;
  /** Waits until no background work is under way. */
  idle(): Promise<void>;
  /**
   * Turns `/readyz` to 503, goes on answering for the milliseconds of `farewell` so that load balancers learn of it, lets
   * work in flight finish (15 seconds at most), and gives everything back.
   */
  close(options?: { farewell?: number }): Promise<void>;
}

const drainTime = 15_000;

/** Puts the gateway together and starts it. */
export async function createApp(environment: Environment, options: AppOptions = {}): Promise<App> {
  const now = options.now ?? (() => new Date());
  const log = createLog(environment.LOG_LEVEL);
  const database = await openDatabase(databaseSettings(environment), {
    ...(options.onStatement && { onStatement: options.onStatement }),
    onConnectionLost: (error) => log.warn({ err: error }, "a database connection was lost"),
  });
  try {
    const store = new LocalObjectStore(path.join(environment.DATA_DIR, "objects"));
    await seed(environment, { database, store, log, now });
    const server = createServer(serverLimits);
    limitServer(server);
    const port = () => (server.address() as AddressInfo).port;
    let draining = false;
    const objects = new Worker("deleting stored objects", () => removeObjects(database.prisma, store), log);
    const cameras = new Worker("purging deleted cameras", () => purgeRemovedCamera(database.prisma).finally(() => objects.wake()), log);
    const purges = [cameras, objects];
    const wakePurge = () => {
      for (const purge of purges) purge.wake();
    };
    const services: GatewayServices = {
      database,
      links: new SignedLinks({ publicUrl: () => environment.PUBLIC_URL ?? `http://localhost:${port()}`, secret: environment.LINK_SECRET, now }),
      verifyToken: tokenVerifier(tokenSettings(environment), now),
      rateLimits: new RateLimits(
        environment.RATE_LIMIT === "off" ? "off" : { caller: environment.RATE_LIMIT_CALLER, address: environment.RATE_LIMIT_ADDRESS },
      ),
      log,
      now,
      wakePurge,
      settings: {
        heartbeatTimeout: environment.HEARTBEAT_TIMEOUT,
        streamRequestTtl: environment.STREAM_REQUEST_TTL,
        maximumPageSize: environment.MAX_PAGE_SIZE,
        maximumQueryCost: environment.MAX_QUERY_COST,
        supportHashSecret: environment.SUPPORT_HASH_SECRET,
      },
    };
    const apollo = await startApolloServer(schema, log, { openIntrospection: environment.NODE_ENV !== "production" });
    const app = express();
    mountEdge(app, environment, log);
    app.use(healthRouter({ database, isDraining: () => draining, log }));
    app.use(filesRouter(services.links, store, services.rateLimits));
    const readyToken = await readyTokens(environment, database, now);
    app.use(["/docs", "/openapi.json"], countStrangers(services.rateLimits));
    app.use(playgroundRouter({ assetsDirectory: path.join(pagesDirectory, "playground"), readyToken }));
    const graphql = expressMiddleware(apollo, {
      context: async ({ req }) => {
        const context = new RequestContext(services, { id: String(req.id), address: req.ip ?? "", authorization: req.headers.authorization });
        await meetStranger(context).catch((error) => {
          throw refusal(error, log);
        });
        return context;
      },
    });
    app
      .route("/graphql")
      .get(jsonBody(4), graphql)
      .post(jsonBody(4), graphql)
      .all(onlyMethods([...readMethods, "POST"]));
    const groups = routeGroups.map(({ tag, routes }) => ({ tag, routes: routes.map((route) => prepareRoute(schema, route)) }));
    const document = openApiDocument(groups, environment.PUBLIC_URL ?? "/");
    app.use(docsRouter({ document, assetsDirectory: path.join(pagesDirectory, "docs"), readyToken }));
    app.use(
      restRouter(
        services,
        groups.flatMap(({ routes }) => routes),
      ),
    );
    app.use(countStrangers(services.rateLimits), unknownPath);
    app.use(failureHandler(log));
    server.on("request", app);
    server.listen(environment.PORT, environment.HOST);
    await once(server, "listening");
    // What an earlier run left unfinished.
    wakePurge();
    return {
      url: `http://${environment.HOST.includes(":") ? `[${environment.HOST}]` : environment.HOST}:${port()}`,
      log,
      database,
      idle: async () => {
        for (const purge of purges) await purge.idle();
      },
      close: async ({ farewell = 0 } = {}) => {
        draining = true;
        await drain(server, farewell);
        await apollo.stop();
        await Promise.all(purges.map((purge) => purge.close()));
        await database.close();
      },
    };
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** Where the build puts the pages, seen from both `src/` and `dist/`. */
const pagesDirectory = fileURLToPath(new URL("../dist", import.meta.url));

function databaseSettings(environment: Environment) {
  if (!environment.DATABASE_URL) return { directory: environment.DATA_DIR };
  return {
    url: environment.DATABASE_URL,
    poolSize: environment.DATABASE_POOL_SIZE,
    connectTimeout: environment.DATABASE_CONNECT_TIMEOUT,
    statementTimeout: environment.DATABASE_STATEMENT_TIMEOUT,
  };
}

function tokenSettings(environment: Environment): TokenSettings {
  const { AUTH_ISSUER: issuer, AUTH_AUDIENCE: audience, AUTH_JWKS_URL: jwksUrl, AUTH_JWT_SECRET: secret } = environment;
  return issuer && audience ? { issuer, audience, jwksUrl } : { secret: secret as string };
}

interface SeedTargets {
  database: Database;
  store: ObjectStore;
  log: Logger;
  now: () => Date;
}

async function seed(environment: Environment, { database, store, log, now }: SeedTargets): Promise<void> {
  if ((environment.SEED ?? (database.embedded ? "demo" : "none")) !== "demo") return;
  const { key, ...apiKey } = createKey();
  if (!(await seedDemo({ prisma: database.prisma, store, log, now: now(), permissions, apiKey }))) return;
  await writeFile(path.join(environment.DATA_DIR, "demo-api-key"), `${key}\n`, { mode: 0o600 });
  process.stdout.write(`\nAPI key of the demo workspace (kept in ${environment.DATA_DIR}/demo-api-key): ${key}\n`);
}

/** What every request passes first: its id and log line, security headers, who may call from a browser, compression. */
function mountEdge(app: Express, environment: Environment, log: Logger): void {
  app.disable("x-powered-by");
  app.enable("case sensitive routing");
  app.set("query parser", "simple");
  app.set("trust proxy", trustedProxies(environment.TRUST_PROXY));
  app.use(requestLog(log));
  app.use(helmet());
  app.use(
    cors({
      origin: environment.CORS_ORIGIN?.includes("*") ? "*" : (environment.CORS_ORIGIN ?? false),
      maxAge: 600,
      exposedHeaders: ["x-request-id", "retry-after"],
    }),
  );
  app.use(compression());
}

function trustedProxies(setting: string | undefined): boolean | number | string {
  if (setting === undefined) return false;
  if (/^\d+$/.test(setting)) return Number(setting);
  return setting === "true" || setting === "false" ? setting === "true" : setting;
}

/** A token for the playground: only for the embedded demo, on loopback, asked for under a loopback name. */
async function readyTokens(environment: Environment, database: Database, now: () => Date) {
  const secret = environment.AUTH_JWT_SECRET;
  const isDemo = database.embedded && isLoopback(environment.HOST) && (await database.prisma.user.count({ where: { authId: "demo|admin" } })) > 0;
  return async (request: express.Request): Promise<string | undefined> => {
    const isForwarded = environment.TRUST_PROXY !== undefined || Object.keys(request.headers).some((name) => /^(?:x-)?forwarded/.test(name));
    return isDemo && secret && !isForwarded && isLoopback(request.hostname) ? signToken(secret, "demo|admin", 12 * 3600, now()) : undefined;
  };
}

async function drain(server: Server, farewell: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, farewell));
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // A connection that falls idle after the server was closed would otherwise be waited for.
  const sweep = setInterval(() => server.closeIdleConnections(), 50);
  const deadline = setTimeout(() => server.closeAllConnections(), drainTime - farewell);
  await closed;
  clearInterval(sweep);
  clearTimeout(deadline);
}
