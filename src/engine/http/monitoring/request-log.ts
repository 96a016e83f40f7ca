import { randomUUID } from "node:crypto";
import type { Request, RequestHandler, Response } from "express";
import { leastServerError } from "../../../platform/errors/errors.js";
import { type Logger, shortened } from "../../../platform/telemetry/log.js";
import { LogEntry } from "../../../platform/telemetry/log-entry.js";
import { clientAddress } from "../request-origin.js";
import { routeOf } from "./request-metrics.js";

declare module "express-serve-static-core" {
  interface Request {
    id: string;
    logEntry: LogEntry;
  }
}

const requestIdPattern = /^[A-Za-z0-9._:-]{1,128}$/;

/** Whether the id of a request is a part of its URL. That part may be secret, and the log masks it. */
const isInUrl = (id: string, url: string) => url.split(/[/?&=#]/).includes(id);

/**
 * Assigns every request an id and returns the id as a header. A client's own id is kept if it is well-formed and no
 * part of the URL. Logs one line when the request ends.
 */
export function requestLog(log: Logger): RequestHandler {
  return (request, response, next) => {
    const receivedAt = Date.now();
    request.id = requestId(request);
    response.setHeader("x-request-id", request.id);
    // Read the address at once: a closed connection has none.
    request.logEntry = new LogEntry(clientAddress(request, request.ip));
    let isLogged = false;
    const end = (error?: Error) => {
      if (!isLogged) logRequest(log, request, response, { responseTime: Date.now() - receivedAt, error });
      isLogged = true;
    };
    response.on("finish", end).on("close", end).on("error", end);
    next();
  };
}

function requestId({ headers, url }: Request): string {
  const clientId = headers["x-request-id"];
  return typeof clientId === "string" && requestIdPattern.test(clientId) && !isInUrl(clientId, url)
    ? clientId
    : randomUUID();
}

function logRequest(
  log: Logger,
  request: Request,
  response: Response,
  { responseTime, error }: { responseTime: number; error: Error | undefined },
): void {
  const { statusCode } = response;
  const level = error || statusCode >= leastServerError ? "error" : statusCode >= 400 ? "warn" : "info";
  if (!log.isLevelEnabled(level)) return;
  const { id, method, originalUrl } = request;
  const fields = {
    req: { id, method, url: shortened(originalUrl) },
    ...fieldsOf(request),
    res: { statusCode },
  };
  if (level === "error") {
    log.error(
      { ...fields, err: error ?? new Error(`failed with status code ${statusCode}`), responseTime },
      "request errored",
    );
  } else {
    const outcome = !request.readableAborted && response.writableEnded ? "completed" : "aborted";
    log[level]({ ...fields, responseTime }, `request ${outcome}`);
  }
}

/** The final fields of a request, with its path as the route's pattern. */
function fieldsOf(request: Request): object {
  const route = routeOf(request);
  return { ...(route !== undefined && { route }), ...request.logEntry.fields() };
}
