import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { pinoHttp } from "pino-http";
import { type Logger, withoutSecrets } from "../platform/log.js";

const requestIdShape = /^[A-Za-z0-9._:-]{1,128}$/;

/** Gives every request an id (the client's own, if it sends a decent one), answers it, and logs one line when the request ends. */
export function requestLog(log: Logger) {
  return pinoHttp<IncomingMessage, ServerResponse>({
    logger: log,
    genReqId: (request, response) => {
      const given = request.headers["x-request-id"];
      const id = typeof given === "string" && requestIdShape.test(given) ? given : randomUUID();
      response.setHeader("x-request-id", id);
      return id;
    },
    customLogLevel: (_request, response, error) => (error || response.statusCode >= 500 ? "error" : response.statusCode >= 400 ? "warn" : "info"),
    serializers: {
      req: ({ id, method, url, remoteAddress }) => ({ id, method, url: withoutSecrets(url), remoteAddress }),
      res: ({ statusCode }) => ({ statusCode }),
    },
  });
}
