import type { Request, RequestHandler, Response } from "express";
import { Counter, Histogram, type Registry } from "prom-client";
import { statusOfCode } from "../../../platform/errors/errors.js";
import type { LogEntry } from "../../../platform/telemetry/log-entry.js";
import { countRefusal } from "../../../platform/telemetry/refusals.js";

/** The label of values that clients could otherwise choose at will. */
const other = "other";

const methods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** The error codes of Apollo Server, in addition to {@link statusOfCode}. */
const codesOfApollo = new Set(["PERSISTED_QUERY_NOT_SUPPORTED"]);

const buckets = [0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Counts and times requests by route and operation. No label is an id, a name or an address of a customer. */
export class RequestMetrics {
  readonly #requests: Counter<"method" | "route" | "status">;
  readonly #requestTimes: Histogram<"method" | "route">;
  readonly #operations: Counter<"type" | "operation" | "outcome">;
  readonly #operationTimes: Histogram<"type" | "operation">;
  readonly #errors: Counter<"code">;
  readonly #operationName: (name: string | undefined) => string;

  /** `operationName` maps an operation's name to the label that counts it. */
  constructor(registry: Registry, operationName: (name: string | undefined) => string) {
    this.#operationName = operationName;
    const registers = [registry];
    this.#requests = new Counter({
      name: "gateway_http_requests_total",
      help: "HTTP requests that were answered, by the pattern of their route; the status is aborted where the client left before the end of the response",
      labelNames: ["method", "route", "status"],
      registers,
    });
    this.#requestTimes = new Histogram({
      name: "gateway_http_request_duration_seconds",
      help: "Time from the head of an HTTP request to the end of its response",
      labelNames: ["method", "route"],
      buckets,
      registers,
    });
    this.#operations = new Counter({
      name: "gateway_graphql_operations_total",
      help: "GraphQL operations that were answered, by REST, too, and subscriptions that were started or refused; operation is other for unknown ones",
      labelNames: ["type", "operation", "outcome"],
      registers,
    });
    this.#operationTimes = new Histogram({
      name: "gateway_graphql_operation_duration_seconds",
      help: "Time from the request with a GraphQL operation to the end of the response; for a subscription, until it was started",
      labelNames: ["type", "operation"],
      buckets,
      registers,
    });
    this.#errors = new Counter({
      name: "gateway_errors_total",
      help: "Requests, sockets and subscriptions that were answered with an error of this code",
      labelNames: ["code"],
      registers,
    });
  }

  recordRequest(request: Request, response: Response, seconds: number): void {
    const method = methods.has(request.method) ? request.method : other;
    const route = routeOf(request) ?? other;
    const status = response.writableFinished ? String(response.statusCode) : "aborted";
    this.#requests.inc({ method, route, status });
    this.#requestTimes.observe({ method, route }, seconds);
    this.recordOperation(request.logEntry, seconds);
  }

  recordOperation({ operation, errorCodes }: LogEntry, seconds: number): void {
    this.recordErrors(errorCodes);
    if (!operation) return;
    const { type } = operation;
    const name = this.#operationName(operation.name);
    this.#operations.inc({ type, operation: name, outcome: errorCodes.size > 0 ? "error" : "success" });
    this.#operationTimes.observe({ type, operation: name }, seconds);
  }

  recordErrors(codes: Iterable<string>): void {
    for (const code of codes) {
      this.#errors.inc({ code: Object.hasOwn(statusOfCode, code) || codesOfApollo.has(code) ? code : other });
      // Counted here, because this error arises in many functions, and several times for some requests.
      if (code === "PAYLOAD_TOO_LARGE") countRefusal("payload_size", "request");
    }
  }
}

/** The pattern of a request's route, such as `/cameras/:cameraId`; undefined for requests that match none. */
export function routeOf({ route }: Request): string | undefined {
  return typeof route?.path === "string" ? route.path : undefined;
}

export function measureRequests(metrics: RequestMetrics): RequestHandler {
  return (request, response, next) => {
    const receivedAt = performance.now();
    response.once("close", () =>
      metrics.recordRequest(request, response, (performance.now() - receivedAt) / 1000),
    );
    next();
  };
}
