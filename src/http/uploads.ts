import type { IncomingMessage } from "node:http";
import path from "node:path";
import type { Readable, Transform } from "node:stream";
import { text } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { Busboy, type BusboyFileStream } from "@fastify/busboy";
import type { Request, Response } from "express";
import { badRequest, ServiceError } from "../platform/errors.js";
import { ArrivedFile } from "../platform/incoming-file.js";
import { byteLimit, receiveFile, uploadFault } from "../platform/receive-file.js";
import type { TemporaryFiles } from "../storage/temporary-files.js";

/** How much may be uploaded. */
export interface UploadSettings {
  /** The largest file, in bytes. */
  maximumBytes: number;
  temporary: TemporaryFiles;
}

/** A multipart form of REST: one part is a file, the others are texts; each may be sent as a file or as a field. */
export interface UploadForm {
  file: string;
  texts: readonly string[];
}

/** What a picture may be called that is sent alone; what it is, its content says. */
const pictureTypes = /^(?:image\/(?:jpeg|png|webp)|application\/octet-stream)\s*(?:;|$)/i;
const uploadsAtOnce = 32;
/** What may be sent besides the file: other parts, and the headers of all. */
const roomBesides = 1024 * 1024;
const longestText = 64 * 1024;
const mostParts = 20;

/** Lets uploads in: a bounded number at once, each with a bounded body. */
export class UploadDoor {
  readonly #settings: UploadSettings;
  #open = 0;

  constructor(settings: UploadSettings) {
    this.#settings = settings;
  }

  /**
   * The body of a multipart request, to be read once; call it when nothing but the body can still be wrong. It ends with
   * an error when there is too much of it, or when the client breaks off. What is not read is thrown away after the answer.
   */
  admit(request: Request, response: Response): Readable {
    if (!request.is("multipart/form-data")) throw new ServiceError("UNSUPPORTED_MEDIA_TYPE", "The body must be multipart/form-data");
    return this.#admit(request, response, this.#settings.maximumBytes + roomBesides);
  }

  /** As {@link admit}, for a request whose whole body is the picture. */
  admitFile(request: Request, response: Response): Readable {
    const type = request.headers["content-type"];
    if (type !== undefined && !pictureTypes.test(type))
      throw new ServiceError("UNSUPPORTED_MEDIA_TYPE", "The body must be a JPEG, PNG or WebP picture");
    return this.#admit(request, response, this.#settings.maximumBytes);
  }

  #admit(request: Request, response: Response, most: number): Readable {
    if (Number(request.headers["content-length"] ?? 0) > most) throw new ServiceError("PAYLOAD_TOO_LARGE", `The body has more than ${most} bytes`);
    // Nobody would tell of an end that came already.
    if (response.closed || request.destroyed) throw brokenOff();
    if (this.#open >= uploadsAtOnce) throw new ServiceError("UNAVAILABLE", "Too many uploads at once; a retry is safe", { retryAfter: 1 });
    this.#open += 1;
    if (waitsForLeave(request)) response.writeContinue();
    const body = byteLimit(most, "The body");
    // Whoever reads the body learns of its end by an error of the stream; nobody may be reading it any more.
    body.on("error", () => {});
    request.pipe(body);
    request.once("close", () => {
      if (!request.complete) body.destroy(brokenOff());
    });
    body.once("close", () => throwAway(request, body, most));
    response.once("close", () => {
      this.#open -= 1;
      // Without an error, whoever begins to read a body that has come whole would wait for ever for its end.
      body.destroy(brokenOff());
    });
    return body;
  }

  /** Reads a form whole and lends what was in it: its texts, and its file as one that has arrived. */
  async withForm<Result>(
    request: Request,
    response: Response,
    form: UploadForm,
    work: (parts: Record<string, string | ArrivedFile>) => Promise<Result>,
  ): Promise<Result> {
    const body = this.admit(request, response);
    const { temporary, maximumBytes } = this.#settings;
    return temporary.use(async (directory) => {
      const file = path.join(directory, "part");
      const read = async (name: string, content: Readable) => {
        if (name !== form.file) return pipeline(content, byteLimit(longestText, `The part ${name}`), text);
        await receiveFile(() => content, file, maximumBytes);
        return new ArrivedFile(file);
      };
      return work(await readParts(body, request, [form.file, ...form.texts], read));
    });
  }
}

const brokenOff = () => new ServiceError("BAD_REQUEST", "The upload broke off");

/** Whether a client asked whether its upload may come before sending it: it is told when the body is let in. */
export function waitsForLeave({ headers }: IncomingMessage): boolean {
  return headers.expect?.toLowerCase() === "100-continue" && /^(?:multipart\/form-data|image\/)/i.test(headers["content-type"] ?? "");
}

/** Lets the rest of a body come in, so that the client can read its answer, but no more than a good one would have had. */
function throwAway(request: Request, body: Transform, most: number): void {
  request.unpipe(body);
  let size = 0;
  request.on("data", (chunk: Buffer) => {
    size += chunk.length;
    if (size > most) request.destroy();
  });
  // Who took it out of a pipe left it paused.
  request.resume();
}

type Read<Part> = (name: string, content: Readable) => Promise<Part>;

/** Reads the named parts of a multipart body, each once; others are passed over. */
async function readParts<Part>(body: Readable, request: Request, names: readonly string[], read: Read<Part>): Promise<Record<string, Part>> {
  const parser = createParser(request);
  const parts = new Map<string, Promise<Part>>();
  const contents: Readable[] = [];
  const fail = (error: Error) => parser.destroy(error);
  parser.on("file", (name: string, content: BusboyFileStream) => {
    // A body that ends in the middle of a part is told to the part and to the parser.
    content.on("error", fail);
    contents.push(content);
    if (!names.includes(name)) content.resume();
    else if (parts.has(name)) fail(badRequest([{ path: `body.${name}`, message: "must be given once" }]));
    else {
      const part = read(name, content);
      part.catch(fail);
      parts.set(name, part);
    }
  });
  parser.once("partsLimit", () => fail(new ServiceError("PAYLOAD_TOO_LARGE", `The body has more than ${mostParts} parts`)));
  try {
    await pipeline(body, parser);
    return Object.fromEntries(await Promise.all([...parts].map(async ([name, part]) => [name, await part] as const)));
  } catch (error) {
    throw uploadFault(error, "The body is not a whole multipart form");
  } finally {
    for (const content of contents) content.destroy();
    await Promise.allSettled(parts.values());
  }
}

function createParser(request: Request) {
  try {
    const headers = request.headers as { "content-type": string };
    return new Busboy({ headers, isPartAFile: () => true, limits: { parts: mostParts, headerPairs: 50 } });
  } catch {
    throw new ServiceError("BAD_REQUEST", "The body's Content-Type names no boundary");
  }
}
