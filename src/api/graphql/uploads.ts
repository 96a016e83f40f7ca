import type { IncomingMessage } from "node:http";
import { pipeline, type Readable } from "node:stream";
import type { Request, RequestHandler, Response } from "express";
import { processRequest, type Upload } from "graphql-upload-minimal";
import { originOf } from "../../engine/http/request-origin.js";
import type { UploadLimiter } from "../../engine/http/uploads.js";
import type { GatewayServices } from "../../engine/operation/gateway-services.js";
import { ServiceError } from "../../platform/errors/errors.js";
import { AwaitedFile, type IncomingFile } from "../../platform/files/incoming-file.js";
import { messageOf } from "../../platform/thrown.js";
import type { IncomingOperation } from "./admit.js";
import { CheckedForm, malformed, maxFieldSize, memberAt } from "./checked-form.js";

const missingPart = "The request has no part for a file that its `map` names";

/** Reads multipart requests up to the operation; its resolver reads the file. Authenticates before reading a byte. */
export function graphqlUploads(uploads: UploadLimiter, services: GatewayServices): RequestHandler {
  const { authenticator } = services;
  return async (request, response, next) => {
    if (!request.is("multipart/form-data")) return next();
    // Any web page can send a form across origins. These headers require a CORS preflight.
    if (!request.get("apollo-require-preflight") && !request.get("x-apollo-operation-name")) {
      throw new ServiceError("BAD_REQUEST", "A multipart request needs the header apollo-require-preflight");
    }
    const origin = originOf(request, "GRAPHQL");
    const sender = await authenticator.authenticate(await authenticator.identify(origin), origin);
    response.locals.upload = { services, origin, sender, isUpload: true } satisfies IncomingOperation;
    request.body = await readOperation(uploads.admit(request, response), request, response);
    next();
  };
}

/** The operation of a multipart request that {@link graphqlUploads} has read; undefined for other requests. */
export function uploadOf(response: Response): IncomingOperation | undefined {
  return response.locals.upload;
}

/** Reads the operation, with a file that arrives later: the body pauses until the resolver reads it. */
async function readOperation(body: Readable, request: Request, response: Response): Promise<object> {
  const form = new CheckedForm(request.headers["content-type"] ?? "");
  form.on("error", () => {});
  // An error of either arrives at the other.
  pipeline(body, form, () => {});
  // The library needs no more of a request than its body and content type. It is given no maximum size of files,
  // because it would leave the reader of a larger one waiting.
  const source = form as unknown as IncomingMessage;
  const operation = await processRequest(source, response, { maxFieldSize, maxFiles: 1 }).catch((error) => {
    throw form.errored ?? malformed(messageOf(error));
  });
  putFile(form, operation);
  return operation;
}

/** Puts a file in place of the library's that fails as its form does. */
function putFile(form: CheckedForm, operation: object): void {
  const members = form.paths.map((path) => memberAt(path, operation));
  const [first] = members;
  if (!first) return;
  const file = new AwaitedFile(arrivalOf(first.parent[first.name] as Upload, form));
  for (const { parent, name } of members) parent[name] = file;
}

async function arrivalOf(upload: Upload, form: CheckedForm): Promise<IncomingFile> {
  const file = await upload.promise.catch(() => {
    throw form.errored ?? new ServiceError("BAD_REQUEST", missingPart);
  });
  return {
    createReadStream() {
      if (form.errored) throw form.errored;
      const content = file.createReadStream();
      // The library itself knows only that the body ended early.
      form.once("error", (error) => content.destroy(error));
      return content;
    },
  };
}
