import type { Readable } from "node:stream";

/** The content of an object. */
export type ObjectContent = Buffer | Readable;

/**
 * Where an object can be read: a file by its path below a directory, or a URL that is
 * valid for some minutes.
 */
export type ObjectLocation = { directory: string; file: string } | { url: string };

/**
 * Stores pictures. Keys are chosen by the gateway: slash-separated names with the
 * extension of their content type.
 */
export interface ObjectStore {
  /** The value of `Alert.storageClass` for objects in this store. */
  readonly kind: "local" | "s3";
  /** Stores an object under a key, atomically. */
  put(key: string, content: ObjectContent): Promise<void>;
  /** The content of an object; undefined if it is missing. */
  read(key: string): Promise<Readable | undefined>;
  /** Copies an object to a second key. */
  copy(from: string, to: string): Promise<void>;
  /**
   * Deletes objects, and what is left of interrupted uploads of them; returns the keys
   * that could not be deleted. Missing objects are ignored.
   */
  delete(keys: readonly string[]): Promise<string[]>;
  /**
   * Where an object, or with HEAD its metadata, can be read, whether it exists or not;
   * undefined for an invalid key.
   */
  locate(key: string, method?: "GET" | "HEAD"): Promise<ObjectLocation | undefined>;
  /** Whether there is an object with a key. */
  has(key: string): Promise<boolean>;
  /**
   * The keys of all objects, in no particular order. Whatever is stored or deleted
   * meanwhile may be among them or not.
   */
  list(): AsyncIterable<string>;
  /** Aborts requests in flight and closes connections. */
  close(): void;
}

/** The content types of stored objects, by the extensions of their keys. */
const contentTypes = { jpg: "image/jpeg", png: "image/png", webp: "image/webp" } as const;

/** The extensions that a key may have. */
export type PictureExtension = keyof typeof contentTypes;

const keyShape = new RegExp(
  `^(?:[a-z0-9][a-z0-9_-]*/)*[a-z0-9][a-z0-9_-]*\\.(${Object.keys(contentTypes).join("|")})$`,
);

/** The content type of the object with a key; undefined for an invalid key. */
export function contentTypeOf(key: string): string | undefined {
  const ending = keyShape.exec(key)?.[1];
  return ending && contentTypes[ending as PictureExtension];
}

/**
 * Whether a value in the database is the key of an object: otherwise it is an absolute
 * URL, which is shown as it is.
 */
export const isStoredKey = (value: string): boolean => !/^https?:\/\//i.test(value);
