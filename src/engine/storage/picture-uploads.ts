import { randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import pLimit from "p-limit";
import { UnsafeRetryError } from "../../platform/errors/errors.js";
import { ReceivedFile, type Upload } from "../../platform/files/incoming-file.js";
import { receiveFile } from "../../platform/files/receive-file.js";
import { FairQueue, type FairQueueLimits } from "../../platform/queues/fair-queue.js";
import { countedClient, countedTransact } from "../../platform/telemetry/counted-client.js";
import type { Logger } from "../../platform/telemetry/log.js";
import type { Database } from "../database/client.js";
import type { Transact, Transaction } from "../database/transaction.js";
import { keepObjects, releaseObjects, reserveObjects, type WorkspaceObjects } from "./object-removal.js";
import type { ObjectStore } from "./object-store.js";
import type { ConvertedPicture, PictureConversion } from "./picture.js";
import type { ConvertedFile, PictureConversions } from "./picture-conversions.js";
import type { TemporaryFiles } from "./temporary-files.js";
import type { Uploader } from "./uploader.js";

interface PictureUploadDependencies {
  database: Pick<Database, "prisma" | "transact">;
  store: ObjectStore;
  temporary: TemporaryFiles;
  conversions: PictureConversions;
  log: Logger;
  now: () => Date;
  /** The maximum size of a file, in bytes. */
  maxBytes: number;
  /** Called after stored objects were scheduled for deletion. */
  onReleased: () => void;
}

export interface StoredPicture extends ConvertedPicture {
  key: string;
}

/** Pictures in the store. They are deleted again unless the write that refers to them calls `keep`. */
interface StoredPictures<Name extends string> {
  pictures: Record<Name, StoredPicture>;
  keep(transaction: Transaction): Promise<void>;
}

/** The folder in the store, the conversions of an upload, and an optional prefix of the object names. */
export type PictureTarget<Name extends string> = [
  folder: string,
  conversions: Record<Name, PictureConversion>,
  prefix?: string,
];

/**
 * Covers uploads in transfer and files on disk. After a client disconnects, its files stay until their processing ends.
 */
const uploadLimits: FairQueueLimits = {
  what: "uploads",
  slots: { total: 32, perWorkspace: 16, perCaller: 8 },
  waiting: { total: 96, perWorkspace: 48, perCaller: 24 },
  maxWaitMs: 10_000,
};
/** The pictures in transfer at once. Each transfer to a bucket holds a part of its picture in memory. */
const maxTransfers = 4;

/** Receives pictures on disk, converts a few at a time, and stores either all results or none. */
export class PictureUploads {
  readonly #dependencies: PictureUploadDependencies;
  readonly #transfers = pLimit(maxTransfers);
  /** The slots for uploads. Callers of {@link store} hold one from the first byte that they read of a file. */
  readonly slots = new FairQueue(uploadLimits);

  constructor(dependencies: PictureUploadDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Stores the result of each conversion in a folder, and runs the write that refers to the results. If a step fails,
   * or the process crashes, nothing remains.
   */
  async store<Name extends string, Result>(
    uploader: Uploader,
    upload: Upload,
    target: PictureTarget<Name>,
    write: (stored: StoredPictures<Name>) => Promise<Result>,
  ): Promise<Result> {
    const { temporary, maxBytes } = this.#dependencies;
    const incoming = await upload.open();
    return temporary.withDirectory(async (directory) => {
      const source = incoming instanceof ReceivedFile ? incoming.path : path.join(directory, "source");
      if (!(incoming instanceof ReceivedFile))
        await receiveFile(() => incoming.createReadStream(), source, maxBytes);
      await uploader.keyedRequest?.addFile(source);
      return this.#storeFile(uploader, source, directory, target, write);
    });
  }

  /** Stores a picture that the gateway took itself, like an upload. */
  storeTaken<Name extends string, Result>(
    uploader: Uploader,
    picture: Buffer,
    target: PictureTarget<Name>,
    write: (stored: StoredPictures<Name>) => Promise<Result>,
  ): Promise<Result> {
    return this.#dependencies.temporary.withDirectory(async (directory) => {
      const source = path.join(directory, "source");
      await writeFile(source, picture);
      return this.#storeFile(uploader, source, directory, target, write);
    });
  }

  async #storeFile<Name extends string, Result>(
    uploader: Uploader,
    source: string,
    directory: string,
    [folder, pictures, prefix = ""]: PictureTarget<Name>,
    write: (stored: StoredPictures<Name>) => Promise<Result>,
  ): Promise<Result> {
    const converted = await this.#dependencies.conversions.convert(uploader, source, pictures, directory);
    return this.#storeConverted(
      uploader,
      converted,
      { workspaceId: uploader.caller.workspaceId, base: `${folder}/${prefix}${randomUUID()}` },
      write,
    );
  }

  async #storeConverted<Name extends string, Result>(
    { origin }: Uploader,
    converted: readonly ConvertedFile[],
    { workspaceId, base }: { workspaceId: string; base: string },
    write: (stored: StoredPictures<Name>) => Promise<Result>,
  ): Promise<Result> {
    const { database, store, now } = this.#dependencies;
    const prisma = countedClient(database.prisma, origin.logEntry);
    const stored = converted.map(({ name, file, ...picture }) => ({
      name,
      file,
      picture: { ...picture, key: `${base}-${name}.${picture.extension}` },
    }));
    const objects: WorkspaceObjects = { workspaceId, keys: stored.map(({ picture }) => picture.key) };
    await reserveObjects(prisma, objects, now());
    try {
      for (const { picture, file } of stored)
        await this.#transfers(() => store.put(picture.key, createReadStream(file)));
      const pictures = Object.fromEntries(stored.map(({ name, picture }) => [name, picture])) as Record<
        Name,
        StoredPicture
      >;
      return await write({ pictures, keep: (transaction) => keepObjects(transaction, objects) });
    } catch (error) {
      // Keep objects that a commit may refer to. If nothing was committed, their reservation expires.
      if (!(error instanceof UnsafeRetryError))
        await this.#release(countedTransact(database.transact, origin.logEntry), objects);
      throw error;
    }
  }

  async #release(transact: Transact, objects: WorkspaceObjects): Promise<void> {
    const { now, log, onReleased } = this.#dependencies;
    try {
      await releaseObjects(transact, objects, now());
      onReleased();
    } catch (error) {
      log.warn(
        { err: error },
        "stored pictures could not be released, and will be deleted when their reservation expires",
      );
    }
  }
}
