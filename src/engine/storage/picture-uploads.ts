import { randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import pLimit from "p-limit";
import { isConnectionLost } from "../../platform/errors/database-errors.js";
import { UnsafeRetryError } from "../../platform/errors/errors.js";
import { ReceivedFile, type Upload } from "../../platform/files/incoming-file.js";
import { receiveFile } from "../../platform/files/receive-file.js";
import type { RewrittenMp4 } from "../../platform/media/rewrite-mp4.js";
import { FairQueue, type FairQueueLimits } from "../../platform/queues/fair-queue.js";
import { countedClient, countedTransact } from "../../platform/telemetry/counted-client.js";
import type { Logger } from "../../platform/telemetry/log.js";
import type { Database } from "../database/client.js";
import type { Transact, Transaction } from "../database/transaction.js";
import { keepObjects, releaseObjects, reserveObjects, type WorkspaceObjects } from "./object-removal.js";
import type { ObjectStore } from "./object-store.js";
import type { ConvertedPicture, PictureConversion } from "./picture.js";
import type { PictureConversions } from "./picture-conversions.js";
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
  maxClipBytes: number;
  /** Called after stored objects were scheduled for deletion. */
  onReleased: () => void;
}

export interface StoredPicture extends ConvertedPicture {
  key: string;
}

/** Objects in the store. They are deleted again unless the write that refers to them calls `keep`. */
interface StoredObjects {
  keep(transaction: Transaction): Promise<void>;
}

interface StoredPictures<Name extends string> extends StoredObjects {
  pictures: Record<Name, StoredPicture>;
}

interface StoredClip extends StoredObjects {
  key: string;
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
    return this.#withReceived(uploader, upload, this.#dependencies.maxBytes, (source, directory) =>
      this.#storeFile(uploader, source, directory, target, write),
    );
  }

  /** Stores the video of an MP4 that somebody sends, in the same way, with a prefix of the object's name. */
  storeSentClip<Result>(
    uploader: Uploader,
    upload: Upload,
    prefix: string,
    write: (stored: StoredClip, clip: RewrittenMp4) => Promise<Result>,
  ): Promise<Result> {
    const { maxClipBytes, conversions } = this.#dependencies;
    return this.#withReceived(uploader, upload, maxClipBytes, async (source, directory) => {
      const file = path.join(directory, "clip");
      const clip = await conversions.rewriteClip(uploader, source, file);
      return this.storeClip(uploader, file, (stored) => write(stored, clip), prefix);
    });
  }

  /** Calls `work` with a file that is received, and a directory for what is made of it. */
  async #withReceived<Result>(
    uploader: Uploader,
    upload: Upload,
    maxBytes: number,
    work: (source: string, directory: string) => Promise<Result>,
  ): Promise<Result> {
    const incoming = await upload.open();
    return this.#dependencies.temporary.withDirectory(async (directory) => {
      const source = incoming instanceof ReceivedFile ? incoming.path : path.join(directory, "source");
      if (!(incoming instanceof ReceivedFile))
        await receiveFile(() => incoming.createReadStream(), source, maxBytes);
      await uploader.keyedRequest?.addFile(source);
      return work(source, directory);
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

  /** Stores a clip that is on disk as it is, like an upload. */
  storeClip<Result>(
    { caller: { workspaceId }, origin }: Uploader,
    file: string,
    write: (stored: StoredClip) => Promise<Result>,
    prefix = "",
  ): Promise<Result> {
    const key = `clips/${prefix}${randomUUID()}.mp4`;
    return this.#storeFiles(origin, workspaceId, [{ key, file }], (stored) => write({ ...stored, key }));
  }

  async #storeFile<Name extends string, Result>(
    uploader: Uploader,
    source: string,
    directory: string,
    [folder, pictures, prefix = ""]: PictureTarget<Name>,
    write: (stored: StoredPictures<Name>) => Promise<Result>,
  ): Promise<Result> {
    const { caller, origin } = uploader;
    const converted = await this.#dependencies.conversions.convert(uploader, source, pictures, directory);
    const base = `${folder}/${prefix}${randomUUID()}`;
    const files = converted.map((each) => ({ ...each, key: `${base}-${each.name}.${each.extension}` }));
    const stored = Object.fromEntries(
      files.map(({ name, file: _, ...picture }) => [name, picture]),
    ) as Record<Name, StoredPicture>;
    return this.#storeFiles(origin, caller.workspaceId, files, ({ keep }) =>
      write({ pictures: stored, keep }),
    );
  }

  async #storeFiles<Result>(
    origin: Uploader["origin"],
    workspaceId: string,
    files: readonly { key: string; file: string }[],
    write: (stored: StoredObjects) => Promise<Result>,
  ): Promise<Result> {
    const { database, store, now } = this.#dependencies;
    const prisma = countedClient(database.prisma, origin.logEntry);
    const objects: WorkspaceObjects = { workspaceId, keys: files.map(({ key }) => key) };
    await reserveObjects(prisma, objects, now());
    let isStored = false;
    try {
      for (const { key, file } of files) await this.#transfers(() => store.put(key, createReadStream(file)));
      isStored = true;
      return await write({ keep: (transaction) => keepObjects(transaction, objects) });
    } catch (error) {
      // Keep objects that a commit may refer to. If nothing was committed, their reservation expires.
      if (!(isStored && (error instanceof UnsafeRetryError || isConnectionLost(error))))
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
        "stored objects could not be released, and will be deleted when their reservation expires",
      );
    }
  }
}
