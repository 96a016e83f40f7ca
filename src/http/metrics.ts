import { Router } from "express";
import { collectDefaultMetrics, Registry } from "prom-client";
import { methodNotAllowed, readMethods } from "./methods.js";

let processRegistry: Registry | undefined;

/** The metrics of the process, created once, since several gateways may run in one process. */
function processMetrics(): Registry {
  if (!processRegistry) {
    processRegistry = new Registry();
    collectDefaultMetrics({ register: processRegistry });
  }
  return processRegistry;
}

/** `/metrics`: the metrics of the process and of the gateway, in the format of Prometheus. */
export function metricsRouter(gatewayRegistry: Registry): Router {
  const router = Router();
  router.get("/metrics", async (_request, response) => {
    const metrics = await Promise.all([processMetrics().metrics(), gatewayRegistry.metrics()]);
    response.set("cache-control", "no-store").type(gatewayRegistry.contentType).send(metrics.join("\n"));
  });
  router.all("/metrics", methodNotAllowed(readMethods));
  return router;
}
