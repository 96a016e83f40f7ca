import type { Readable } from "node:stream";
import { hasKey } from "../../platform/record.js";

export type ObjectContent = Buffer | Readable;

/** Where to read an object: a file in a directory, or a URL that stays valid for some minutes. */
export type ObjectLocation = { directory: string; file: string } | { url: string };

/** Stores pictures and clips. The gateway chooses the keys: slash-separated names with the extension of their content type. */
export interface ObjectStore {
  /** The value of `Alert.storageClass` for objects in this store. */
  readonly kind: "local" | "s3";
  /** Stores an object under a key, atomically. */
  put(key: string, content: ObjectContent): Promise<void>;
  /** The content of an object; undefined if it is missing. */
  read(key: string): Promise<Readable | undefined>;
  copy(from: string, to: string): Promise<void>;
  /** Deletes objects and remains of interrupted uploads. Ignores missing ones. Returns the keys that it could not. */
  delete(keys: readonly string[]): Promise<string[]>;
  /** Where to read an object, or its metadata with HEAD, whether it exists or not; undefined for an invalid key. */
  locate(key: string, method?: "GET" | "HEAD"): Promise<ObjectLocation | undefined>;
  has(key: string): Promise<boolean>;
  /**
   * The keys of all objects, in no particular order. Objects stored or deleted in the meantime may or may not appear.
   */
  list(): AsyncIterable<string>;
  /** Aborts requests in flight and closes connections. */
  close(): void;
}

/** The content types of stored objects, by the extensions of their keys. */
const contentTypes = {
  jpg: "image/jpeg",
  png: "image/png",
  webp: "image/webp",
  mp4: "video/mp4",
} as const;

export type PictureExtension = Exclude<keyof typeof contentTypes, "mp4">;

const keyShape = new RegExp(
  `^(?:[a-z0-9][a-z0-9_-]*/)*[a-z0-9][a-z0-9_-]*\\.(${Object.keys(contentTypes).join("|")})$`,
);

/** The content type of the object with a key; undefined for an invalid key. */
export function contentTypeOf(key: string): string | undefined {
  const ending = keyShape.exec(key)?.[1];
  return hasKey(contentTypes, ending) ? contentTypes[ending] : undefined;
}

/** Whether a value in the database is the key of an object. Any other is an absolute URL, which is shown as it is. */
export const isStoredKey = (value: string): boolean => !/^https?:\/\//i.test(value);
