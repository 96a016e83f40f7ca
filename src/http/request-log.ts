import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { pinoHttp } from "pino-http";
import { type Logger, shortened } from "../platform/log.js";

const requestIdPattern = /^[A-Za-z0-9._:-]{1,128}$/;

/** Whether a request is named by a part of its URL, which may be secret, and which the log then masks there. */
const isInUrl = (id: string, url: string) => url.split(/[/?&=#]/).includes(id);

/** Assigns every request an id (the client's own, if it is well-formed and no part of the URL), returns it as a header, and logs one line when the request ends. */
export function requestLog(log: Logger) {
  return pinoHttp<IncomingMessage, ServerResponse>({
    logger: log,
    genReqId: (request, response) => {
      const clientId = request.headers["x-request-id"];
      const isUsable = typeof clientId === "string" && requestIdPattern.test(clientId) && !isInUrl(clientId, request.url ?? "");
      const id = isUsable ? clientId : randomUUID();
      response.setHeader("x-request-id", id);
      return id;
    },
    customLogLevel: (_request, response, error) => (error || response.statusCode >= 500 ? "error" : response.statusCode >= 400 ? "warn" : "info"),
    serializers: {
      req: ({ id, method, url, remoteAddress }) => ({ id, method, url: shortened(url), remoteAddress }),
      res: ({ statusCode }) => ({ statusCode }),
    },
  });
}
