import type { Writable } from "node:stream";
import type { Request, Response } from "express";
import { defined } from "../../platform/defined.js";
import { FairQueue, type FairQueueLimits } from "../../platform/queues/fair-queue.js";
import type { GatewayRequest, RequestContext } from "../operation/request-context.js";
import { type LeastRate, MinimumRate, readingOf } from "./minimum-rate.js";
import { assertPreconditions } from "./preconditions.js";

/** A file that is generated while the client downloads it. */
export interface Download {
  /** The content type for requests with credentials, for the documentation. */
  contentType: string;
  /** Opens the download by the signed payload of its link, which for an anonymous request replaces credentials. */
  open: (request: GatewayRequest, signed: string) => Promise<OpenedDownload>;
}

interface OpenedDownload {
  context: RequestContext;
  contentType: string;
  fileName: (now: Date) => string;
  write: DownloadWriter;
}

/** Writes a file, reports the number of rows so far from time to time, and returns the total. */
export type DownloadWriter = (target: Writable, onProgress: (rows: number) => void) => Promise<number>;

export interface DownloadLimits {
  queue: FairQueueLimits;
  /** The lowest average rate at which a client must read waiting data. */
  leastRate: LeastRate;
  maxDurationMs: number;
}

const downloadLimits: DownloadLimits = {
  queue: {
    what: "exports",
    slots: { total: 4, perWorkspace: 3, perCaller: 2 },
    waiting: { total: 32, perWorkspace: 16, perCaller: 8 },
    maxWaitMs: 10_000,
  },
  leastRate: { bytesPerSecond: 16 * 1024, windowMs: 30_000 },
  maxDurationMs: 10 * 60_000,
};
const progressIntervalMs = 5_000;

/** Sends files while they are generated. A limited number run at a time, shared fairly between callers. */
export class DownloadSender {
  readonly #limits: DownloadLimits;
  readonly #slots: FairQueue;

  constructor(limits: Partial<DownloadLimits> = {}) {
    this.#limits = { ...downloadLimits, ...limits };
    this.#slots = new FairQueue(this.#limits.queue);
  }

  /** Sends the file of a signed link. Ends if the client disconnects, reads too slowly or takes too long. */
  async send(
    opener: GatewayRequest,
    download: Download,
    signed: string,
    request: Request,
    response: Response,
  ): Promise<void> {
    const { context, contentType, fileName, write } = await download.open(opener, signed);
    // The file has no tag, because each request generates it anew.
    assertPreconditions(request.headers, response);
    const sendFile = async () => {
      response.set({
        "content-type": contentType,
        "content-disposition": `attachment; filename="${fileName(context.services.now())}"`,
        "cache-control": "private, no-store",
      });
      if (request.method === "HEAD") response.end();
      else await this.#write(context, write, response);
    };
    await this.#slots.run(context.caller, sendFile, context.origin);
  }

  async #write(
    { origin, services: { log } }: RequestContext,
    write: DownloadWriter,
    response: Response,
  ): Promise<void> {
    const requestId = origin.id;
    const started = performance.now();
    let lastLogged = started;
    const logProgress = (rows: number) => {
      if (performance.now() - lastLogged < progressIntervalMs) return;
      lastLogged = performance.now();
      log.info({ requestId, rows }, "export in progress");
    };
    let outcome = "client disconnected during an export";
    const disconnect = (reason: string) => {
      outcome = reason;
      response.destroy();
    };
    const { leastRate, maxDurationMs } = this.#limits;
    const rate = new MinimumRate(
      readingOf(defined(response.socket)),
      () => disconnect("client read an export too slowly"),
      leastRate,
    );
    const deadline = setTimeout(() => disconnect("an export took too long"), maxDurationMs);
    try {
      const rows = await write(response, logProgress);
      log.info({ requestId, rows, milliseconds: Math.round(performance.now() - started) }, "export sent");
    } catch (error) {
      if (!response.closed) throw error;
      log.info({ requestId }, outcome);
    } finally {
      rate.stop();
      clearTimeout(deadline);
    }
  }
}
