import { createWriteStream } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { buffer } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { ServiceError } from "../../platform/errors/errors.js";
import { FairQueue, type FairQueueLimits } from "../../platform/queues/fair-queue.js";
import { SharedWork } from "../../platform/queues/shared-work.js";
import {
  countedClient,
  countedTransact,
  type StatementCount,
} from "../../platform/telemetry/counted-client.js";
import type { Logger } from "../../platform/telemetry/log.js";
import type { Database } from "../database/client.js";
import type { Transaction } from "../database/transaction.js";
import { type CachedObject, keepCachedObject, reserveCachedObject } from "./cached-objects.js";
import type { ObjectStore } from "./object-store.js";
import type { PictureDrawing } from "./picture.js";
import type { ConversionClient, PictureConversions } from "./picture-conversions.js";
import type { TemporaryFiles } from "./temporary-files.js";

interface DerivedPictureDependencies {
  database: Pick<Database, "prisma" | "transact">;
  store: ObjectStore;
  temporary: TemporaryFiles;
  conversions: PictureConversions;
  log: Logger;
  now: () => Date;
  /** Called after the deletion of stored objects was scheduled. */
  onScheduled: () => void;
}

/** Who wants a derived picture: whose share the work takes, the cancellation of the wait, and the statement counter. */
export interface DerivationClient extends ConversionClient {
  readonly origin: ConversionClient["origin"] & { readonly logEntry: StatementCount };
}

/** The way to a picture that the store does not have: writes it to a file. */
interface RemoteSource {
  fetch: (file: string, signal: AbortSignal | undefined) => Promise<void>;
}

/** How to derive a picture from another one. */
export interface Derivation {
  /** The key of the stored picture, or the way to one that is elsewhere. */
  source: string | RemoteSource;
  drawing: PictureDrawing;
  /** Locks the row that the picture belongs to. Returns false if the row is gone. */
  isWanted(transaction: Transaction): Promise<boolean>;
}

/** The content of a derived picture, or the fact that the store has it. */
export type DerivedPicture = Buffer | "in the store";

/** Covers pictures from the reading of the other one, through the drawing, until they are stored. */
const limits: FairQueueLimits = {
  what: "drawings",
  slots: { total: 4, perWorkspace: 3, perCaller: 3 },
  waiting: { total: 96, perWorkspace: 48, perCaller: 48 },
  maxWaitMs: 10_000,
};

/** Blame nobody: others have asked for too many, not necessarily this caller. */
function withoutBlame(error: unknown): never {
  if (!(error instanceof ServiceError) || error.code !== "RATE_LIMITED") throw error;
  throw new ServiceError("UNAVAILABLE", "Too many pictures are being drawn; it is safe to retry", {
    retryAfter: limits.maxWaitMs / 1000,
  });
}

/**
 * Derives pictures from others on demand, each once for all callers that wait, and keeps them in the store for a while.
 */
export class DerivedPictures {
  readonly #dependencies: DerivedPictureDependencies;
  readonly #slots = new FairQueue(limits);
  readonly #shared = new SharedWork<DerivedPicture | undefined>();

  constructor(dependencies: DerivedPictureDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Returns the result of `find` for the picture with a key, or derives the picture as `find` describes. Undefined if
   * there is no source. UNAVAILABLE if callers want too many at once.
   */
  get(
    client: DerivationClient,
    object: CachedObject,
    find: (client: DerivationClient) => Promise<Derivation | "in the store" | undefined>,
  ): Promise<DerivedPicture | undefined> {
    return this.#shared.run(
      object.key,
      async (signal) => {
        const ofAll = { ...client, origin: { logEntry: client.origin.logEntry, signal } };
        const found = await find(ofAll);
        if (typeof found !== "object") return found;
        return this.#slots
          .run(client.caller, () => this.#derive(ofAll, object, found), { signal })
          .catch(withoutBlame);
      },
      client.origin,
    );
  }

  /** The content of a picture in the store; undefined if it is missing. */
  async read(key: string): Promise<Buffer | undefined> {
    const content = await this.#dependencies.store.read(key);
    return content && buffer(content);
  }

  /** Draws on a picture without keeping the result; undefined if there is no source. */
  drawn(
    client: DerivationClient,
    source: string | Buffer,
    drawing: PictureDrawing,
  ): Promise<Buffer | undefined> {
    const { store, temporary, conversions } = this.#dependencies;
    const draw = () =>
      temporary.withDirectory(async (directory) => {
        const content = typeof source === "string" ? await store.read(source) : source;
        if (!content) return undefined;
        const copy = path.join(directory, "source");
        await writeFile(copy, content);
        return readFile(await conversions.draw(client, copy, drawing, directory));
      });
    return this.#slots.run(client.caller, draw, client.origin).catch(withoutBlame);
  }

  #derive(
    client: DerivationClient,
    object: CachedObject,
    { source, drawing, isWanted }: Derivation,
  ): Promise<Buffer | undefined> {
    const { store, temporary, conversions } = this.#dependencies;
    return temporary.withDirectory(async (directory) => {
      const copy = path.join(directory, "source");
      if (typeof source === "string") {
        const content = await store.read(source);
        if (!content) return undefined;
        await pipeline(content, createWriteStream(copy));
      } else await source.fetch(copy, client.origin.signal);
      const picture = await readFile(await conversions.draw(client, copy, drawing, directory));
      await this.#keep(client, object, picture, isWanted);
      return picture;
    });
  }

  /** Keeps a picture if possible. Otherwise the next caller derives it again. */
  async #keep(
    { origin }: DerivationClient,
    object: CachedObject,
    picture: Buffer,
    isWanted: Derivation["isWanted"],
  ): Promise<void> {
    const { database, store, now, log, onScheduled } = this.#dependencies;
    const prisma = countedClient(database.prisma, origin.logEntry);
    const transact = countedTransact(database.transact, origin.logEntry);
    try {
      if (!(await reserveCachedObject(prisma, object, now()))) return;
      await store.put(object.key, picture);
      await keepCachedObject(transact, object, now(), isWanted);
    } catch (error) {
      log.warn({ err: error }, "a derived picture could not be kept");
    }
    onScheduled();
  }
}
