import { createHash } from "node:crypto";
import { type RequestHandler, Router } from "express";
import { collectDefaultMetrics, Registry } from "prom-client";
import { refusals } from "../../../platform/telemetry/refusals.js";
import { isSameSecret } from "../../access/api-key.js";
import { AuthenticationError } from "../../access/credentials.js";
import { methodNotAllowed, readMethods } from "../methods.js";

let processRegistry: Registry | undefined;

/** The metrics of the process. Created once, because several gateways may run in one process. */
function processMetrics(): Registry {
  if (!processRegistry) {
    processRegistry = new Registry();
    processRegistry.registerMetric(refusals);
    collectDefaultMetrics({ register: processRegistry });
  }
  return processRegistry;
}

/** `/metrics`: of the process and the gateway, in Prometheus' format. Requests must send the token, if configured. */
export function metricsRouter(gatewayRegistry: Registry, token?: string): Router {
  const router = Router();
  if (token !== undefined) router.get("/metrics", requireToken(token));
  router.get("/metrics", async (_request, response) => {
    const metrics = await Promise.all([processMetrics().metrics(), gatewayRegistry.metrics()]);
    response.set("cache-control", "no-store").type(gatewayRegistry.contentType).send(metrics.join("\n"));
  });
  router.all("/metrics", methodNotAllowed(readMethods));
  return router;
}

function requireToken(token: string): RequestHandler {
  const expected = hash(token);
  return ({ headers: { authorization }, logEntry }, _response, next) => {
    const [, presented = ""] = /^bearer +(\S+)$/i.exec(authorization ?? "") ?? [];
    if (isSameSecret(hash(presented), expected)) return next();
    const failure = authorization === undefined ? "no credentials" : "wrong metrics token";
    logEntry.authenticationFailure = failure;
    throw new AuthenticationError("A valid Bearer token is required", 'Bearer realm="metrics"', failure);
  };
}

const hash = (text: string) => createHash("sha256").update(text).digest();
