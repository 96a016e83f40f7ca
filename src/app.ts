import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expressMiddleware } from "@as-integrations/express5";
import compression from "compression";
import cors from "cors";
import express, { type Express } from "express";
import { OperationTypeNode } from "graphql";
import helmet from "helmet";
import type { Redis } from "ioredis";
import { LRUCache } from "lru-cache";
import { Registry } from "prom-client";
import proxyAddress from "proxy-addr";
import { createKey } from "./access/api-key.js";
import { isLoopback, signToken, type TokenSettings, tokenVerifier } from "./access/jwt.js";
import { permissions } from "./access/permissions.js";
import { RateLimits } from "./access/rate-limits.js";
import { type GatewayServices, RequestContext } from "./access/request-context.js";
import { alertUploadRouter } from "./alert/alert-upload.router.js";
import { purgeRemovedCamera } from "./alert/removed-cameras.js";
import { purgeUnusedAlertUploads } from "./alert/unused-alert-uploads.js";
import { connectionConfig, type Database, openDatabase } from "./database/client.js";
import { seedDemo } from "./database/demo/seed.js";
import { openRedis } from "./database/redis.js";
import type { Environment } from "./environment.js";
import type { ChannelListener, EventChannel } from "./events/event-channel.js";
import { EventHub } from "./events/event-hub.js";
import { InProcessChannel } from "./events/in-process-channel.js";
import { PostgresqlChannel } from "./events/postgresql-channel.js";
import { RedisChannel } from "./events/redis-channel.js";
import { meetStranger, refusal } from "./graphql/admit.js";
import { Documents } from "./graphql/documents.js";
import { createExecutor } from "./graphql/execute.js";
import { OpenSockets } from "./graphql/open-sockets.js";
import { playgroundRouter } from "./graphql/playground.js";
import { schema } from "./graphql/schema.js";
import { startApolloServer } from "./graphql/server.js";
import { SocketDoor } from "./graphql/socket-door.js";
import { Subscriptions } from "./graphql/subscriptions.js";
import { graphqlUploads } from "./graphql/uploads.js";
import { Downloads } from "./http/download.js";
import { failureHandler, unknownPath } from "./http/failure.js";
import { filesRouter } from "./http/files.js";
import { healthRouter } from "./http/health.js";
import { jsonBody, limitServer, serverLimits } from "./http/limits.js";
import { onlyMethods, readMethods } from "./http/methods.js";
import { metricsRouter } from "./http/metrics.js";
import { requestLog } from "./http/request-log.js";
import { countStrangers } from "./http/strangers.js";
import { UploadDoor, waitsForLeave } from "./http/uploads.js";
import { createLog, type Logger } from "./platform/log.js";
import { type StepOutcome, Worker } from "./platform/worker.js";
import { docsRouter } from "./rest/docs.js";
import { openApiDocument } from "./rest/openapi.js";
import { restRouter } from "./rest/router.js";
import { routeGroups } from "./rest/routes.js";
import { prepareRoute } from "./rest/run-operation.js";
import { LocalObjectStore } from "./storage/local.js";
import { releaseAllObjects, removeObjects } from "./storage/object-removal.js";
import type { ObjectStore } from "./storage/object-store.js";
import { PictureUploads } from "./storage/picture-uploads.js";
import { SignedLinks } from "./storage/signed-link.js";
import { TemporaryFiles } from "./storage/temporary-files.js";
import { deliverStreamRequests } from "./stream/stream-request-delivery.js";

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
  /** What is announced here reaches every instance. */
  events: EventHub;
  /** Waits until no background work is under way. */
  idle(): Promise<void>;
  /**
   * Turns `/readyz` to 503, goes on answering for the milliseconds of `farewell` so that load balancers learn of it, lets
   * work in flight finish (15 seconds at most), and gives everything back.
   */
  close(options?: { farewell?: number }): Promise<void>;
}

const drainTime = 15_000;
const mostRememberedCallers = 10_000;

/** Puts the gateway together and starts it. */
export async function createApp(environment: Environment, options: AppOptions = {}): Promise<App> {
  const now = options.now ?? (() => new Date());
  const log = createLog(environment.LOG_LEVEL);
  const database = await openDatabase(databaseSettings(environment), {
    ...(options.onStatement && { onStatement: options.onStatement }),
    onConnectionLost: (error) => log.warn({ err: error }, "a database connection was lost"),
  });
  const redis = environment.REDIS_URL ? await openRedis(environment.REDIS_URL, log) : undefined;
  const registry = new Registry();
  let events: EventHub | undefined;
  try {
    const hub = await EventHub.open((listener) => openChannel(environment, { redis, listener, log }), registry);
    events = hub;
    const temporary = await TemporaryFiles.open(path.join(environment.DATA_DIR, "temporary"));
    const store = await openStore(environment, temporary);
    await seed(environment, { database, store, log, now });
    const server = createServer(serverLimits);
    limitServer(server);
    const port = () => (server.address() as AddressInfo).port;
    let draining = false;
    let localUrl: string | undefined;
    const publicUrl = () => {
      localUrl ??= environment.PUBLIC_URL ?? `http://localhost:${port()}`;
      return localUrl;
    };
    const objects = new Worker("deleting stored objects", () => removeObjects(database.prisma, store, now), log);
    const cameras = new Worker("purging deleted cameras", () => purge(purgeRemovedCamera(database.prisma, now()), objects), log);
    const alertUploads = new Worker("removing unused uploads", () => purge(purgeUnusedAlertUploads(database.prisma, now()), objects), log);
    const workers = [cameras, alertUploads, objects];
    const ending = new AbortController();
    const feedServer = environment.FEED_SERVER_URL && { url: environment.FEED_SERVER_URL, publicUrl, ending: ending.signal, log };
    if (feedServer) workers.push(new Worker("asking the feed server", () => deliverStreamRequests(database.prisma, feedServer, now), log));
    const wakeWorkers = () => {
      for (const worker of workers) worker.wake();
    };
    const pictures = new PictureUploads({
      prisma: database.prisma,
      store,
      temporary,
      log,
      now,
      maximumBytes: environment.MAX_UPLOAD_BYTES,
      onReleased: () => objects.wake(),
    });
    const uploads = new UploadDoor({ maximumBytes: environment.MAX_UPLOAD_BYTES, temporary });
    const services: GatewayServices = {
      database,
      events: hub,
      pictures,
      links: new SignedLinks({ publicUrl, secret: environment.LINK_SECRET, now }),
      verifyToken: tokenVerifier(tokenSettings(environment), now),
      rateLimits: new RateLimits(
        environment.RATE_LIMIT === "off" ? "off" : { caller: environment.RATE_LIMIT_CALLER, address: environment.RATE_LIMIT_ADDRESS },
        { redis, events: hub, log },
      ),
      callers: new LRUCache({ max: mostRememberedCallers }),
      log,
      now,
      wakeWorkers,
      settings: {
        heartbeatTimeout: environment.HEARTBEAT_TIMEOUT,
        streamRequestTtl: environment.STREAM_REQUEST_TTL,
        maximumPageSize: environment.MAX_PAGE_SIZE,
        maximumQueryCost: environment.MAX_QUERY_COST,
        supportHashSecret: environment.SUPPORT_HASH_SECRET,
        storageClass: store.kind,
        hasFeedServer: feedServer !== undefined,
      },
    };
    const execute = createExecutor(schema);
    const apollo = await startApolloServer(schema, execute, log, {
      openIntrospection: environment.NODE_ENV !== "production",
      operations: [OperationTypeNode.QUERY, OperationTypeNode.MUTATION],
      otherwise: "Subscriptions run over WebSocket, by the protocol graphql-transport-ws on this path",
    });
    const app = express();
    mountEdge(app, environment, log);
    app.use(healthRouter({ database, events: hub, isDraining: () => draining, log }));
    app.use(metricsRouter(registry));
    const contextOf = (request: express.Request, response: express.Response): RequestContext => {
      const { id, ip = "", headers } = request;
      response.locals.context ??= new RequestContext(services, { id: String(id), address: ip, authorization: headers.authorization });
      return response.locals.context;
    };
    app.use(alertUploadRouter(uploads, contextOf));
    app.use(filesRouter(services.links, store, services.rateLimits));
    const readyToken = await readyTokens(environment, database, now);
    app.use(["/docs", "/openapi.json"], countStrangers(services.rateLimits));
    app.use(playgroundRouter({ assetsDirectory: path.join(pagesDirectory, "playground"), readyToken }));
    const graphql = expressMiddleware(apollo, {
      context: async ({ req, res }) => {
        const context = contextOf(req, res as express.Response);
        await meetStranger(context).catch((error) => {
          throw refusal(error, log);
        });
        return context;
      },
    });
    app
      .route("/graphql")
      .get(jsonBody(4), graphql)
      .post(graphqlUploads(uploads, contextOf), jsonBody(4), graphql)
      .all(onlyMethods([...readMethods, "POST"]));
    const groups = routeGroups.map(({ tag, routes }) => ({ tag, routes: routes.map((route) => prepareRoute({ schema, execute }, route)) }));
    const document = openApiDocument(groups, environment.PUBLIC_URL ?? "/");
    app.use(docsRouter({ document, assetsDirectory: path.join(pagesDirectory, "docs"), readyToken }));
    app.use(
      restRouter(
        { services, uploads, downloads: new Downloads() },
        groups.flatMap(({ routes }) => routes),
      ),
    );
    app.use(countStrangers(services.rateLimits), unknownPath);
    app.use(failureHandler(log));
    server.on("request", app);
    const subscriptions = new Subscriptions({ schema, execute, services, registry, backlog: environment.SOCKET_BACKLOG });
    const sockets = new OpenSockets(
      { services, subscriptions, registry },
      { mostPerCaller: environment.MAX_SOCKETS, pingInterval: environment.SOCKET_PING_INTERVAL },
    );
    workers.push(sockets.worker);
    const door = new SocketDoor(
      {
        schema,
        services,
        sockets,
        subscriptions,
        documents: new Documents(schema),
        otherwise: app,
        addressOf: (request) => proxyAddress(request, app.get("trust proxy fn")),
        isDraining: () => draining,
      },
      {
        origins: environment.CORS_ORIGIN ?? [],
        mostWaiting: environment.RATE_LIMIT === "off" ? Number.POSITIVE_INFINITY : environment.RATE_LIMIT_ADDRESS,
        mostSubscriptions: environment.MAX_SUBSCRIPTIONS,
      },
    );
    server.on("upgrade", (request, stream, head) => door.receive(request, stream as Socket, head));
    server.on("checkContinue", (request, response) => {
      if (!waitsForLeave(request)) response.writeContinue();
      app(request, response);
    });
    // What an earlier run left unfinished: once somebody can upload, there are reservations that count.
    if (database.embedded) await releaseAllObjects(database.prisma, now());
    server.listen(environment.PORT, environment.HOST);
    await once(server, "listening");
    wakeWorkers();
    return {
      url: `http://${environment.HOST.includes(":") ? `[${environment.HOST}]` : environment.HOST}:${port()}`,
      log,
      database,
      events: hub,
      idle: async () => {
        for (const worker of workers) await worker.idle();
      },
      close: async ({ farewell = 0 } = {}) => {
        draining = true;
        ending.abort();
        await new Promise((resolve) => setTimeout(resolve, farewell));
        await Promise.all([drain(server, drainTime - farewell), sockets.close()]);
        await apollo.stop();
        services.rateLimits.close();
        store.close();
        await Promise.all(workers.map((worker) => worker.close()));
        await temporary.close();
        await hub.close();
        redis?.disconnect();
        await database.close();
      },
    };
  } catch (error) {
    await events?.close();
    redis?.disconnect();
    await database.close();
    throw error;
  }
}

/** How events travel: by Redis where there is one, else by the database server, else within the process. */
function openChannel(
  environment: Environment,
  { redis, listener, log }: { redis: Redis | undefined; listener: ChannelListener; log: Logger },
): Promise<EventChannel> {
  if (redis) return RedisChannel.open(redis, listener, log);
  const url = environment.DATABASE_LISTEN_URL ?? environment.DATABASE_URL;
  if (url) return PostgresqlChannel.open(connectionConfig({ url, connectTimeout: environment.DATABASE_CONNECT_TIMEOUT }), listener, log);
  return Promise.resolve(new InProcessChannel(listener));
}

/** Purges a piece of what is not needed any more, whose pictures are to be deleted then. */
async function purge(step: Promise<StepOutcome>, objects: Worker): Promise<StepOutcome> {
  const outcome = await step;
  if (outcome === "more") objects.wake();
  return outcome;
}

async function openStore({ DATA_DIR, S3_BUCKET, S3_REGION, S3_ENDPOINT }: Environment, temporary: TemporaryFiles): Promise<ObjectStore> {
  if (!S3_BUCKET) return new LocalObjectStore(path.join(DATA_DIR, "objects"), temporary);
  // Loaded only where it is needed: the SDK takes 20 MB.
  const { S3ObjectStore } = await import("./storage/s3.js");
  return new S3ObjectStore({ bucket: S3_BUCKET, region: S3_REGION, ...(S3_ENDPOINT && { endpoint: S3_ENDPOINT }) });
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

async function drain(server: Server, patience: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // A connection that falls idle after the server was closed would otherwise be waited for.
  const sweep = setInterval(() => server.closeIdleConnections(), 50);
  const deadline = setTimeout(() => server.closeAllConnections(), patience);
  await closed;
  clearInterval(sweep);
  clearTimeout(deadline);
}
