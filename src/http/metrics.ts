import { Router } from "express";
import { collectDefaultMetrics, Registry } from "prom-client";
import { onlyMethods, readMethods } from "./methods.js";

let ofProcess: Registry | undefined;

/** The figures of the process itself, which is one, however many gateways run in it. */
function processMetrics(): Registry {
  if (!ofProcess) {
    ofProcess = new Registry();
    collectDefaultMetrics({ register: ofProcess });
  }
  return ofProcess;
}

/** `/metrics`: figures of the process and of the gateway, in the format of Prometheus. */
export function metricsRouter(ofGateway: Registry): Router {
  const router = Router();
  router.get("/metrics", async (_request, response) => {
    const figures = await Promise.all([processMetrics().metrics(), ofGateway.metrics()]);
    response.set("cache-control", "no-store").type(ofGateway.contentType).send(figures.join("\n"));
  });
  router.all("/metrics", onlyMethods(readMethods));
  return router;
}
