import type { RequestHandler } from "express";
import { leastServerError } from "../../../platform/errors/errors.js";
import type { Tracing } from "../../../platform/telemetry/tracing.js";
import { routeOf } from "./request-metrics.js";

/**
 * Records a span for every request, named after its route. The span continues the trace in the request's headers.
 * Contrary to OpenTelemetry's conventions, it has neither path nor client address: paths contain ids and capabilities,
 * and addresses are personal.
 */
export function traceRequests(tracing: Tracing): RequestHandler {
  return (request, response, next) => {
    const { method, logEntry, headers, protocol } = request;
    const trace = tracing.startRequest(method, headers, {
      "http.request.method": method,
      "url.scheme": protocol,
    });
    logEntry.trace = trace;
    response.once("close", () => {
      const route = routeOf(request);
      const { statusCode: status, writableFinished: isFinished } = response;
      const attributes = {
        ...(route && { "http.route": route }),
        ...(isFinished && { "http.response.status_code": status }),
      };
      const failure = isFinished ? (status >= leastServerError ? String(status) : undefined) : "aborted";
      trace.end(route ? `${method} ${route}` : method, logEntry.errorCodes, attributes, failure);
    });
    next();
  };
}
