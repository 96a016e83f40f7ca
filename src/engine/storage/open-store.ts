import path from "node:path";
import { LocalObjectStore } from "./local.js";
import type { ObjectStore } from "./object-store.js";
import { TemporaryFiles } from "./temporary-files.js";

interface StoreSettings {
  DATA_DIR: string;
  S3_BUCKET?: string | undefined;
  S3_REGION: string;
  S3_ENDPOINT?: string | undefined;
}

/** Opens the temporary files, on the same file system as a local store. */
export const openTemporaryFiles = ({ DATA_DIR }: StoreSettings): Promise<TemporaryFiles> =>
  TemporaryFiles.open(path.join(DATA_DIR, "temporary"));

/** Opens the object store: the bucket if one is set, otherwise a directory in DATA_DIR. */
export async function openStore(
  { DATA_DIR, S3_BUCKET, S3_REGION, S3_ENDPOINT }: StoreSettings,
  temporary: TemporaryFiles,
): Promise<ObjectStore> {
  if (!S3_BUCKET) return new LocalObjectStore(path.join(DATA_DIR, "objects"), temporary);
  // Import the SDK on demand: it takes 20 MB of memory.
  const { S3ObjectStore } = await import("./s3.js");
  return new S3ObjectStore({
    bucket: S3_BUCKET,
    region: S3_REGION,
    ...(S3_ENDPOINT && { endpoint: S3_ENDPOINT }),
  });
}
