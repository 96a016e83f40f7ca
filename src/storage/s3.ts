import {
  AbortMultipartUploadCommand,
  CopyObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  type ListMultipartUploadsCommandOutput,
  S3Client,
} from "@aws-sdk/client-s3";
import { Upload } from "@aws-sdk/lib-storage";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import { contentTypeOf, type ObjectContent, type ObjectLocation, type ObjectStore } from "./object-store.js";

/** A bucket of Amazon S3, or of a server that speaks its protocol. Credentials are found as the AWS SDK finds them. */
export interface S3Settings {
  bucket: string;
  region: string;
  /** The address of a server other than Amazon's. */
  endpoint?: string;
}

/** Seconds for which an address of an object is good. */
const locationLifetime = 300;
const deletionsAtOnce = 1000;

/** Keeps objects in an S3 bucket. */
export class S3ObjectStore implements ObjectStore {
  readonly kind = "s3";
  readonly #client: S3Client;
  readonly #bucket: string;
  readonly #closing = new AbortController();

  constructor({ bucket, region, endpoint }: S3Settings) {
    this.#bucket = bucket;
    this.#client = new S3Client({
      region,
      ...(endpoint && { endpoint, forcePathStyle: true }),
      // Servers other than Amazon's store the checksums of a streamed body as part of it.
      requestChecksumCalculation: "WHEN_REQUIRED",
      responseChecksumValidation: "WHEN_REQUIRED",
      // A part of a large picture may take its time, but not be silent.
      requestHandler: { connectionTimeout: 3_000, socketTimeout: 10_000, requestTimeout: 60_000, throwOnRequestTimeout: true },
    });
  }

  async put(key: string, content: ObjectContent): Promise<void> {
    const upload = new Upload({
      client: this.#client,
      abortController: this.#closing,
      // Parts wait in memory for their turn.
      queueSize: 1,
      params: {
        Bucket: this.#bucket,
        Key: key,
        Body: content,
        ContentType: requireType(key),
        ContentDisposition: "inline",
        CacheControl: "private, max-age=3600, immutable",
      },
    });
    await upload.done();
  }

  async copy(from: string, to: string): Promise<void> {
    requireType(from);
    requireType(to);
    await this.#send(new CopyObjectCommand({ Bucket: this.#bucket, CopySource: `${this.#bucket}/${from}`, Key: to }));
  }

  async delete(keys: readonly string[]): Promise<string[]> {
    // What cannot be a key was never stored here.
    const ours = keys.filter((key) => contentTypeOf(key));
    const refused: string[] = [];
    for (let start = 0; start < ours.length; start += deletionsAtOnce) {
      const Objects = ours.slice(start, start + deletionsAtOnce).map((Key) => ({ Key }));
      const { Errors = [] } = await this.#send(new DeleteObjectsCommand({ Bucket: this.#bucket, Delete: { Objects, Quiet: true } }));
      refused.push(...Errors.flatMap(({ Key }) => Key ?? []));
    }
    await this.#abortUploads(new Set(ours));
    return refused;
  }

  async locate(key: string, method: "GET" | "HEAD" = "GET"): Promise<ObjectLocation | undefined> {
    const type = contentTypeOf(key);
    if (!type) return undefined;
    // The type is what the key says, whatever the bucket says.
    const input = { Bucket: this.#bucket, Key: key, ResponseContentType: type, ResponseContentDisposition: "inline" };
    const command = method === "HEAD" ? new HeadObjectCommand(input) : new GetObjectCommand(input);
    return { url: await getSignedUrl(this.#client, command, { expiresIn: locationLifetime }) };
  }

  close(): void {
    this.#closing.abort();
    this.#client.destroy();
  }

  get #send(): S3Client["send"] {
    return ((command: never) => this.#client.send(command, { abortSignal: this.#closing.signal })) as S3Client["send"];
  }

  /** Gives up uploads in parts that a crash left unfinished: they are no objects yet, but take room. */
  async #abortUploads(keys: ReadonlySet<string>): Promise<void> {
    const Bucket = this.#bucket;
    let markers: { KeyMarker?: string | undefined; UploadIdMarker?: string | undefined } | undefined = {};
    while (markers) {
      const page: ListMultipartUploadsCommandOutput | undefined = await this.#client
        .send(new ListMultipartUploadsCommand({ Bucket, ...markers }))
        .catch(unlessNotAllowed);
      for (const { Key, UploadId } of page?.Uploads ?? []) {
        if (Key && keys.has(Key)) await this.#send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId }));
      }
      markers = page?.IsTruncated ? { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker } : undefined;
    }
  }
}

function requireType(key: string): string {
  const type = contentTypeOf(key);
  if (!type) throw new Error("Not a key of the object store");
  return type;
}

/** Small servers know no uploads in parts that could be listed, and not everybody may list them: the objects are gone all the same. */
function unlessNotAllowed(error: Error): undefined {
  if (["NotImplemented", "MethodNotAllowed", "AccessDenied"].includes(error.name)) return undefined;
  throw error;
}
