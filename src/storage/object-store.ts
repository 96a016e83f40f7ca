import type { Readable } from "node:stream";

/** What an object's content is given as. */
export type ObjectContent = Buffer | Readable;

/** Where an object can be read: a file on this machine, or an address that is good for some minutes. */
export type ObjectLocation = { file: string } | { url: string };

/** Where pictures are kept. Keys are chosen by the gateway: slash-separated names with the ending of their content. */
export interface ObjectStore {
  /** What `Alert.storageClass` says of objects in here. */
  readonly kind: "local" | "s3";
  /** Stores an object under a key; it appears whole or not at all. */
  put(key: string, content: ObjectContent): Promise<void>;
  /** Makes an object available under a second key, independent of the first one from then on. */
  copy(from: string, to: string): Promise<void>;
  /** Deletes objects, and what a crash left of storing them; answers those that are refused. One that is not there is no fault. */
  delete(keys: readonly string[]): Promise<string[]>;
  /** Where an object, or with HEAD what is said of it, is read, whether it is there or not; nothing for what cannot be a key. */
  locate(key: string, method?: "GET" | "HEAD"): Promise<ObjectLocation | undefined>;
  /** Breaks off what is under way and gives connections back. */
  close(): void;
}

/** The content types of what is stored, by the endings of keys. */
const contentTypes = { jpg: "image/jpeg", png: "image/png", webp: "image/webp" } as const;

/** The endings that a key may have. */
export type PictureEnding = keyof typeof contentTypes;

const keyShape = new RegExp(`^(?:[a-z0-9][a-z0-9_-]*/)*[a-z0-9][a-z0-9_-]*\\.(${Object.keys(contentTypes).join("|")})$`);

/** The content type of what a key stands for; nothing for what cannot be a key. */
export function contentTypeOf(key: string): string | undefined {
  const ending = keyShape.exec(key)?.[1];
  return ending && contentTypes[ending as PictureEnding];
}
