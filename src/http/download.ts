import type { Writable } from "node:stream";
import type { Request, Response } from "express";
import { ServiceError } from "../platform/errors.js";
import type { AnonymousRequest, RequestContext } from "../request/request-context.js";

/** A file that is generated while it is sent. */
export interface Download {
  contentType: string;
  fileName: (now: Date) => string;
  /** Opens the download by the signed payload of its link, which takes the place of credentials if the request is anonymous. */
  open: (request: AnonymousRequest | RequestContext, signed: string) => Promise<OpenedDownload>;
}

/** A download that may be sent, and for whom. */
export interface OpenedDownload {
  context: RequestContext;
  write: DownloadWriter;
}

/** Writes a file, reports the number of rows from time to time, and returns their total. */
export type DownloadWriter = (target: Writable, onProgress: (rows: number) => void) => Promise<number>;

const maxDownloads = 4;
/** Keeps a single caller from using up all downloads. */
const maxDownloadsPerCaller = 2;
const progressIntervalMs = 5_000;
/** How long a client may read nothing while data is waiting for it. */
const stallTimeoutMs = 60_000;

/** Sends files while they are generated, a limited number at a time. */
export class DownloadSender {
  readonly #stallTimeoutMs: number;
  /** The caller ids of the downloads in progress. */
  readonly #active: string[] = [];

  constructor(options: { stallTimeoutMs: number } = { stallTimeoutMs }) {
    this.#stallTimeoutMs = options.stallTimeoutMs;
  }

  /** Sends the file of a signed link. If the client disconnects, or stops reading, generation ends. */
  async send(opener: AnonymousRequest | RequestContext, download: Download, signed: string, request: Request, response: Response): Promise<void> {
    const { context, write } = await download.open(opener, signed);
    const callerId = context.caller.id;
    this.#assertCapacity(callerId);
    response.set({
      "content-type": download.contentType,
      "content-disposition": `attachment; filename="${download.fileName(context.services.now())}"`,
      "cache-control": "private, no-store",
    });
    if (request.method === "HEAD") {
      response.end();
      return;
    }
    this.#active.push(callerId);
    try {
      await this.#write(context, write, response);
    } finally {
      this.#active.splice(this.#active.indexOf(callerId), 1);
    }
  }

  #assertCapacity(callerId: string): void {
    const ofCaller = this.#active.filter((id) => id === callerId).length;
    if (ofCaller < maxDownloadsPerCaller && this.#active.length < maxDownloads) return;
    throw new ServiceError("UNAVAILABLE", "Too many exports at once; it is safe to retry", { retryAfter: 10 });
  }

  async #write({ origin, services: { log } }: RequestContext, write: DownloadWriter, response: Response): Promise<void> {
    const requestId = origin.id;
    const started = performance.now();
    let lastLogged = started;
    const logProgress = (rows: number) => {
      if (performance.now() - lastLogged < progressIntervalMs) return;
      lastLogged = performance.now();
      log.info({ requestId, rows }, "export in progress");
    };
    // A slow client still reads something from time to time; one that reads nothing would block other downloads forever.
    const disconnectStalled = () => {
      if (response.writableLength > 0) response.destroy();
    };
    response.setTimeout(this.#stallTimeoutMs, disconnectStalled);
    try {
      const rows = await write(response, logProgress);
      log.info({ requestId, rows, milliseconds: Math.round(performance.now() - started) }, "export sent");
    } catch (error) {
      if (!response.closed) throw error;
      log.info({ requestId }, "client disconnected during an export");
    } finally {
      response.setTimeout(0).off("timeout", disconnectStalled);
    }
  }
}
