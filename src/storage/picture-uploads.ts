import { randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import path from "node:path";
import pLimit from "p-limit";
import type { Prisma, PrismaClient } from "../generated/prisma/client.js";
import { ServiceError } from "../platform/errors.js";
import { ArrivedFile, type Upload } from "../platform/incoming-file.js";
import type { Logger } from "../platform/log.js";
import { receiveFile } from "../platform/receive-file.js";
import { keepObjects, releaseObjects, reserveObjects } from "./object-removal.js";
import type { ObjectStore } from "./object-store.js";
import { type MadePicture, makePicture, type PictureRecipe } from "./picture.js";
import type { TemporaryFiles } from "./temporary-files.js";

/** What uploads need. */
export interface PictureUploadSources {
  prisma: PrismaClient;
  store: ObjectStore;
  temporary: TemporaryFiles;
  log: Logger;
  now: () => Date;
  /** The largest file that is taken. */
  maximumBytes: number;
  /** Says that stored objects were given up. */
  onReleased: () => void;
}

/** A picture in the store. */
export interface StoredPicture extends MadePicture {
  key: string;
}

/** Pictures in the store that are deleted again unless the write that refers to them keeps them. */
export interface StoredPictures<Name extends string> {
  pictures: Record<Name, StoredPicture>;
  keep(transaction: Prisma.TransactionClient): Promise<void>;
}

/** Where pictures are stored, and what is made of an upload; the names of the objects begin with the prefix, where there is one. */
export type PictureTarget<Name extends string> = [folder: string, recipes: Record<Name, PictureRecipe>, prefix?: string];

/** Uploads whose files may lie on the disk. Clients that hang up leave theirs behind until they are done with. */
const uploadsAtOnce = 32;
/** Each picture in the making holds its pixels in memory, so that the rest has to wait. */
const picturesAtOnce = 2;
/** Each picture on its way into a bucket holds a part of itself in memory. */
const transfersAtOnce = 4;

/** Takes pictures that are sent: onto the disk under a limit, decoded a few at a time, into the store, all or nothing. */
export class PictureUploads {
  readonly #sources: PictureUploadSources;
  readonly #turn = pLimit(picturesAtOnce);
  readonly #transfer = pLimit(transfersAtOnce);
  #underWay = 0;

  constructor(sources: PictureUploadSources) {
    this.#sources = sources;
  }

  /**
   * Stores what each recipe makes of an upload below a folder, and runs the write that refers to it. Whatever fails or
   * crashes on the way, nothing is left. UNAVAILABLE when too many are under way.
   */
  async store<Name extends string, Result>(
    upload: Upload,
    target: PictureTarget<Name>,
    write: (stored: StoredPictures<Name>) => Promise<Result>,
  ): Promise<Result> {
    if (this.#underWay >= uploadsAtOnce) throw new ServiceError("UNAVAILABLE", "Too many uploads at once; a retry is safe", { retryAfter: 1 });
    this.#underWay += 1;
    try {
      return await this.#store(upload, target, write);
    } finally {
      this.#underWay -= 1;
    }
  }

  async #store<Name extends string, Result>(
    upload: Upload,
    [folder, recipes, prefix = ""]: PictureTarget<Name>,
    write: (stored: StoredPictures<Name>) => Promise<Result>,
  ): Promise<Result> {
    const { temporary, maximumBytes } = this.#sources;
    const incoming = await upload.arrival();
    return temporary.use(async (directory) => {
      const source = incoming instanceof ArrivedFile ? incoming.file : path.join(directory, "source");
      if (!(incoming instanceof ArrivedFile)) await receiveFile(() => incoming.createReadStream(), source, maximumBytes);
      const made: [name: string, recipe: MadePicture, file: string][] = [];
      for (const [name, recipe] of Object.entries<PictureRecipe>(recipes)) {
        const file = path.join(directory, name);
        made.push([name, await this.#turn(() => makePicture(source, recipe, file)), file]);
      }
      return this.#storeMade(made, `${folder}/${prefix}${randomUUID()}`, write);
    });
  }

  async #storeMade<Name extends string, Result>(
    made: [name: string, picture: MadePicture, file: string][],
    base: string,
    write: (stored: StoredPictures<Name>) => Promise<Result>,
  ): Promise<Result> {
    const { prisma, store, now } = this.#sources;
    const stored = made.map(([name, picture, file]) => ({ name, file, picture: { ...picture, key: `${base}-${name}.${picture.ending}` } }));
    const keys = stored.map(({ picture }) => picture.key);
    await reserveObjects(prisma, keys, now());
    try {
      for (const { picture, file } of stored) await this.#transfer(() => store.put(picture.key, createReadStream(file)));
      const pictures = Object.fromEntries(stored.map(({ name, picture }) => [name, picture])) as Record<Name, StoredPicture>;
      return await write({ pictures, keep: (transaction) => keepObjects(transaction, keys) });
    } catch (error) {
      await this.#release(keys);
      throw error;
    }
  }

  async #release(keys: string[]): Promise<void> {
    const { prisma, now, log, onReleased } = this.#sources;
    try {
      await releaseObjects(prisma, keys, now());
      onReleased();
    } catch (error) {
      log.warn({ err: error }, "stored pictures could not be given up at once and are deleted in some minutes");
    }
  }
}
