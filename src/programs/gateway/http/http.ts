import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import express, { type Express, type RequestHandler } from "express";
import { OperationTypeNode } from "graphql";
import helmet from "helmet";
import { playgroundRouter } from "../../../api/graphql/playground.js";
import { schemaTextRouter } from "../../../api/graphql/schema-text.js";
import { graphqlHandler, startApolloServer } from "../../../api/graphql/server.js";
import { graphqlUploads } from "../../../api/graphql/uploads.js";
import { mcpRouter } from "../../../api/mcp/mcp.router.js";
import { docsRouter } from "../../../api/rest/docs.js";
import { openApiDescription } from "../../../api/rest/openapi.js";
import { restRouter } from "../../../api/rest/router.js";
import { routeGroups } from "../../../api/rest/routes.js";
import { prepareRoute } from "../../../api/rest/run-operation.js";
import { compressResponses } from "../../../engine/http/compression.js";
import { DownloadSender } from "../../../engine/http/download.js";
import { errorHandler, notFoundHandler } from "../../../engine/http/error-handler.js";
import { SignedFiles } from "../../../engine/http/files.js";
import { methodNotAllowed, readMethods } from "../../../engine/http/methods.js";
import { healthRouter } from "../../../engine/http/monitoring/health.js";
import { metricsRouter } from "../../../engine/http/monitoring/metrics.js";
import { requestLog } from "../../../engine/http/monitoring/request-log.js";
import { measureRequests, type RequestMetrics } from "../../../engine/http/monitoring/request-metrics.js";
import { traceRequests } from "../../../engine/http/monitoring/request-tracing.js";
import { checkPreconditions, weaklyTagged } from "../../../engine/http/preconditions.js";
import {
  countWrongMethods,
  rateLimitAnonymous,
  rateLimitProbes,
} from "../../../engine/http/rate-limit-anonymous.js";
import { UploadLimiter } from "../../../engine/http/uploads.js";
import type { GatewayServices } from "../../../engine/operation/gateway-services.js";
import { cameraFeedOf } from "../../../engine/settings/camera-feed.js";
import { directoryCheck } from "../../../engine/storage/writable-directory.js";
import { derivedPictureRouter } from "../../../features/alert/pictures/derived-picture.router.js";
import { alertUploadRouter } from "../../../features/alert/recording/alert-upload.router.js";
import { liveRouter } from "../../../features/camera-feed/live/live.router.js";
import type { LiveReaders } from "../../../features/camera-feed/live/live-readers.js";
import { sharedFiles } from "../../../platform/pages/static-files.js";
import { projectFile } from "../../../platform/project-files.js";
import type { Infrastructure } from "../infrastructure.js";
import type { Operations } from "../operations.js";
import type { Runtime } from "../runtime.js";
import type { InitialToken } from "../workers/demo.js";
import { consoleRouter } from "./console.js";
import { crossOrigin } from "./cross-origin.js";
import { pageSettings } from "./page-settings.js";

/** Creates the HTTP application: health, metrics, files, uploads, the console, GraphQL, REST, and assistants. */
export async function createHttpApp(
  runtime: Runtime,
  infrastructure: Infrastructure,
  services: GatewayServices,
  {
    operations,
    metrics,
    initialToken,
    live,
  }: {
    operations: Operations;
    metrics: RequestMetrics;
    initialToken: InitialToken;
    live: { readers: LiveReaders | undefined; checkIntervalMs: number | undefined };
  },
  publicUrl: () => string,
): Promise<Express> {
  const { environment, log, shutdown } = runtime;
  const { tokens, database, events, temporary, store, registry } = infrastructure;
  const { links, rateLimits } = services;
  const uploads = new UploadLimiter({
    maxBytes: environment.MAX_UPLOAD_BYTES,
    maxClipBytes: environment.MAX_CLIP_BYTES,
    temporary,
    slots: services.pictures.slots,
  });
  const groups = routeGroups.map(({ routes, ...group }) => ({
    ...group,
    routes: routes.map((route) => prepareRoute(route)),
  }));
  const routes = groups.flatMap((group) => group.routes);
  const graphql = await graphqlOf(runtime, operations, services);

  const app = createExpress(runtime, metrics);
  app.get(["/healthz", "/readyz", "/metrics"], compressResponses, rateLimitProbes(rateLimits));
  const feed = cameraFeedOf(environment);
  app.use(
    healthRouter({
      database,
      checkDirectory: directoryCheck(environment.DATA_DIR),
      events,
      tokens,
      feed:
        "reason" in feed
          ? { mode: "off", reason: feed.reason }
          : { mode: "builtin", ringSeconds: environment.FEED_RING },
      isDraining: () => shutdown.hasBegun,
      log,
    }),
  );
  app.use(metricsRouter(registry, environment.METRICS_TOKEN));
  // Do not trace the requests above, which arrive every few seconds.
  if (services.tracing) app.use(traceRequests(services.tracing));
  // The most frequent requests come first. Their handlers compress their own responses.
  app.post("/graphql", graphqlUploads(uploads, services), graphql);
  app.use(
    restRouter(
      { services, uploads, downloads: new DownloadSender(), isStrict: environment.STRICT_REST === "on" },
      routes,
    ),
  );
  if (environment.MCP === "on") {
    app.use(
      mcpRouter({
        services,
        publicUrl,
        registry,
        allowsWrites: environment.MCP_WRITE === "on",
        operatorDocuments: operations.ofOperator,
        secrets: environment.LINK_SECRET,
        origins: environment.CORS_ORIGIN ?? [],
        issuer: environment.AUTH_ISSUER,
      }),
    );
  }
  app.use(compressResponses);
  app.use(alertUploadRouter(uploads, services));
  app.use(liveRouter({ services, ...live }));
  const files = new SignedFiles(links, store, rateLimits);
  app.use(derivedPictureRouter(files, services));
  app.use(files.router(undefined, (...opened) => files.sendObject(...opened)));
  app.get(
    ["/", "/favicon.svg", "/console/assets/*file", "/docs{/*file}", "/openapi.json", "/graphql/assets/*file"],
    rateLimitAnonymous(rateLimits),
  );
  app.use(weaklyTagged);
  app.use(sharedFiles(projectFile("dist/pages")));
  const settingsFor = pageSettings(environment, publicUrl, initialToken);
  app.use(consoleRouter({ store, settingsFor, assetsDirectory: projectFile("dist/console") }));
  app.use(playgroundRouter({ rateLimits, assetsDirectory: projectFile("dist/playground"), settingsFor }));
  app
    .route("/graphql")
    .get(graphql)
    .all(methodNotAllowed([...readMethods, "POST"]));
  app.use(
    schemaTextRouter({
      schema: operations.schema,
      services,
      allowAnonymous: allowsAnonymousIntrospection(environment),
    }),
  );
  app.use(
    docsRouter({
      makeDescription: () => openApiDescription(groups, environment.PUBLIC_URL ?? "/"),
      assetsDirectory: projectFile("dist/docs"),
      settingsFor,
    }),
  );
  app.use(rateLimitAnonymous(rateLimits), notFoundHandler);
  app.use(countWrongMethods(rateLimits));
  app.use(errorHandler(log));
  return app;
}

const allowsAnonymousIntrospection = ({ NODE_ENV }: Runtime["environment"]) => NODE_ENV !== "production";

async function graphqlOf(
  { environment, log, disposers }: Runtime,
  operations: Operations,
  services: GatewayServices,
) {
  const apollo = await startApolloServer(operations, log, {
    allowAnonymousIntrospection: allowsAnonymousIntrospection(environment),
    operations: [OperationTypeNode.QUERY, OperationTypeNode.MUTATION],
    rejectionMessage: "Subscriptions run over WebSocket, by the protocol graphql-transport-ws on this path",
  });
  disposers.defer(() => apollo.stop());
  return graphqlHandler(apollo, operations.documents, services);
}

/**
 * Creates an Express application with the first handlers of every request: its id and log line, metrics,
 * security headers, CORS.
 */
function createExpress({ environment, log }: Runtime, metrics: RequestMetrics): Express {
  const app = express();
  app.disable("x-powered-by");
  app.enable("case sensitive routing");
  app.set("query parser", "simple");
  app.set("trust proxy", trustedProxies(environment.TRUST_PROXY));
  checkPreconditions(app);
  app.use(requestLog(log));
  app.use(measureRequests(metrics));
  app.use(securityHeaders(environment.PUBLIC_URL?.startsWith("https:") === true));
  app.use(ignoreNoCache);
  if (environment.CORS_ORIGIN) app.use(crossOrigin(environment.CORS_ORIGIN));
  return app;
}

/**
 * Sets helmet's headers. Those that make browsers use HTTPS are sent only over HTTPS: over plain HTTP, they
 * would break pages on a local network. So is the one that browsers report as an error there, since they
 * ignore it.
 */
function securityHeaders(isHttps: boolean): RequestHandler {
  const overHttps = headersOf(helmet());
  const overHttp = headersOf(
    helmet({
      strictTransportSecurity: false,
      crossOriginOpenerPolicy: false,
      contentSecurityPolicy: { directives: { upgradeInsecureRequests: null } },
    }),
  );
  return (request, response, next) => {
    for (const [name, value] of isHttps || request.secure ? overHttps : overHttp)
      response.setHeader(name, value);
    next();
  };
}

/** The headers that helmet sets. They are the same for every response. */
function headersOf(handler: ReturnType<typeof helmet>): [name: string, value: string][] {
  const request = new IncomingMessage(new Socket());
  const response = new ServerResponse(request);
  handler(request, response, (error) => {
    if (error) throw error;
  });
  return Object.entries(response.getHeaders()).map(([name, value]) => [name, String(value)]);
}

/** Node's `fetch` sends `Cache-Control: no-cache` with `If-None-Match`, and Express would not answer with 304. */
const ignoreNoCache: RequestHandler = ({ headers }, _response, next) => {
  if (headers["if-none-match"] !== undefined) delete headers["cache-control"];
  next();
};

/** Converts TRUST_PROXY for Express: none, a number of hops, or addresses. */
function trustedProxies(setting: string | undefined): boolean | number | string {
  if (setting === undefined || setting === "false") return false;
  return /^\d+$/.test(setting) ? Number(setting) : setting;
}
