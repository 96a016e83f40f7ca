import { randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import path from "node:path";
import pLimit from "p-limit";
import type { Prisma, PrismaClient } from "../generated/prisma/client.js";
import { ServiceError } from "../platform/errors.js";
import { ReceivedFile, type Upload } from "../platform/incoming-file.js";
import type { Logger } from "../platform/log.js";
import { receiveFile } from "../platform/receive-file.js";
import { keepObjects, releaseObjects, reserveObjects } from "./object-removal.js";
import type { ObjectStore } from "./object-store.js";
import { type ConvertedPicture, convertPicture, type PictureConversion } from "./picture.js";
import type { TemporaryFiles } from "./temporary-files.js";

/** What {@link PictureUploads} depends on. */
export interface PictureUploadDependencies {
  prisma: PrismaClient;
  store: ObjectStore;
  temporary: TemporaryFiles;
  log: Logger;
  now: () => Date;
  /** The maximum size of a file. */
  maxBytes: number;
  /** Called when stored objects were scheduled for deletion. */
  onReleased: () => void;
}

/** A picture in the store. */
export interface StoredPicture extends ConvertedPicture {
  key: string;
}

/** Pictures in the store, which are deleted again unless the write that refers to them calls `keep`. */
export interface StoredPictures<Name extends string> {
  pictures: Record<Name, StoredPicture>;
  keep(transaction: Prisma.TransactionClient): Promise<void>;
}

/** The folder in the store, what an upload is converted to, and an optional prefix of the object names. */
export type PictureTarget<Name extends string> = [folder: string, conversions: Record<Name, PictureConversion>, prefix?: string];

/** Uploads with files on disk at a time. The file of a client that disconnects stays until its processing ends. */
const maxUploads = 32;
/** Each conversion holds the pixels of a picture in memory. */
const maxConversions = 2;
/** Each transfer to a bucket holds a part of the picture in memory. */
const maxTransfers = 4;

/** Receives pictures on disk, converts a few at a time, and stores the results, all of them or none. */
export class PictureUploads {
  readonly #dependencies: PictureUploadDependencies;
  readonly #conversions = pLimit(maxConversions);
  readonly #transfers = pLimit(maxTransfers);
  #active = 0;

  constructor(dependencies: PictureUploadDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Stores the result of each conversion in a folder, and runs the write that refers to the results. If anything fails, or
   * the process crashes, nothing is left behind. UNAVAILABLE if there are too many uploads at once.
   */
  async store<Name extends string, Result>(
    upload: Upload,
    target: PictureTarget<Name>,
    write: (stored: StoredPictures<Name>) => Promise<Result>,
  ): Promise<Result> {
    if (this.#active >= maxUploads) throw new ServiceError("UNAVAILABLE", "Too many uploads at once; it is safe to retry", { retryAfter: 1 });
    this.#active += 1;
    try {
      return await this.#store(upload, target, write);
    } finally {
      this.#active -= 1;
    }
  }

  async #store<Name extends string, Result>(
    upload: Upload,
    [folder, conversions, prefix = ""]: PictureTarget<Name>,
    write: (stored: StoredPictures<Name>) => Promise<Result>,
  ): Promise<Result> {
    const { temporary, maxBytes } = this.#dependencies;
    const incoming = await upload.open();
    return temporary.withDirectory(async (directory) => {
      const source = incoming instanceof ReceivedFile ? incoming.path : path.join(directory, "source");
      if (!(incoming instanceof ReceivedFile)) await receiveFile(() => incoming.createReadStream(), source, maxBytes);
      const converted: [name: string, picture: ConvertedPicture, file: string][] = [];
      for (const [name, conversion] of Object.entries<PictureConversion>(conversions)) {
        const file = path.join(directory, name);
        converted.push([name, await this.#conversions(() => convertPicture(source, conversion, file)), file]);
      }
      return this.#storeConverted(converted, `${folder}/${prefix}${randomUUID()}`, write);
    });
  }

  async #storeConverted<Name extends string, Result>(
    converted: [name: string, picture: ConvertedPicture, file: string][],
    base: string,
    write: (stored: StoredPictures<Name>) => Promise<Result>,
  ): Promise<Result> {
    const { prisma, store, now } = this.#dependencies;
    const stored = converted.map(([name, picture, file]) => ({ name, file, picture: { ...picture, key: `${base}-${name}.${picture.extension}` } }));
    const keys = stored.map(({ picture }) => picture.key);
    await reserveObjects(prisma, keys, now());
    try {
      for (const { picture, file } of stored) await this.#transfers(() => store.put(picture.key, createReadStream(file)));
      const pictures = Object.fromEntries(stored.map(({ name, picture }) => [name, picture])) as Record<Name, StoredPicture>;
      return await write({ pictures, keep: (transaction) => keepObjects(transaction, keys) });
    } catch (error) {
      await this.#release(keys);
      throw error;
    }
  }

  async #release(keys: string[]): Promise<void> {
    const { prisma, now, log, onReleased } = this.#dependencies;
    try {
      await releaseObjects(prisma, keys, now());
      onReleased();
    } catch (error) {
      log.warn({ err: error }, "stored pictures could not be released, and will be deleted when their reservation expires");
    }
  }
}
