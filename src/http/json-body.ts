import express, { type Request, type RequestHandler, type Response } from "express";
import { badRequest, ServiceError } from "../platform/errors.js";
import { isTooDeep, maxJsonDepth } from "../platform/json-depth.js";

const mebibyte = 1024 * 1024;
/** How long a request without an upload may take to be received. */
const requestTimeoutMs = 30_000;

/** Reads a JSON body of limited size and depth, which must be received within 30 seconds. */
export function jsonBody(mebibytes: number): RequestHandler[] {
  return [bodyDeadline, express.json({ limit: mebibytes * mebibyte, strict: false }), limitBodyDepth];
}

/** Reads the JSON object in the body of a request, of at most 1 MiB; an empty body counts as an empty object. */
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

const bodyDeadline: RequestHandler = (request, _response, next) => {
  // Uploads have the longer timeout of the server.
  if (request.is("multipart/form-data")) return next();
  const timer = setTimeout(() => request.destroy(), requestTimeoutMs);
  const done = () => clearTimeout(timer);
  request.once("end", done).once("close", done);
  next();
};

const limitBodyDepth: RequestHandler = (request, _response, next) => {
  if (isTooDeep(request.body)) next(new ServiceError("BAD_REQUEST", `The body is nested more than ${maxJsonDepth} levels deep`));
  else next();
};

const restBody = jsonBody(1);
