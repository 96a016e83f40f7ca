import { createWriteStream } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { buffer } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import type { Prisma, PrismaClient } from "../generated/prisma/client.js";
import { ServiceError } from "../platform/errors.js";
import { FairQueue, type FairQueueLimits } from "../platform/queues/fair-queue.js";
import { SharedWork } from "../platform/queues/shared-work.js";
import { countedClient, type StatementCount } from "../platform/telemetry/counted-client.js";
import type { Logger } from "../platform/telemetry/log.js";
import { type CachedObject, keepCachedObject, reserveCachedObject } from "./cached-objects.js";
import type { ObjectStore } from "./object-store.js";
import type { PictureDrawing } from "./picture.js";
import type { ConversionClient, PictureConversions } from "./picture-conversions.js";
import type { TemporaryFiles } from "./temporary-files.js";

/** What {@link DerivedPictures} depends on. */
export interface DerivedPictureDependencies {
  prisma: PrismaClient;
  store: ObjectStore;
  temporary: TemporaryFiles;
  conversions: PictureConversions;
  log: Logger;
  now: () => Date;
  /** Called when the deletion of stored objects was scheduled. */
  onScheduled: () => void;
}

/**
 * For whom a picture is derived: whose share the work takes, how long it is waited for,
 * and where its statements are counted.
 */
export interface DerivationClient extends ConversionClient {
  readonly origin: ConversionClient["origin"] & { readonly logEntry: StatementCount };
}

/** How to derive a picture from a stored one. */
export interface Derivation {
  /** The key of the stored picture. */
  source: string;
  drawing: PictureDrawing;
  /** Locks what the picture belongs to; false if that is gone. */
  isWanted(transaction: Prisma.TransactionClient): Promise<boolean>;
}

/** A derived picture: its content, or that it is in the store. */
export type DerivedPicture = Buffer | "in the store";

/** Pictures of which the stored one is read, drawn on, or stored again. */
const limits: FairQueueLimits = {
  what: "drawings",
  places: { total: 4, perWorkspace: 3, perCaller: 3 },
  waiting: { total: 96, perWorkspace: 48, perCaller: 48 },
  maxWaitMs: 10_000,
};

/** Others have asked for too many, not necessarily who asks now. */
function withoutBlame(error: unknown): never {
  if (!(error instanceof ServiceError) || error.code !== "RATE_LIMITED") throw error;
  throw new ServiceError("UNAVAILABLE", "Too many pictures are being drawn; it is safe to retry", {
    retryAfter: limits.maxWaitMs / 1000,
  });
}

/**
 * Derives pictures from stored ones when they are asked for, each once for all who ask,
 * and keeps them in the store for a while.
 */
export class DerivedPictures {
  readonly #dependencies: DerivedPictureDependencies;
  readonly #places = new FairQueue(limits);
  readonly #shared = new SharedWork<DerivedPicture | undefined>();

  constructor(dependencies: DerivedPictureDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Returns what `find` returns for the picture with a key, or derives it as that says;
   * undefined if there is nothing to derive it from. UNAVAILABLE if too many are wanted
   * at once.
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
        return this.#places
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

  #derive(
    client: DerivationClient,
    object: CachedObject,
    { source, drawing, isWanted }: Derivation,
  ): Promise<Buffer | undefined> {
    const { store, temporary, conversions } = this.#dependencies;
    return temporary.withDirectory(async (directory) => {
      const content = await store.read(source);
      if (!content) return undefined;
      const copy = path.join(directory, "source");
      await pipeline(content, createWriteStream(copy));
      const picture = await readFile(await conversions.draw(client, copy, drawing, directory));
      await this.#keep(client, object, picture, isWanted);
      return picture;
    });
  }

  /** Keeps a picture if that is possible: otherwise it is derived again. */
  async #keep(
    { origin }: DerivationClient,
    object: CachedObject,
    picture: Buffer,
    isWanted: Derivation["isWanted"],
  ): Promise<void> {
    const { store, now, log, onScheduled } = this.#dependencies;
    const prisma = countedClient(this.#dependencies.prisma, origin.logEntry);
    try {
      if (!(await reserveCachedObject(prisma, object, now()))) return;
      await store.put(object.key, picture);
      await keepCachedObject(prisma, object, now(), isWanted);
    } catch (error) {
      log.warn({ err: error }, "a derived picture could not be kept");
    }
    onScheduled();
  }
}
