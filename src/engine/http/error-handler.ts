import type { ErrorRequestHandler, RequestHandler } from "express";
import { leastServerError, ServiceError, toServiceError } from "../../platform/errors/errors.js";
import { memberIn } from "../../platform/record.js";
import type { Logger } from "../../platform/telemetry/log.js";
import { sendJson } from "./json-response.js";

export const notFoundHandler: RequestHandler = (_request, _response, next) =>
  next(new ServiceError("NOT_FOUND", "This path does not exist"));

const contentHeaders = ["content-type", "content-disposition", "cache-control"];

/** Reports all errors outside of GraphQL execution: as GraphQL on /graphql, JSON-RPC on /mcp, and REST elsewhere. */
export function errorHandler(log: Logger): ErrorRequestHandler {
  return (error, request, response, _next) => {
    const { logEntry } = request;
    const status = memberIn(error, "status");
    // A false precondition or an unsatisfiable range is no failure, and needs no explanation in a body.
    if ((status === 412 || status === 416) && !response.headersSent) {
      for (const name of [...contentHeaders, "content-length"]) response.removeHeader(name);
      response.status(status).end();
      return;
    }
    const traceId = logEntry.trace?.traceId;
    const failure = toServiceError(fromExpress(error), (cause) =>
      log.error({ err: cause, requestId: request.id, traceId }, "request failed"),
    );
    logEntry.errorCodes.add(failure.code);
    if (response.headersSent) {
      response.destroy();
      return;
    }
    const { message, extensions } = failure;
    const traced = traceId && { traceId };
    // A handler may already have set the headers of a file.
    for (const name of contentHeaders) response.removeHeader(name);
    response.status(failure.status).set(failure.headers);
    const { code, ...others } = extensions;
    sendJson(request, response, JSON.stringify(bodyOf(request.path)));

    function bodyOf(path: string): object {
      if (path === "/graphql") return { errors: [{ message, extensions: { ...extensions, ...traced } }] };
      if (path === "/mcp")
        return {
          jsonrpc: "2.0",
          id: null,
          error: { code: numberOf(failure), message, data: { ...extensions, ...traced } },
        };
      return { status: "error", code, message, ...others, ...traced };
    }
  };
}

/** The number of an error in JSON-RPC. The client of a session expects -32001 if it has ended. */
function numberOf({ code, status }: ServiceError): number {
  if (code === "BAD_REQUEST") return -32600;
  if (code === "NOT_FOUND") return -32001;
  return status < leastServerError ? -32000 : -32603;
}

function fromExpress(error: unknown): unknown {
  if (error instanceof ServiceError || !(error instanceof Error)) return error;
  if (error instanceof URIError || error.message.startsWith("Failed to decode param"))
    return new ServiceError("NOT_FOUND", "This path does not exist");
  const status = memberIn(error, "status");
  if (status === 413) return new ServiceError("PAYLOAD_TOO_LARGE", "The body is too large");
  if (status === 415)
    return new ServiceError(
      "UNSUPPORTED_MEDIA_TYPE",
      "The body's encoding or character set is not supported",
    );
  if (typeof status === "number" && status >= 400 && status < 500)
    return new ServiceError("BAD_REQUEST", "The request cannot be read");
  return error;
}
