import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { LocalObjectStore } from "../../src/engine/storage/local.js";
import type { ObjectStore } from "../../src/engine/storage/object-store.js";
import { S3ObjectStore } from "../../src/engine/storage/s3.js";
import { TemporaryFiles } from "../../src/engine/storage/temporary-files.js";
import { type S3Server, startS3Server } from "./s3-server.js";

/** The stores on which the same tests run. */
export const storeKinds = ["local", "s3"] as const;

/** An object store that only the gateways of its test use. */
export interface StoreUnderTest {
  store: ObjectStore;
  /**
   * The directory with everything in the store, finished or not. Other files may be
   * there, too.
   */
  directory: string;
  /** The settings for a gateway with this store, without DATA_DIR. */
  settings: Record<string, string>;
  /** The server behind it, where there is one. */
  server?: S3Server;
  close(): Promise<void>;
}

/** Opens a store; `dataDirectory` is where a gateway keeps a local one. */
export async function openStore(
  kind: (typeof storeKinds)[number],
  dataDirectory: string,
): Promise<StoreUnderTest> {
  if (kind === "local") {
    const temporary = await TemporaryFiles.open(path.join(dataDirectory, "temporary"));
    const store = new LocalObjectStore(path.join(dataDirectory, "objects"), temporary);
    return { store, directory: dataDirectory, settings: {}, close: () => temporary.close() };
  }
  const server = await startS3Server();
  const { directory, settings } = server;
  const store = storeOn(server);
  const close = async () => {
    store.close();
    await server.remove();
  };
  return { store, directory, settings, server, close };
}

export const storeOn = ({ bucket, url }: S3Server): S3ObjectStore =>
  new S3ObjectStore({ bucket, region: "us-east-1", endpoint: url });

/** The content of an object; undefined if there is none. */
export async function contentOf(store: ObjectStore, key: string): Promise<Buffer | undefined> {
  const location = await store.locate(key);
  if (!location) return undefined;
  if ("url" in location) {
    const response = await fetch(location.url);
    const content = Buffer.from(await response.arrayBuffer());
    if (response.status === 404) return undefined;
    if (response.status !== 200) throw new Error(`The S3 server answers ${response.status}: ${content}`);
    return content;
  }
  try {
    return await readFile(path.join(location.directory, location.file));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** The files below a directory, by their names from there on. */
export async function filesBelow(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => path.relative(directory, path.join(entry.parentPath, entry.name)))
    .sort();
}
