import type { Writable } from "node:stream";
import type { Request, Response } from "express";
import type { RequestContext } from "../access/request-context.js";
import { ServiceError } from "../platform/errors.js";

/** A file that is made while it is sent. */
export interface Download {
  contentType: string;
  fileName: (now: Date) => string;
  /** Lets in who opens it by a ticket, and answers what writes the file. */
  open: (context: RequestContext, ticket: string) => Promise<DownloadWriter>;
}

/** Writes a file, says now and then how many rows it has so far, and answers how many it has in the end. */
export type DownloadWriter = (target: Writable, onProgress: (rows: number) => void) => Promise<number>;

const downloadsAtOnce = 4;
/** Of one caller, so that nobody alone keeps the others waiting. */
const downloadsOfOne = 2;
/** Milliseconds between two words of progress in the log. */
const progressEvery = 5_000;
/** Milliseconds for which a client may take nothing of what waits for it. */
const patience = 60_000;

/** Sends files as they are made, a bounded number at once. */
export class Downloads {
  readonly #patience: number;
  /** By the ids of their callers. */
  readonly #underWay: string[] = [];

  constructor(options: { patience: number } = { patience }) {
    this.#patience = options.patience;
  }

  /** Sends a file to whoever opens it by a ticket. A client that goes away, or stops reading, ends the making. */
  async send(context: RequestContext, download: Download, ticket: string, request: Request, response: Response): Promise<void> {
    const write = await download.open(context, ticket);
    const callerId = context.caller.id;
    this.#assertRoom(callerId);
    response.set({
      "content-type": download.contentType,
      "content-disposition": `attachment; filename="${download.fileName(context.services.now())}"`,
      "cache-control": "private, no-store",
    });
    if (request.method === "HEAD") {
      response.end();
      return;
    }
    this.#underWay.push(callerId);
    try {
      await this.#write(context, write, response);
    } finally {
      this.#underWay.splice(this.#underWay.indexOf(callerId), 1);
    }
  }

  #assertRoom(callerId: string): void {
    const ofCaller = this.#underWay.filter((id) => id === callerId).length;
    if (ofCaller < downloadsOfOne && this.#underWay.length < downloadsAtOnce) return;
    throw new ServiceError("UNAVAILABLE", "Too many exports at once; a retry is safe", { retryAfter: 10 });
  }

  async #write({ origin, services: { log } }: RequestContext, write: DownloadWriter, response: Response): Promise<void> {
    const requestId = origin.id;
    const started = performance.now();
    let told = started;
    const tell = (rows: number) => {
      if (performance.now() - told < progressEvery) return;
      told = performance.now();
      log.info({ requestId, rows }, "an export is under way");
    };
    // A slow client takes a little now and then; one that takes nothing would keep the place of others for ever.
    const hangUp = () => {
      if (response.writableLength > 0) response.destroy();
    };
    response.setTimeout(this.#patience, hangUp);
    try {
      const rows = await write(response, tell);
      log.info({ requestId, rows, milliseconds: Math.round(performance.now() - started) }, "an export was sent");
    } catch (error) {
      if (!response.closed) throw error;
      log.info({ requestId }, "the client went away during an export");
    } finally {
      response.setTimeout(0).off("timeout", hangUp);
    }
  }
}
