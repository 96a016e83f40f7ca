import express, { type Request, type Response } from "express";
import { badRequest, ServiceError } from "../platform/errors.js";
import { maxJsonDepth } from "../platform/json-depth.js";
import { measureJson } from "../platform/json-size.js";
import { expectsContinue } from "./uploads.js";

const kibibyte = 1024;
/** How large a body may be, in bytes after decompression: without credentials, on REST, and on GraphQL. */
const limits = { anonymous: 100 * kibibyte, rest: 1024 * kibibyte, graphql: 4096 * kibibyte };

export type BodyLimit = keyof typeof limits;

/** How long a request without an upload may take to be received. */
const requestTimeoutMs = 30_000;

/** More than any operation may be given. */
const maxValues = 150_000;

/** Express gives errors of a check a status, which ours have. */
class RefusedBody extends Error {}

function checkSize(body: Buffer): void {
  const { values, depth } = measureJson(body);
  if (depth > maxJsonDepth) throw new RefusedBody(`The body is nested more than ${maxJsonDepth} levels deep`);
  if (values > maxValues) throw new RefusedBody(`The body holds more than ${maxValues} values`);
}

const parserWith = (limit: number) => express.json({ limit, strict: false, verify: (_request, _response, body) => checkSize(body) });
const parsers = { anonymous: parserWith(limits.anonymous), rest: parserWith(limits.rest), graphql: parserWith(limits.graphql) };

const tooLarge = () => new ServiceError("PAYLOAD_TOO_LARGE", "The body is too large");

/** Reads the JSON object in the body of a request; an empty body counts as an empty object. */
export async function readJsonBody(request: Request, response: Response, limit: BodyLimit): Promise<unknown> {
  const isEmpty = request.headers["transfer-encoding"] === undefined && Number(request.headers["content-length"] ?? 0) === 0;
  if (isEmpty) return {};
  if (!request.is("application/json")) throw new ServiceError("UNSUPPORTED_MEDIA_TYPE", "The body must be application/json");
  await parseJsonBody(request, response, limit);
  const body: unknown = request.body === undefined ? {} : request.body;
  if (typeof body === "object" && body !== null && !Array.isArray(body)) return body;
  throw badRequest([{ path: "body", message: "must be a JSON object" }]);
}

/**
 * Parses the body of a request, if it is JSON, into `request.body`. It must be of limited size and depth, and be received within
 * 30 seconds. To be called once the sender has been counted, since a small body may cost as much as the limit allows.
 */
export async function parseJsonBody(request: Request, response: Response, limit: BodyLimit): Promise<void> {
  const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(request.headers["content-type"] ?? "")?.[1];
  // What is measured are the bytes of UTF-8.
  if (charset !== undefined && charset.toLowerCase() !== "utf-8") throw new ServiceError("UNSUPPORTED_MEDIA_TYPE", "The body must be in UTF-8");
  if (Number(request.headers["content-length"] ?? 0) > limits[limit]) throw tooLarge();
  if (expectsContinue(request)) response.writeContinue();
  const timer = setTimeout(() => request.destroy(), requestTimeoutMs);
  let received = 0;
  try {
    await new Promise<void>((resolve, reject) => {
      parsers[limit](request, response, (error?: unknown) => {
        if (error instanceof RefusedBody) reject(new ServiceError("BAD_REQUEST", error.message));
        else if (error) reject(error);
        else resolve();
      });
      // The parser receives a body that it has refused to its end before it says so.
      request.on("data", (chunk: Buffer) => {
        received += chunk.length;
        if (received > limits[limit]) reject(tooLarge());
      });
    });
  } finally {
    clearTimeout(timer);
  }
}
