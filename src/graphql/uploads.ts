import { Readable, type Writable } from "node:stream";
import type { RequestHandler } from "express";
import { processRequest } from "graphql-upload-minimal";
import type { RequestContext } from "../access/request-context.js";
import type { UploadDoor } from "../http/uploads.js";
import { ServiceError } from "../platform/errors.js";
import { deepestJson, isTooDeep } from "../platform/json-depth.js";

type FieldListener = (name: string, value: string, info: object) => void;

const longestOperations = 1024 * 1024;

/**
 * Reads GraphQL multipart requests as far as the operation; its file is read by whoever runs it. Who asks is found out
 * before.
 */
export function graphqlUploads(door: UploadDoor, contextOf: (...[request, response]: Parameters<RequestHandler>) => RequestContext): RequestHandler {
  return async (request, response, next) => {
    if (!request.is("multipart/form-data")) return next();
    // Any page may send a form to anybody; only a page that was allowed to may send these headers.
    if (!request.get("apollo-require-preflight") && !request.get("x-apollo-operation-name")) {
      throw new ServiceError("BAD_REQUEST", "A multipart request needs the header apollo-require-preflight");
    }
    await contextOf(request, response, next).authenticate();
    const body = door.admit(request, response);
    const pipe = (parser: Writable) => {
      checkFirst(parser, (fault) => body.destroy(fault));
      // The library forgets a parser that failed: nobody would hear what else it says.
      parser.on("error", () => {});
      return Readable.prototype.pipe.call(body, parser);
    };
    const source = Object.assign(body, { headers: request.headers, pipe });
    try {
      // Files that are read in another order than they are sent would wait for each other.
      request.body = await processRequest(source as never, response, { maxFieldSize: longestOperations, maxFiles: 1 });
    } catch (error) {
      throw body.errored instanceof ServiceError ? body.errored : unreadable(error);
    }
    next();
  };
}

/**
 * Has the library put files only where the specification has them, at variables that were sent as null: it follows any path,
 * also into what objects inherit and into the files that it put down before.
 */
function checkFirst(parser: Writable, refuse: (fault: ServiceError) => void): void {
  const [put] = parser.listeners("field") as [FieldListener];
  let operations = "";
  parser.removeListener("field", put).on("field", (name: string, value: string, info: object) => {
    if (name === "operations") operations = value;
    const fault = name === "map" ? faultOf(parsed(operations), parsed(value)) : undefined;
    if (fault) refuse(fault);
    else put(name, value, info);
  });
}

/** Nothing when it is no JSON, which the library says itself. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Judges what was sent before a file lies in it. */
function faultOf(operations: unknown, map: unknown): ServiceError | undefined {
  if (!isNested(operations) || !isNested(map)) return undefined;
  if (isTooDeep(operations.variables)) return new ServiceError("BAD_REQUEST", `The variables are nested more than ${deepestJson} levels deep`);
  const paths = Object.values(map).flat();
  if (paths.every((path) => typeof path !== "string" || leadsToNull(operations, path))) return undefined;
  return new ServiceError("BAD_REQUEST", "The multipart field map must lead to variables that are null");
}

function leadsToNull(operations: Record<string, unknown>, path: string): boolean {
  if (!path.startsWith("variables.")) return false;
  let value: unknown = operations;
  for (const step of path.split(".")) {
    if (!isNested(value) || !Object.hasOwn(value, step)) return false;
    value = value[step];
  }
  return value === null;
}

const isNested = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

function unreadable(error: unknown): ServiceError {
  const { status, message } = error as Error & { status?: number };
  if (status === 413) return new ServiceError("PAYLOAD_TOO_LARGE", message);
  const reason = status === 499 ? "The upload broke off" : `The body is no GraphQL multipart request: ${message}`;
  return new ServiceError("BAD_REQUEST", reason);
}
