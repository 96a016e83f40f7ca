import { createHash, createHmac } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import S3rver, { type Context, type Middleware } from "s3rver";

/** An S3 server on loopback with one bucket. */
export interface S3Server {
  url: string;
  bucket: string;
  /** The directory with one folder per bucket. */
  directory: string;
  /** The settings that lead a gateway to it. */
  settings: { S3_BUCKET: string; S3_ENDPOINT: string };
  /** Stops, and keeps the stored objects. */
  stop(): Promise<void>;
  /** Starts again at the same address. */
  restart(): Promise<void>;
  /** Goes away for good. */
  remove(): Promise<void>;
}

const bucket = "pictures";
/** The server's only account. The AWS SDK finds it in these variables. */
const credentials = { AWS_ACCESS_KEY_ID: "S3RVER", AWS_SECRET_ACCESS_KEY: "S3RVER" };

/**
 * Starts an S3 server in this process. `listsUploads: false` removes an operation that
 * small servers lack.
 */
export async function startS3Server({ listsUploads = true } = {}): Promise<S3Server> {
  Object.assign(process.env, credentials, { AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: "true" });
  for (const other of ["AWS_SESSION_TOKEN", "AWS_PROFILE"]) delete process.env[other];
  const directory = await mkdtemp(path.join(tmpdir(), "gateway-s3-"));
  const run = async (port: number) => {
    const server = new S3rver({
      address: "127.0.0.1",
      port,
      directory,
      silent: true,
      configureBuckets: [{ name: bucket }],
    });
    const uploads = path.join(directory, bucket, "._S3rver_uploads");
    server.middleware.unshift(checkAddress, limitDeletions, giveUpUploads(uploads));
    if (listsUploads) server.middleware.unshift(listUploads(uploads));
    return { server, port: (await server.run()).port };
  };
  let { server, port } = await run(0);
  const url = `http://127.0.0.1:${port}`;
  const stop = async () => {
    const { httpServer } = server;
    if (!httpServer.listening) return;
    const closed = once(httpServer, "close");
    httpServer.close();
    httpServer.closeAllConnections();
    await closed;
  };
  return {
    url,
    bucket,
    directory,
    settings: { S3_BUCKET: bucket, S3_ENDPOINT: url },
    stop,
    restart: async () => {
      ({ server, port } = await run(port));
    },
    remove: async () => {
      await stop();
      await rm(directory, { recursive: true });
    },
  };
}

/**
 * Refuses pre-signed addresses that were not signed like this, method and all: s3rver
 * itself takes every signature.
 */
const checkAddress: Middleware = async (context, next) => {
  if (!("X-Amz-Signature" in context.query) || context.query["X-Amz-Signature"] === signatureOf(context))
    return next();
  answer(context, 403, "<Error><Code>SignatureDoesNotMatch</Code></Error>");
};

/** The signature (version 4) that the address of a request must have. */
function signatureOf({ method, url, host, query }: Context): string {
  const { pathname, searchParams } = new URL(url, "http://s3.example");
  const parameters = [...searchParams]
    .filter(([name]) => name !== "X-Amz-Signature")
    .map((pair) => pair.map(encode).join("="));
  const request = [
    method,
    pathname,
    parameters.sort().join("&"),
    `host:${host}`,
    "",
    "host",
    "UNSIGNED-PAYLOAD",
  ].join("\n");
  const [, ...scope] = String(query["X-Amz-Credential"]).split("/");
  const text = [
    "AWS4-HMAC-SHA256",
    query["X-Amz-Date"],
    scope.join("/"),
    createHash("sha256").update(request).digest("hex"),
  ].join("\n");
  const key = scope.reduce<string | Buffer>(
    (secret, part) => hmac(secret, part),
    `AWS4${credentials.AWS_SECRET_ACCESS_KEY}`,
  );
  return hmac(key, text).toString("hex");
}

const hmac = (key: string | Buffer, text: string) => createHmac("sha256", key).update(text).digest();
const encode = (text: string) =>
  encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/** Refuses requests that name more than a thousand objects to delete, as S3 does. */
const limitDeletions: Middleware = async (context, next) => {
  await next();
  const deleted = String(context.body).split("<Deleted>").length - 1;
  if (deleted > 1000) answer(context, 400, "<Error><Code>MalformedXML</Code></Error>");
};

/** AbortMultipartUpload, which s3rver does not know. */
function giveUpUploads(directory: string): Middleware {
  return instead("MethodNotAllowed", "DELETE", "uploadId", async (context) => {
    await rm(path.join(directory, String(context.query.uploadId)), { recursive: true });
    context.status = 204;
  });
}

/** ListMultipartUploads, which s3rver does not know. */
function listUploads(directory: string): Middleware {
  return instead("NotImplemented", "GET", "uploads", async (context) => {
    const ids = await readdir(directory).catch(() => []);
    const uploads = ids.map(
      async (id) =>
        `<Upload><Key>${await readFile(path.join(directory, id, "key"))}</Key><UploadId>${id}</UploadId></Upload>`,
    );
    const result = `<IsTruncated>false</IsTruncated>${(await Promise.all(uploads)).join("")}`;
    answer(context, 200, `<ListMultipartUploadsResult>${result}</ListMultipartUploadsResult>`);
  });
}

/** Replaces an operation that s3rver refuses with a code after all other checks. */
function instead(
  code: string,
  method: string,
  parameter: string,
  act: (context: Context) => Promise<void>,
): Middleware {
  return async (context, next) => {
    try {
      await next();
    } catch (error) {
      if (
        (error as { code?: string }).code !== code ||
        context.method !== method ||
        !(parameter in context.query)
      )
        throw error;
      await act(context);
    }
  };
}

function answer(context: Context, status: number, xml: string): void {
  context.status = status;
  context.type = "application/xml";
  context.body = `<?xml version="1.0" encoding="UTF-8"?>${xml}`;
}
