import cors from "cors";
import type { Request, RequestHandler } from "express";
import { prefersPlayground } from "../../../api/graphql/playground.js";
import { ignoredParametersHeader } from "../../../engine/route/unknown-parameters.js";

/** CORS for the APIs alone, never for pages: these may contain a token, which other sites must not read. */
export function crossOrigin(allowed: string[]): RequestHandler {
  const handle = cors({
    origin: allowed.includes("*") ? "*" : allowed,
    maxAge: 600,
    exposedHeaders: [
      "x-request-id",
      "retry-after",
      "www-authenticate",
      "mcp-session-id",
      ignoredParametersHeader,
    ],
  });
  return (request, response, next) => (isPage(request) ? next() : handle(request, response, next));
}

const isPage = (request: Request) =>
  /^\/(?:$|favicon\.svg$|(?:docs|graphql\/assets|console\/assets)(?:\/|$))/.test(request.path) ||
  (/^\/graphql\/?$/.test(request.path) && prefersPlayground(request));
