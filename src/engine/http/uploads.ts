import type { IncomingMessage } from "node:http";
import path from "node:path";
import type { Readable, Transform } from "node:stream";
import { text } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { Busboy, type BusboyInstance } from "@fastify/busboy";
import type { Request, Response } from "express";
import { badRequest, ServiceError } from "../../platform/errors/errors.js";
import { ReceivedFile, type Upload, uploadAborted } from "../../platform/files/incoming-file.js";
import { limitBytes, receiveFile, toUploadError } from "../../platform/files/receive-file.js";
import type { FairQueue } from "../../platform/queues/fair-queue.js";
import type { TemporaryFiles } from "../storage/temporary-files.js";
import type { Uploader } from "../storage/uploader.js";
import { type Flow, type LeastRate, MinimumRate } from "./minimum-rate.js";

interface UploadLimiterOptions {
  maxBytes: number;
  maxClipBytes: number;
  temporary: TemporaryFiles;
  slots: FairQueue;
}

/**
 * A multipart form of REST. One part is a file, the others are text. Clients may send either as a file or as a field.
 */
export interface UploadForm {
  file: string;
  texts: readonly string[];
}

/** What may be the whole body, and its content types. The content determines the actual format. */
const fileKinds = {
  PICTURE: {
    types: /^(?:image\/(?:jpeg|png|webp)|application\/octet-stream)\s*(?:;|$)/i,
    what: "a JPEG, PNG or WebP picture",
  },
  CLIP: { types: /^(?:video\/mp4|application\/octet-stream)\s*(?:;|$)/i, what: "an MP4" },
};

export type FileKind = keyof typeof fileKinds;

/** The lowest average rate at which a client must send while the gateway reads. */
const leastRate: LeastRate = { bytesPerSecond: 8 * 1024, windowMs: 10_000 };
/** Room for the other parts of a form, and for the headers of all parts. */
const extraBytes = 1024 * 1024;
const maxTextLength = 64 * 1024;
const maxParts = 20;

/** Accepts uploads: a limited number, shared fairly between callers, of limited size, and not too slow. */
export class UploadLimiter {
  readonly #settings: UploadLimiterOptions;

  constructor(settings: UploadLimiterOptions) {
    this.#settings = settings;
  }

  /**
   * Returns the body of a multipart request, which can be read once. Call after all checks that do not need the body.
   * The stream fails if the body is too large or arrives too slowly, or if the client aborts. Unread data is discarded
   * after the response.
   */
  admit(request: Request, response: Response): Readable {
    const maxBodyBytes = this.#settings.maxBytes + extraBytes;
    assertForm(request);
    assertLength(request, maxBodyBytes);
    return openBody(request, response, maxBodyBytes);
  }

  /** Calls `work` with a file that is the whole body, in a slot for uploads. */
  async withFile(
    kind: FileKind,
    request: Request,
    response: Response,
    uploader: Uploader,
    work: (sent: Upload) => Promise<void>,
  ): Promise<void> {
    const { slots, maxClipBytes } = this.#settings;
    const maxBytes = kind === "CLIP" ? maxClipBytes : this.#settings.maxBytes;
    const { types, what } = fileKinds[kind];
    const type = request.headers["content-type"];
    if (type !== undefined && !types.test(type))
      throw new ServiceError("UNSUPPORTED_MEDIA_TYPE", `The body must be ${what}`);
    assertLength(request, maxBytes);
    const upload = () => {
      const body = openBody(request, response, maxBytes);
      return work({ open: async () => ({ createReadStream: () => body }) });
    };
    await slots.run(uploader.caller, upload, uploader.origin);
  }

  /** Reads a complete form in a slot for uploads, and calls `work` with its parts. The file is deleted afterwards. */
  async withForm<Result>(
    request: Request,
    response: Response,
    uploader: Uploader,
    form: UploadForm,
    work: (parts: Record<string, string | ReceivedFile | undefined>) => Promise<Result>,
  ): Promise<Result> {
    const { slots, temporary, maxBytes } = this.#settings;
    assertForm(request);
    assertLength(request, maxBytes + extraBytes);
    const upload = () =>
      temporary.withDirectory(async (directory) => {
        const file = path.join(directory, "part");
        const read = async (name: string, content: Readable) => {
          if (name !== form.file)
            return pipeline(content, limitBytes(maxTextLength, `The part ${name}`), text);
          await receiveFile(() => content, file, maxBytes);
          return new ReceivedFile(file);
        };
        return work(
          await readParts(this.admit(request, response), request, [form.file, ...form.texts], read),
        );
      });
    return slots.run(uploader.caller, upload, uploader.origin);
  }
}

function assertForm(request: Request): void {
  if (!request.is("multipart/form-data"))
    throw new ServiceError("UNSUPPORTED_MEDIA_TYPE", "The body must be multipart/form-data");
}

function assertLength(request: Request, maxBytes: number): void {
  if (Number(request.headers["content-length"] ?? 0) > maxBytes)
    throw new ServiceError("PAYLOAD_TOO_LARGE", `The body has more than ${maxBytes} bytes`);
}

function openBody(request: Request, response: Response, maxBytes: number): Readable {
  // The events that end the upload have already occurred.
  if (response.closed || request.destroyed) throw uploadAborted();
  if (expectsContinue(request)) response.writeContinue();
  const body = limitBytes(maxBytes, "The body");
  // The reader of the body handles its errors, but may already be gone.
  body.on("error", () => {});
  request.pipe(body);
  request.once("close", () => {
    if (!request.complete) body.destroy(uploadAborted());
  });
  let received = 0;
  request.on("data", (chunk: Buffer) => {
    received += chunk.length;
  });
  // While the stream is paused, the client waits for the gateway.
  const flow: Flow = { passed: () => received, isWaiting: () => !request.complete && !request.isPaused() };
  const refuseSlow = () => {
    // Read nothing more of this connection. If nobody reads the file, the response may already have begun.
    if (!response.headersSent) response.set("connection", "close");
    body.destroy(tooSlow());
  };
  const rate = new MinimumRate(flow, refuseSlow, leastRate);
  body.once("close", () => {
    rate.stop();
    discard(request, body, maxBytes);
  });
  // Without an error, a reader that starts only now would wait forever for the end of the destroyed stream.
  response.once("close", () => body.destroy(uploadAborted()));
  return body;
}

const tooSlow = () =>
  new ServiceError(
    "BAD_REQUEST",
    `The body must be sent with at least ${leastRate.bytesPerSecond} bytes per second`,
  );

/** Whether the client waits for `100 Continue` before sending the body. The reader of the body sends that response. */
export function expectsContinue({ headers }: IncomingMessage): boolean {
  return headers.expect?.toLowerCase() === "100-continue";
}

/** Receives the rest of a body, up to the size of a valid one, so that the client can read the response. */
function discard(request: Request, body: Transform, maxBodyBytes: number): void {
  request.unpipe(body);
  let size = 0;
  request.on("data", (chunk: Buffer) => {
    size += chunk.length;
    if (size > maxBodyBytes) request.destroy();
  });
  // `unpipe` leaves the stream paused.
  request.resume();
}

type Read<Part> = (name: string, content: Readable) => Promise<Part>;

/** Reads the named parts of a multipart body, each at most once. Others are skipped, and listed without content. */
async function readParts<Part>(
  body: Readable,
  request: Request,
  names: readonly string[],
  read: Read<Part>,
): Promise<Record<string, Part | undefined>> {
  const parser = createParser(request);
  const parts = new Map<string, Promise<Part | undefined>>();
  const contents: Readable[] = [];
  const fail = (error: Error) => parser.destroy(error);
  parser.on("file", (name, content) => {
    // If the body ends in the middle of a part, both the part and the parser fail.
    content.on("error", fail);
    contents.push(content);
    if (!names.includes(name)) {
      content.resume();
      parts.set(name, Promise.resolve(undefined));
    } else if (parts.has(name)) fail(badRequest([{ path: `body.${name}`, message: "must be given once" }]));
    else {
      const part = read(name, content);
      part.catch(fail);
      parts.set(name, part);
    }
  });
  parser.once("partsLimit", () =>
    fail(new ServiceError("PAYLOAD_TOO_LARGE", `The body has more than ${maxParts} parts`)),
  );
  try {
    await pipeline(body, parser);
    return Object.fromEntries(
      await Promise.all([...parts].map(async ([name, part]) => [name, await part] as const)),
    );
  } catch (error) {
    throw toUploadError(error, "The body is not a complete multipart form");
  } finally {
    for (const content of contents) content.destroy();
    await Promise.allSettled(parts.values());
  }
}

/** Hands out each part as a stream. The parser of GraphQL uploads would decode a picture that is sent as a field. */
function createParser(request: Request): BusboyInstance {
  try {
    const headers = { "content-type": request.headers["content-type"] ?? "" };
    return new Busboy({ headers, isPartAFile: () => true, limits: { parts: maxParts, headerPairs: 50 } });
  } catch {
    throw new ServiceError("BAD_REQUEST", "The Content-Type of the body has no boundary");
  }
}
