import { setMaxListeners } from "node:events";
import type { Readable } from "node:stream";
import {
  AbortMultipartUploadCommand,
  CopyObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  type ListMultipartUploadsCommandOutput,
  NoSuchKey,
  NotFound,
  paginateListObjectsV2,
  S3Client,
} from "@aws-sdk/client-s3";
import { Upload } from "@aws-sdk/lib-storage";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import { contentTypeOf, type ObjectContent, type ObjectLocation, type ObjectStore } from "./object-store.js";

/** A bucket on Amazon S3 or a compatible server. The provider chain of the AWS SDK supplies the credentials. */
interface S3Settings {
  bucket: string;
  region: string;
  /** The URL of a compatible server; absent for Amazon S3. */
  endpoint?: string;
}

const urlLifetimeSeconds = 300;
/** Closes connections after `timeout` milliseconds without a request, because the network may have forgotten them. */
const idleLimits = { keepAlive: true, maxSockets: 50, timeout: 5_000 };
const deletionBatchSize = 1000;

export class S3ObjectStore implements ObjectStore {
  readonly kind = "s3";
  readonly #client: S3Client;
  readonly #bucket: string;
  readonly #closing = new AbortController();

  constructor({ bucket, region, endpoint }: S3Settings) {
    this.#bucket = bucket;
    // Each request in flight adds a listener.
    setMaxListeners(0, this.#closing.signal);
    this.#client = new S3Client({
      region,
      ...(endpoint && { endpoint, forcePathStyle: true }),
      // Some compatible servers store the checksum trailers of a streamed body as part of the body.
      requestChecksumCalculation: "WHEN_REQUIRED",
      responseChecksumValidation: "WHEN_REQUIRED",
      // A part of a large picture may take a while, but its connection must not be idle. A silent bucket must not hold
      // a request for longer than a minute: both the failed part and the end of the upload are retried.
      maxAttempts: 2,
      requestHandler: {
        connectionTimeout: 3_000,
        socketTimeout: 10_000,
        requestTimeout: 60_000,
        throwOnRequestTimeout: true,
        httpAgent: idleLimits,
        httpsAgent: idleLimits,
      },
    });
  }

  async put(key: string, content: ObjectContent): Promise<void> {
    const upload = new Upload({
      client: this.#client,
      abortController: this.#closing,
      // Queued parts stay in memory.
      queueSize: 1,
      params: {
        Bucket: this.#bucket,
        Key: key,
        Body: content,
        ContentType: requireContentType(key),
        ContentDisposition: "inline",
        CacheControl: "private, max-age=3600, immutable",
      },
    });
    await upload.done();
  }

  async read(key: string): Promise<Readable | undefined> {
    requireContentType(key);
    try {
      const { Body } = await this.#send(new GetObjectCommand({ Bucket: this.#bucket, Key: key }));
      return Body as Readable;
    } catch (error) {
      if (error instanceof NoSuchKey) return undefined;
      throw error;
    }
  }

  async copy(from: string, to: string): Promise<void> {
    requireContentType(from);
    requireContentType(to);
    await this.#send(
      new CopyObjectCommand({ Bucket: this.#bucket, CopySource: `${this.#bucket}/${from}`, Key: to }),
    );
  }

  async delete(keys: readonly string[]): Promise<string[]> {
    // The store has never accepted an invalid key.
    const validKeys = keys.filter((key) => contentTypeOf(key));
    const refused: string[] = [];
    for (let start = 0; start < validKeys.length; start += deletionBatchSize) {
      const Objects = validKeys.slice(start, start + deletionBatchSize).map((Key) => ({ Key }));
      const { Errors = [] } = await this.#send(
        new DeleteObjectsCommand({ Bucket: this.#bucket, Delete: { Objects, Quiet: true } }),
      );
      refused.push(...Errors.flatMap(({ Key }) => Key ?? []));
    }
    await this.#abortUploads(new Set(validKeys));
    return refused;
  }

  async locate(key: string, method: "GET" | "HEAD" = "GET"): Promise<ObjectLocation | undefined> {
    const type = contentTypeOf(key);
    if (!type) return undefined;
    // The key determines the content type, whatever the metadata in the bucket says.
    const input = {
      Bucket: this.#bucket,
      Key: key,
      ResponseContentType: type,
      ResponseContentDisposition: "inline",
    };
    const command = method === "HEAD" ? new HeadObjectCommand(input) : new GetObjectCommand(input);
    return { url: await getSignedUrl(this.#client, command, { expiresIn: urlLifetimeSeconds }) };
  }

  async has(key: string): Promise<boolean> {
    if (!contentTypeOf(key)) return false;
    try {
      await this.#send(new HeadObjectCommand({ Bucket: this.#bucket, Key: key }));
      return true;
    } catch (error) {
      if (error instanceof NotFound) return false;
      throw error;
    }
  }

  async *list(): AsyncGenerator<string> {
    const pages = paginateListObjectsV2(
      { client: this.#client },
      { Bucket: this.#bucket },
      { abortSignal: this.#closing.signal },
    );
    for await (const { Contents = [] } of pages) {
      for (const { Key } of Contents) if (Key && contentTypeOf(Key)) yield Key;
    }
  }

  close(): void {
    this.#closing.abort();
    this.#client.destroy();
  }

  get #send(): S3Client["send"] {
    return (command: never) => this.#client.send(command, { abortSignal: this.#closing.signal });
  }

  /** Aborts multipart uploads that a crash left incomplete. They are not objects yet, but use storage. */
  async #abortUploads(keys: ReadonlySet<string>): Promise<void> {
    const Bucket = this.#bucket;
    let markers: { KeyMarker?: string | undefined; UploadIdMarker?: string | undefined } | undefined = {};
    while (markers) {
      const page: ListMultipartUploadsCommandOutput | undefined = await this.#client
        .send(new ListMultipartUploadsCommand({ Bucket, ...markers }))
        .catch(ignoreUnsupported);
      for (const { Key, UploadId } of page?.Uploads ?? []) {
        if (Key && keys.has(Key))
          await this.#send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId }));
      }
      markers = page?.IsTruncated
        ? { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker }
        : undefined;
    }
  }
}

function requireContentType(key: string): string {
  const type = contentTypeOf(key);
  if (!type) throw new Error("Not a key of the object store");
  return type;
}

/** Lets deletions succeed on servers that cannot list multipart uploads, and with credentials that may not. */
function ignoreUnsupported(error: Error): undefined {
  if (["NotImplemented", "MethodNotAllowed", "AccessDenied"].includes(error.name)) return undefined;
  throw error;
}
