import type { Server, ServerOptions } from "node:http";
import express, { type Request, type RequestHandler, type Response } from "express";
import { badRequest, ServiceError } from "../platform/errors.js";
import { deepestJson, isTooDeep } from "../platform/json-depth.js";

const mebibyte = 1024 * 1024;
/** How long a request without an upload may take to arrive. */
const arrivalTime = 30_000;
const uploadTime = 120_000;

/** Options of the HTTP server: 64 KiB for URL and headers, 30 seconds for the head, 120 for the longest body. */
export const serverLimits: ServerOptions = {
  maxHeaderSize: 64 * 1024,
  headersTimeout: arrivalTime,
  requestTimeout: uploadTime,
  connectionsCheckingInterval: 1_000,
};

/** Limits that Node only takes on the server itself. */
export function limitServer(server: Server): void {
  server.maxHeadersCount = 200;
  server.keepAliveTimeout = 65_000;
}

/** Reads a JSON body of at most so many MiB and 64 levels, which must arrive within 30 seconds. */
export function jsonBody(mebibytes: number): RequestHandler[] {
  return [arrivalDeadline, express.json({ limit: mebibytes * mebibyte, strict: false }), shallowBody];
}

/** The JSON object in a request's body, of at most 1 MiB; a body of no length counts as an empty object. */
export async function readJsonBody(request: Request, response: Response): Promise<unknown> {
  const isEmpty = request.headers["transfer-encoding"] === undefined && Number(request.headers["content-length"] ?? 0) === 0;
  if (isEmpty) return {};
  if (!request.is("application/json")) throw new ServiceError("UNSUPPORTED_MEDIA_TYPE", "The body must be application/json");
  for (const step of restBody) {
    await new Promise<void>((resolve, reject) => step(request, response, (error?: unknown) => (error ? reject(error) : resolve())));
  }
  const body: unknown = request.body === undefined ? {} : request.body;
  if (typeof body === "object" && body !== null && !Array.isArray(body)) return body;
  throw badRequest([{ path: "body", message: "must be a JSON object" }]);
}

const arrivalDeadline: RequestHandler = (request, _response, next) => {
  // Uploads have the server's own, longer time.
  if (request.is("multipart/form-data")) return next();
  const timer = setTimeout(() => request.destroy(), arrivalTime);
  const done = () => clearTimeout(timer);
  request.once("end", done).once("close", done);
  next();
};

const shallowBody: RequestHandler = (request, _response, next) => {
  if (isTooDeep(request.body)) next(new ServiceError("BAD_REQUEST", `The body is nested more than ${deepestJson} levels deep`));
  else next();
};

const restBody = jsonBody(1);
