import type { ErrorRequestHandler, RequestHandler } from "express";
import { ServiceError, toServiceError } from "../platform/errors.js";
import type { Logger } from "../platform/telemetry/log.js";
import { sendJson } from "./json-response.js";

/** Handles requests that no route matched. */
export const notFoundHandler: RequestHandler = (_request, _response, next) =>
  next(new ServiceError("NOT_FOUND", "This path does not exist"));

const contentHeaders = ["content-type", "content-disposition", "cache-control"];

/**
 * The last handler: reports any error outside GraphQL execution in the format of REST or,
 * on /graphql, of GraphQL.
 */
export function errorHandler(log: Logger): ErrorRequestHandler {
  return (error, request, response, _next) => {
    const { logEntry } = request;
    const { status } = error as { status?: unknown };
    // What a client asked for on a condition, or a part that there is not: no failure
    // that a body would have to explain.
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
    // The headers may already be set for a file.
    for (const name of contentHeaders) response.removeHeader(name);
    response.status(failure.status).set(failure.headers);
    const { code, ...others } = extensions;
    const body =
      request.path === "/graphql"
        ? { errors: [{ message, extensions: { ...extensions, ...traced } }] }
        : { status: "error", code, message, ...others, ...traced };
    sendJson(request, response, JSON.stringify(body));
  };
}

/** Converts the errors of Express and its body parsers. */
function fromExpress(error: unknown): unknown {
  if (error instanceof ServiceError || !(error instanceof Error)) return error;
  if (error instanceof URIError || error.message.startsWith("Failed to decode param"))
    return new ServiceError("NOT_FOUND", "This path does not exist");
  const { status } = error as Error & { status?: number };
  if (status === 413) return new ServiceError("PAYLOAD_TOO_LARGE", "The body is too large");
  if (status === 415)
    return new ServiceError(
      "UNSUPPORTED_MEDIA_TYPE",
      "The body's encoding or character set is not supported",
    );
  if (status !== undefined && status >= 400 && status < 500)
    return new ServiceError("BAD_REQUEST", "The request cannot be read");
  return error;
}
