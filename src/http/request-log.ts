import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { pinoHttp } from "pino-http";
import { type Logger, maskSecrets } from "../platform/log.js";

const requestIdPattern = /^[A-Za-z0-9._:-]{1,128}$/;

/** Assigns every request an id (the client's own, if it is well-formed), returns it as a header, and logs one line when the request ends. */
export function requestLog(log: Logger) {
  return pinoHttp<IncomingMessage, ServerResponse>({
    logger: log,
    genReqId: (request, response) => {
      const clientId = request.headers["x-request-id"];
      const id = typeof clientId === "string" && requestIdPattern.test(clientId) ? clientId : randomUUID();
      response.setHeader("x-request-id", id);
      return id;
    },
    customLogLevel: (_request, response, error) => (error || response.statusCode >= 500 ? "error" : response.statusCode >= 400 ? "warn" : "info"),
    serializers: {
      req: ({ id, method, url, remoteAddress }) => ({ id, method, url: maskSecrets(url), remoteAddress }),
      res: ({ statusCode }) => ({ statusCode }),
    },
  });
}
