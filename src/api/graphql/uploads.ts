import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Request, RequestHandler, Response } from "express";
import { originOf } from "../../engine/http/request-origin.js";
import { multipartParser, type UploadLimiter } from "../../engine/http/uploads.js";
import type { GatewayServices } from "../../engine/operation/gateway-services.js";
import { ServiceError } from "../../platform/errors/errors.js";
import { AwaitedFile } from "../../platform/files/incoming-file.js";
import { toUploadError } from "../../platform/files/receive-file.js";
import { parseJson, RefusedJsonError } from "../../platform/json/bounded-json.js";
import { errorOf } from "../../platform/thrown.js";
import type { IncomingOperation } from "./admit.js";

const maxFieldLength = 1024 * 1024;
const missingPart = "The request has no part for a file that its `map` names";

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
    request.body = await readOperation(request, uploads.admit(request, response));
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
 * Reads the operation of a [GraphQL multipart
 * request](https://github.com/jaydenseric/graphql-multipart-request-spec), with a file
 * that arrives later: the body pauses until the resolver reads it. There is at most one,
 * since several would wait for each other if the resolver read them in another order than
 * the client sends them.
 */
function readOperation(request: Request, body: Readable): Promise<object> {
  // The fields are operations and map.
  const limits = { fields: 2, fieldSize: maxFieldLength, files: 1, headerPairs: 50 };
  const parser = multipartParser(request, { limits });
  let operations = "";
  let awaited: AwaitedFiles | undefined;
  return new Promise((resolve, reject) => {
    parser.on("field", (name, text, _isNameCut, isCut) => {
      try {
        if (isCut)
          throw new ServiceError(
            "PAYLOAD_TOO_LARGE",
            `The multipart field ${name} has more than ${maxFieldLength} bytes`,
          );
        if (name === "operations") operations = text;
        if (name !== "map") return;
        const operation = parsedField("operations", operations);
        awaited = placeFiles(parsedField("map", text), operation);
        resolve(operation);
      } catch (error) {
        parser.destroy(errorOf(error));
      }
    });
    let content: Readable | undefined;
    parser.on("file", (name, part) => {
      content = part.on("error", () => {});
      if (!awaited) parser.destroy(malformed("files must follow the fields operations and map"));
      else if (awaited.has(name)) awaited.get(name)?.arrive(part);
      else part.resume();
    });
    const end = (error: unknown) => {
      reject(error);
      for (const file of awaited?.values() ?? []) file.fail(error);
    };
    pipeline(body, parser).then(
      () =>
        end(awaited ? new ServiceError("BAD_REQUEST", missingPart) : malformed("the field map is missing")),
      (cause) => {
        const error = toUploadError(cause, "The body is not a complete GraphQL multipart request");
        end(error);
        content?.destroy(errorOf(error));
      },
    );
  });
}

/** Files by the names of their parts. */
type AwaitedFiles = ReadonlyMap<string, AwaitedFile>;

/** Puts files where the specification allows them: at variables that are null. */
function placeFiles(map: Record<string, unknown>, operation: Record<string, unknown>): AwaitedFiles {
  const entries = Object.entries(map);
  if (entries.length > 1) throw new ServiceError("PAYLOAD_TOO_LARGE", "A request has at most one file");
  return new Map(
    entries.map(([name, paths]) => {
      const file = new AwaitedFile();
      if (!Array.isArray(paths)) throw malformed("the field map must hold lists of paths");
      for (const path of paths) place(file, String(path), operation);
      return [name, file];
    }),
  );
}

function place(file: AwaitedFile, path: string, operation: Record<string, unknown>): void {
  const steps = path.split(".");
  const last = steps.pop() as string;
  let parent: unknown = operation;
  for (const step of steps) parent = ownValue(parent, step);
  if (steps[0] !== "variables" || !isNested(parent) || ownValue(parent, last) !== null)
    throw malformed("the field map must point to variables that are null");
  parent[last] = file;
}

/** Inherited values are shared by all requests. */
const ownValue = (value: unknown, name: string): unknown =>
  isNested(value) && Object.hasOwn(value, name) ? value[name] : undefined;

function parsedField(name: string, text: string): Record<string, unknown> {
  try {
    const value = parseJson(text);
    if (isNested(value) && !Array.isArray(value)) return value;
  } catch (error) {
    if (!(error instanceof RefusedJsonError)) throw error;
    throw malformed(`the field ${name} ${error.message}`);
  }
  throw malformed(`the field ${name} must be an object`);
}

const isNested = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;

const malformed = (reason: string): ServiceError =>
  new ServiceError("BAD_REQUEST", `The body is not a GraphQL multipart request: ${reason}`);
