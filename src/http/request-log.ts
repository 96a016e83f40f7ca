import { randomUUID } from "node:crypto";
import type { Request, RequestHandler, Response } from "express";
import { pinoHttp } from "pino-http";
import { type Logger, shortened } from "../platform/log.js";
import { LogEntry } from "../platform/log-entry.js";
import { routeOf } from "./request-metrics.js";
import { clientAddress } from "./request-origin.js";

declare module "express-serve-static-core" {
  interface Request {
    /** What the log says about the request. */
    logEntry: LogEntry;
  }
}

const requestIdPattern = /^[A-Za-z0-9._:-]{1,128}$/;

/** Whether a request is named by a part of its URL, which may be secret, and which the log then masks there. */
const isInUrl = (id: string, url: string) => url.split(/[/?&=#]/).includes(id);

/** Assigns every request an id (the client's own, if it is well-formed and no part of the URL), returns it as a header, and logs one line when the request ends. */
export function requestLog(log: Logger): RequestHandler {
  const logRequest = pinoHttp<Request, Response>({
    logger: log,
    genReqId: (request, response) => {
      const clientId = request.headers["x-request-id"];
      const isUsable = typeof clientId === "string" && requestIdPattern.test(clientId) && !isInUrl(clientId, request.url ?? "");
      const id = isUsable ? clientId : randomUUID();
      response.setHeader("x-request-id", id);
      return id;
    },
    customLogLevel: (_request, response, error) => (error || response.statusCode >= 500 ? "error" : response.statusCode >= 400 ? "warn" : "info"),
    customSuccessObject: (request, _response, outcome) => ({ ...fieldsOf(request), ...outcome }),
    customErrorObject: (request, _response, _error, outcome) => ({ ...fieldsOf(request), ...outcome }),
    serializers: {
      req: ({ id, method, url }) => ({ id, method, url: shortened(url) }),
      res: ({ statusCode }) => ({ statusCode }),
    },
  });
  return (request, response, next) => {
    // At once: a connection that has been closed has no address any longer.
    request.logEntry = new LogEntry(clientAddress(request, request.ip));
    logRequest(request, response, next);
  };
}

/** What is known of a request at its end, with the path as the route spells it. */
function fieldsOf(request: Request): object {
  const route = routeOf(request);
  return { ...(route !== undefined && { route }), ...request.logEntry.fields() };
}
