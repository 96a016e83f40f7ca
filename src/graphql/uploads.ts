import { Readable, type Writable } from "node:stream";
import type { RequestHandler, Response } from "express";
import { processRequest } from "graphql-upload-minimal";
import { originOf } from "../http/request-origin.js";
import type { UploadLimiter } from "../http/uploads.js";
import type { GatewayServices } from "../operation/gateway-services.js";
import { ServiceError } from "../platform/errors.js";
import { uploadAborted } from "../platform/incoming-file.js";
import { parseJson, RefusedJsonError } from "../platform/json/bounded-json.js";
import { rememberText } from "../platform/json/json-numbers.js";
import type { IncomingOperation } from "./admit.js";

interface FieldInfo {
  valueTruncated: boolean;
}

type FieldListener = (name: string, value: string, info: FieldInfo) => void;

const maxOperationsLength = 1024 * 1024;

/**
 * Reads GraphQL multipart requests up to the operation. The resolver reads the file. The
 * caller is authenticated before a byte of the body is read.
 */
export function graphqlUploads(uploads: UploadLimiter, services: GatewayServices): RequestHandler {
  const { authenticator } = services;
  return async (request, response, next) => {
    if (!request.is("multipart/form-data")) return next();
    // Any web page can send a form across origins. These headers require a CORS
    // preflight.
    if (!request.get("apollo-require-preflight") && !request.get("x-apollo-operation-name")) {
      throw new ServiceError("BAD_REQUEST", "A multipart request needs the header apollo-require-preflight");
    }
    const origin = originOf(request, "GRAPHQL");
    const sender = await authenticator.authenticate(await authenticator.identify(origin), origin);
    response.locals.upload = { services, origin, sender, isUpload: true } satisfies IncomingOperation;
    const body = uploads.admit(request, response);
    let operations = "";
    const pipe = (parser: Writable) => {
      checkFileMap(parser, (issue) => body.destroy(issue));
      parser.on("field", (name: string, value: string) => {
        if (name === "operations") operations = value;
      });
      // The library removes its listeners from a failed parser. A second error would be
      // uncaught.
      parser.on("error", () => {});
      return Readable.prototype.pipe.call(body, parser);
    };
    const source = Object.assign(body, { headers: request.headers, pipe });
    try {
      // Several files would deadlock if the resolver read them in another order than the
      // client sends them.
      request.body = await processRequest(source as never, response, {
        maxFieldSize: maxOperationsLength,
        maxFiles: 1,
      });
      rememberText(request.body, operations);
    } catch (error) {
      throw body.errored instanceof ServiceError ? body.errored : unreadable(error);
    }
    next();
  };
}

/**
 * The operation of a multipart request that {@link graphqlUploads} has read; undefined
 * for other requests.
 */
export function uploadOf(response: Response): IncomingOperation | undefined {
  return response.locals.upload;
}

/**
 * Lets the library put files only where the specification allows them: at variables that
 * are null. The library itself follows any path, including inherited properties and files
 * that it has already placed.
 */
function checkFileMap(parser: Writable, refuse: (issue: ServiceError) => void): void {
  const [putField] = parser.listeners("field") as [FieldListener];
  let operations = "";
  /** The library reports fields that are too long. */
  let isCut = false;
  parser.removeListener("field", putField).on("field", (name: string, value: string, info: FieldInfo) => {
    isCut ||= info.valueTruncated;
    if (name === "operations") operations = value;
    const issue = name === "map" && !isCut ? findIssue(operations, value) : undefined;
    if (issue) refuse(issue);
    else putField(name, value, info);
  });
}

/** Checks the fields of the form before the library parses them and places a file. */
function findIssue(operationsText: string, mapText: string): ServiceError | undefined {
  const operations = parsedField("operations", operationsText);
  const map = parsedField("map", mapText);
  if (operations instanceof ServiceError) return operations;
  if (map instanceof ServiceError) return map;
  if (!isNested(operations) || !isNested(map)) return undefined;
  const paths = Object.values(map).flat();
  if (paths.every((path) => typeof path !== "string" || pointsToNull(operations, path))) return undefined;
  return new ServiceError("BAD_REQUEST", "The multipart field map must point to variables that are null");
}

function parsedField(name: string, text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    if (!(error instanceof RefusedJsonError)) throw error;
    return new ServiceError("BAD_REQUEST", `The multipart field ${name} ${error.message}`);
  }
}

function pointsToNull(operations: Record<string, unknown>, path: string): boolean {
  if (!path.startsWith("variables.")) return false;
  let value: unknown = operations;
  for (const step of path.split(".")) {
    if (!isNested(value) || !Object.hasOwn(value, step)) return false;
    value = value[step];
  }
  return value === null;
}

const isNested = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;

function unreadable(error: unknown): ServiceError {
  const { status, message } = error as Error & { status?: number };
  if (status === 413) return new ServiceError("PAYLOAD_TOO_LARGE", message);
  if (status === 499) return uploadAborted();
  return new ServiceError("BAD_REQUEST", `The body is not a GraphQL multipart request: ${message}`);
}
