import express, { type Request, type Response } from "express";
import { badRequest, ServiceError } from "../platform/errors.js";
import { maxJsonDepth } from "../platform/json/json-depth.js";
import { rememberText } from "../platform/json/json-numbers.js";
import { type JsonSize, measureJson } from "../platform/json/json-size.js";
import { takeTurn } from "../platform/queues/turns.js";
import { expectsContinue } from "./uploads.js";

const kibibyte = 1024;
/**
 * How large a body may be, in bytes after decompression: without credentials, on REST,
 * and on GraphQL.
 */
const limits = { anonymous: 100 * kibibyte, rest: 1024 * kibibyte, graphql: 4096 * kibibyte };

type BodyLimit = keyof typeof limits;

/**
 * Whose body it is: how large it may be, and who takes turns with others while bodies are
 * parsed, a caller or a network.
 */
export interface BodySender {
  limit: BodyLimit;
  owner: string;
}

/**
 * How much of a body is as much work as a row, in bytes: to parse and check it, and to
 * begin what it asks for.
 */
const bytesPerUnit = 200;
/** Shorter bodies are parsed as soon as they are there. */
const largeBytes = 16 * kibibyte;

/** How long a request without an upload may take to be received. */
const requestTimeoutMs = 30_000;

const byteOrderMark = "\ufeff";
/** A type of JSON that needs no closer look. */
const plainJson = /^application\/json(?:; ?charset=utf-8)?$/i;

/** More than any operation may be given. */
const maxValues = 150_000;

/** Why a body is not parsed, if it is not. */
function refusalOf({ values, depth }: JsonSize): string | undefined {
  if (depth > maxJsonDepth) return `The body is nested more than ${maxJsonDepth} levels deep`;
  return values > maxValues ? `The body holds more than ${maxValues} values` : undefined;
}

const receiverOf = (limit: number) => express.raw({ limit, type: "application/json" });
const receivers = {
  anonymous: receiverOf(limits.anonymous),
  rest: receiverOf(limits.rest),
  graphql: receiverOf(limits.graphql),
};

const tooLarge = () => new ServiceError("PAYLOAD_TOO_LARGE", "The body is too large");

/**
 * Reads the JSON object in the body of a request; an empty body counts as an empty
 * object.
 */
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
  if (typeof body === "object" && body !== null && !Array.isArray(body)) return body;
  throw badRequest([{ path: "body", message: "must be a JSON object" }]);
}

/**
 * Parses the body of a request, if it is JSON, into `request.body`. It must be of limited
 * size and depth, and be received within 30 seconds. To be called once the sender has
 * been counted, since a small body may cost as much as the limit allows. Of large bodies
 * that arrive together, each is parsed in its turn: meanwhile, what was begun for others
 * goes on.
 */
export async function parseJsonBody(
  request: Request,
  response: Response,
  { limit, owner }: BodySender,
): Promise<void> {
  const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(request.headers["content-type"] ?? "")?.[1];
  // What is measured are the bytes of UTF-8.
  if (charset !== undefined && !namesUtf8(charset))
    throw new ServiceError("UNSUPPORTED_MEDIA_TYPE", "The body must be in UTF-8");
  if (Number(request.headers["content-length"] ?? 0) > limits[limit]) throw tooLarge();
  if (expectsContinue(request)) response.writeContinue();
  const body = isReceived(request) ? received(request) : await receive(request, response, limit);
  const turn = body && body.length >= largeBytes && takeTurn(owner, body.length / bytesPerUnit);
  if (turn) await turn;
  request.body = body && parsed(body, limits[limit]);
}

/** Whether a label is one of UTF-8, such as `utf8`. */
function namesUtf8(label: string): boolean {
  try {
    return new TextDecoder(label).encoding === "utf-8";
  } catch {
    return false;
  }
}

/**
 * Whether a body that needs no decoding has come by now as a whole, as a short one does
 * with the head, and nothing of it has been read.
 */
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
  // Its end is still to come.
  request.resume();
  return body;
}

function parsed(body: Buffer, maxBytes: number): unknown {
  if (body.length === 0) return {};
  if (body.length > maxBytes) throw tooLarge();
  const size = measureJson(body);
  const refusal = refusalOf(size);
  if (refusal !== undefined) throw new ServiceError("BAD_REQUEST", refusal);
  const decoded = body.toString();
  const text = decoded.startsWith(byteOrderMark) ? decoded.slice(1) : decoded;
  try {
    const value: unknown = JSON.parse(text);
    if (size.hasLongNumbers) rememberText(value, text);
    return value;
  } catch {
    throw new ServiceError("BAD_REQUEST", "The body is not valid JSON");
  }
}

/**
 * Has Express receive a body, in any encoding that it knows; undefined if it is not JSON.
 */
async function receive(request: Request, response: Response, limit: BodyLimit): Promise<Buffer | undefined> {
  const timer = setTimeout(() => request.destroy(), requestTimeoutMs);
  let received = 0;
  try {
    await new Promise<void>((resolve, reject) => {
      receivers[limit](request, response, (error?: unknown) => {
        if (error) reject(error);
        else resolve();
      });
      // Express receives a body that it has refused to its end before it says so.
      request.on("data", (chunk: Buffer) => {
        received += chunk.length;
        if (received > limits[limit]) reject(tooLarge());
      });
    });
    return request.body as Buffer | undefined;
  } finally {
    clearTimeout(timer);
  }
}
