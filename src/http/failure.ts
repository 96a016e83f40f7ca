import type { ErrorRequestHandler, RequestHandler } from "express";
import { ServiceError, toServiceError } from "../platform/errors.js";
import type { Logger } from "../platform/log.js";

/** Answers whatever no route took. */
export const unknownPath: RequestHandler = (_request, _response, next) => next(new ServiceError("NOT_FOUND", "There is no such path"));

/** The last handler: every failure outside GraphQL's own answers, in the envelope of REST or, on /graphql, of GraphQL. */
export function failureHandler(log: Logger): ErrorRequestHandler {
  return (error, request, response, _next) => {
    const failure = toServiceError(fromParser(error), (cause) => log.error({ err: cause, requestId: request.id }, "a request failed"));
    if (response.headersSent) {
      response.destroy();
      return;
    }
    const { code, message, details } = failure;
    // What was to be sent may have been a file.
    for (const name of ["content-type", "content-disposition", "cache-control"]) response.removeHeader(name);
    response.status(failure.status).set(failure.headers);
    if (request.path === "/graphql") response.json({ errors: [{ message, extensions: { code, ...(details && { details }) } }] });
    else response.json({ status: "error", code, message, ...(details && { details }) });
  };
}

/** What body parsers and Express itself throw, as errors of ours. */
function fromParser(error: unknown): unknown {
  if (error instanceof ServiceError || !(error instanceof Error)) return error;
  if (error instanceof URIError || error.message.startsWith("Failed to decode param")) return new ServiceError("NOT_FOUND", "There is no such path");
  const { status, type } = error as Error & { status?: number; type?: string };
  if (status === 413) return new ServiceError("PAYLOAD_TOO_LARGE", "The body is too large");
  if (status === 415) return new ServiceError("UNSUPPORTED_MEDIA_TYPE", "The body's encoding or character set is not supported");
  if (status === 400 && type === "entity.parse.failed") return new ServiceError("BAD_REQUEST", "The body is not valid JSON");
  if (status !== undefined && status >= 400 && status < 500) return new ServiceError("BAD_REQUEST", "The request cannot be read");
  return error;
}
