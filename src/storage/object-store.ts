/** Where pictures are kept. Keys are chosen by the gateway: slash-separated names with the ending of their content. */
export interface ObjectStore {
  /** What `Alert.storageClass` says of objects in here. */
  readonly kind: "local";
  /** Stores an object under a key; it appears whole or not at all. */
  put(key: string, content: Buffer): Promise<void>;
  /** Makes an object available under a second key, independent of the first one from then on. */
  copy(from: string, to: string): Promise<void>;
  /** Deletes an object; one that is not there is no fault. */
  delete(key: string): Promise<void>;
  /** The absolute path of an object's file, for the route that serves it; nothing for what cannot be a key. */
  path(key: string): string | undefined;
}
