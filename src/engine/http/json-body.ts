import express, { type Request, type Response } from "express";
import { badRequest, ServiceError } from "../../platform/errors/errors.js";
import { parseJson, RefusedJsonError } from "../../platform/json/bounded-json.js";
import { takeSlice } from "../../platform/queues/slices.js";
import { isRecord } from "../../platform/record.js";
import { expectsContinue } from "./uploads.js";

const kibibyte = 1024;
/** The maximum size of a body after decompression, in bytes: without credentials, on REST, and on GraphQL. */
const limits = { anonymous: 100 * kibibyte, rest: 1024 * kibibyte, graphql: 4096 * kibibyte };

type BodyLimit = keyof typeof limits;

/** The sender of a body, its maximum size, and its owner, a caller or network: bodies are parsed in turns of owners. */
export interface BodySender {
  limit: BodyLimit;
  owner: string;
}

/** The bytes of a body that cost as much work as a row: parsing, checking, and beginning the operation. */
const bytesPerUnit = 200;
const largeBytes = 16 * kibibyte;

/** The time limit for receiving a request without an upload. */
const requestTimeoutMs = 30_000;

const byteOrderMark = "\ufeff";
/** The content types of JSON that need no further check. */
const plainJson = /^application\/json(?:; ?charset=utf-8)?$/i;

/** The maximum number of values in a body: more than any operation accepts. */
const maxValues = 150_000;

const receiverOf = (limit: number) => express.raw({ limit, type: "application/json" });
const receivers = {
  anonymous: receiverOf(limits.anonymous),
  rest: receiverOf(limits.rest),
  graphql: receiverOf(limits.graphql),
};

const tooLarge = () => new ServiceError("PAYLOAD_TOO_LARGE", "The body is too large");

/** Reads the JSON object in the body of a request. An empty body counts as an empty object. */
export async function readJsonBody(
  request: Request,
  response: Response,
  sender: BodySender,
): Promise<unknown> {
  const isEmpty =
    request.headers["transfer-encoding"] === undefined &&
    Number(request.headers["content-length"] ?? 0) === 0;
  if (isEmpty) return {};
  if (!request.is("application/json"))
    throw new ServiceError("UNSUPPORTED_MEDIA_TYPE", "The body must be application/json");
  await parseJsonBody(request, response, sender);
  const body: unknown = request.body === undefined ? {} : request.body;
  if (isRecord(body)) return body;
  throw badRequest([{ path: "body", message: "must be a JSON object" }]);
}

/**
 * Parses a JSON body into `request.body`. The body must respect the limits of size and depth, and arrive within 30
 * seconds. Count the sender first: a small body may cost as much as the limit allows. Large bodies are parsed in
 * slices, so that work already begun for others continues in between.
 */
export async function parseJsonBody(
  request: Request,
  response: Response,
  { limit, owner }: BodySender,
): Promise<void> {
  const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(request.headers["content-type"] ?? "")?.[1];
  // The limits count bytes of UTF-8.
  if (charset !== undefined && !namesUtf8(charset))
    throw new ServiceError("UNSUPPORTED_MEDIA_TYPE", "The body must be in UTF-8");
  if (Number(request.headers["content-length"] ?? 0) > limits[limit]) throw tooLarge();
  if (expectsContinue(request)) response.writeContinue();
  const body = isReceived(request) ? received(request) : await receive(request, response, limit);
  const slice = body && body.length >= largeBytes && takeSlice(owner, body.length / bytesPerUnit);
  if (slice) await slice;
  request.body = body && parsed(body, limits[limit]);
}

/** Whether a label names UTF-8, such as `utf8`. */
function namesUtf8(label: string): boolean {
  try {
    return new TextDecoder(label).encoding === "utf-8";
  } catch {
    return false;
  }
}

/** Whether the whole body has arrived, needs no decoding, and is unread. A short one usually arrives with the head. */
function isReceived({ readable, readableLength, readableFlowing, headers }: Request): boolean {
  const isWhole =
    readable &&
    readableLength > 0 &&
    readableFlowing === null &&
    readableLength === Number(headers["content-length"]);
  return (
    isWhole && headers["content-encoding"] === undefined && plainJson.test(headers["content-type"] ?? "")
  );
}

function received(request: Request): Buffer {
  const body: Buffer = request.read();
  // Let the request end: its end event is still to come.
  request.resume();
  return body;
}

function parsed(body: Buffer, maxBytes: number): unknown {
  if (body.length === 0) return {};
  if (body.length > maxBytes) throw tooLarge();
  const decoded = body.toString();
  const text = decoded.startsWith(byteOrderMark) ? decoded.slice(1) : decoded;
  try {
    return parseJson(text, maxValues);
  } catch (error) {
    if (error instanceof RefusedJsonError) throw new ServiceError("BAD_REQUEST", `The body ${error.message}`);
    throw error;
  }
}

/** Has Express receive a body in any encoding that Express knows; undefined for a body other than JSON. */
async function receive(request: Request, response: Response, limit: BodyLimit): Promise<Buffer | undefined> {
  const timer = setTimeout(() => request.destroy(), requestTimeoutMs);
  let received = 0;
  try {
    await new Promise<void>((resolve, reject) => {
      receivers[limit](request, response, (error?: unknown) => {
        if (error) reject(error);
        else resolve();
      });
      // Express would receive a refused body to its end before reporting the refusal.
      request.on("data", (chunk: Buffer) => {
        received += chunk.length;
        if (received > limits[limit]) reject(tooLarge());
      });
    });
    return request.body;
  } finally {
    clearTimeout(timer);
  }
}
