import path from "node:path";
import { fileURLToPath } from "node:url";
import compression from "compression";
import cors from "cors";
import express, { type Express } from "express";
import { OperationTypeNode } from "graphql";
import helmet from "helmet";
import { alertUploadRouter } from "../alert/alert-upload.router.js";
import { playgroundRouter } from "../graphql/playground.js";
import { graphqlMiddleware, startApolloServer } from "../graphql/server.js";
import { graphqlUploads } from "../graphql/uploads.js";
import { DownloadSender } from "../http/download.js";
import { errorHandler, notFoundHandler } from "../http/error-handler.js";
import { filesRouter } from "../http/files.js";
import { healthRouter } from "../http/health.js";
import { jsonBody } from "../http/json-body.js";
import { methodNotAllowed, readMethods } from "../http/methods.js";
import { metricsRouter } from "../http/metrics.js";
import { rateLimitAnonymous } from "../http/rate-limit-anonymous.js";
import { requestLog } from "../http/request-log.js";
import { UploadLimiter } from "../http/uploads.js";
import type { GatewayServices } from "../request/gateway-services.js";
import { docsRouter } from "../rest/docs.js";
import { openApiDocument } from "../rest/openapi.js";
import { restRouter } from "../rest/router.js";
import { routeGroups } from "../rest/routes.js";
import { type OperationRunner, prepareRoute } from "../rest/run-operation.js";
import { demoToken } from "./demo.js";
import type { Infrastructure } from "./infrastructure.js";
import type { Runtime } from "./runtime.js";

/** Where the build puts the pages, seen from both `src/app/` and `dist/app/`. */
const pagesDirectory = fileURLToPath(new URL("../../dist", import.meta.url));
const graphqlBodyMebibytes = 4;

/** Everything that is served over HTTP: health, metrics, files, uploads, GraphQL with its playground, REST with its docs. */
export async function createHttpApp(
  runtime: Runtime,
  infrastructure: Infrastructure,
  services: GatewayServices,
  runner: OperationRunner,
): Promise<Express> {
  const { environment, log, shutdown } = runtime;
  const { database, events, temporary, store, registry } = infrastructure;
  const { links, rateLimits } = services;
  const uploads = new UploadLimiter({ maxBytes: environment.MAX_UPLOAD_BYTES, temporary });
  const initialToken = await demoToken(runtime, database);
  const groups = routeGroups.map(({ tag, routes }) => ({ tag, routes: routes.map((route) => prepareRoute(runner, route)) }));
  const routes = groups.flatMap((group) => group.routes);
  const document = openApiDocument(groups, environment.PUBLIC_URL ?? "/");
  const graphql = await graphqlHandler(runtime, runner, services);

  const app = createExpress(runtime);
  app.use(healthRouter({ database, events, isDraining: () => shutdown.hasBegun, log }));
  app.use(metricsRouter(registry));
  app.use(alertUploadRouter(uploads, services));
  app.use(filesRouter(links, store, rateLimits));
  app.use(["/docs", "/openapi.json"], rateLimitAnonymous(rateLimits));
  app.use(playgroundRouter({ assetsDirectory: path.join(pagesDirectory, "playground"), initialToken }));
  app
    .route("/graphql")
    .get(jsonBody(graphqlBodyMebibytes), graphql)
    .post(graphqlUploads(uploads, services), jsonBody(graphqlBodyMebibytes), graphql)
    .all(methodNotAllowed([...readMethods, "POST"]));
  app.use(docsRouter({ document, assetsDirectory: path.join(pagesDirectory, "docs"), initialToken }));
  app.use(restRouter({ services, uploads, downloads: new DownloadSender() }, routes));
  app.use(rateLimitAnonymous(rateLimits), notFoundHandler);
  app.use(errorHandler(log));
  return app;
}

async function graphqlHandler({ environment, log, disposers }: Runtime, { schema, execute }: OperationRunner, services: GatewayServices) {
  const apollo = await startApolloServer(schema, execute, log, {
    allowAnonymousIntrospection: environment.NODE_ENV !== "production",
    operations: [OperationTypeNode.QUERY, OperationTypeNode.MUTATION],
    rejectionMessage: "Subscriptions run over WebSocket, by the protocol graphql-transport-ws on this path",
  });
  disposers.defer(() => apollo.stop());
  return graphqlMiddleware(apollo, services);
}

/** An Express application with what every request passes first: its id and log line, security headers, CORS, compression. */
function createExpress({ environment, log }: Runtime): Express {
  const app = express();
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
  return app;
}

/** TRUST_PROXY in the types of Express: a number of hops, a switch, or addresses. */
function trustedProxies(setting: string | undefined): boolean | number | string {
  if (setting === undefined) return false;
  if (/^\d+$/.test(setting)) return Number(setting);
  return setting === "true" || setting === "false" ? setting === "true" : setting;
}
