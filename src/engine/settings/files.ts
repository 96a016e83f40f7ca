import { statSync, unlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { z } from "zod";
import { integer, networksOrPublic, textWithout, webOrigin } from "../../platform/input/setting-rules.js";
import { codeOf } from "../../platform/thrown.js";
import { setting } from "./setting.js";

/** A directory, or the path of one that can be made. */
const directory = textWithout((text) => {
  try {
    // Ask by writing: an administrator may write anywhere, but not below /proc or /sys, where making the directories
    // above a file would fail, or never end.
    const file = path.join(existingPart(path.resolve(text)), `writable.${process.pid}`);
    writeFileSync(file, "");
    unlinkSync(file);
    return undefined;
  } catch (error) {
    return `must be a directory that can be written to (${codeOf(error)})`;
  }
});

/** The directory, or the first above it that exists. */
function existingPart(wanted: string): string {
  const found = statSync(wanted, { throwIfNoEntry: false });
  if (!found) return existingPart(path.dirname(wanted));
  if (!found.isDirectory()) throw Object.assign(new Error(`${wanted} is a file`), { code: "ENOTDIR" });
  return wanted;
}

/** The name of a bucket, or the ARN of an access point that leads to one. */
const bucket = /^(?:[a-z0-9](?:[a-z0-9._-]{1,253})[a-z0-9]|arn:[a-z0-9-]+:s3[a-z0-9:/_.-]*)$/i;

export const files = {
  DATA_DIR: setting(
    {
      example: "/var/lib/gateway",
      description:
        "The directory of the embedded database, of generated secrets, and of pictures unless `S3_BUCKET` is set.",
    },
    directory.default("./data"),
  ),
  S3_BUCKET: setting(
    {
      example: "alerts",
      unset: "none",
      description:
        "The bucket of S3 or a compatible server that stores pictures instead of `DATA_DIR`. The AWS SDK finds the credentials.",
    },
    z.string().regex(bucket, "must be the name of a bucket"),
  ),
  S3_ENDPOINT: setting(
    {
      example: "https://minio.example:9000",
      unset: "AWS",
      description: "A server compatible with S3.",
    },
    webOrigin,
  ),
  S3_REGION: setting(
    { example: "eu-central-1", description: "The region of the bucket." },
    z
      .string()
      .regex(/^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/i, "must be the name of a region")
      .default("us-east-1"),
  ),
  PICTURE_PROXY_NETWORKS: setting(
    {
      example: "192.168.0.0/16,public",
      unset: "none",
      description:
        "Networks from which the gateway fetches pictures of alerts that a detector keeps elsewhere, to show them in the console; `public` for public addresses. Separated by commas. Names are resolved by DNS alone. From anywhere else, the console shows a link.",
    },
    networksOrPublic,
  ),
  MAX_UPLOAD_BYTES: setting(
    {
      example: "5000000",
      description: "The largest picture that can be uploaded, in bytes.",
    },
    integer(1, 1_073_741_824).default(10 * 1024 * 1024),
  ),
  MAX_CLIP_BYTES: setting(
    { example: "20000000", description: "The largest clip of an alert that can be uploaded, in bytes." },
    integer(1, 1_073_741_824).default(50 * 1024 * 1024),
  ),
};
