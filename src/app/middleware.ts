import compression from "compression";
import cors from "cors";
import express, { type Express } from "express";
import helmet from "helmet";
import { requestLog } from "../http/request-log.js";
import type { Runtime } from "./runtime.js";

/** An Express application with what every request passes first: its id and log line, security headers, CORS, compression. */
export function createExpress({ environment, log }: Runtime): Express {
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
