// Needs no gateway.

import { randomBytes, randomUUID } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import path from "node:path";
import { Readable } from "node:stream";
import {
  CreateMultipartUploadCommand,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
} from "@aws-sdk/client-s3";
import { listOf } from "../support/list-of.js";
import { listenForTest } from "../support/listening.js";
import {
  contentOf,
  filesBelow,
  openStore,
  type StoreUnderTest,
  storeKinds,
  storeOn,
} from "../support/object-store.js";
import { type S3Server, startS3Server } from "../support/s3-server.js";
import { ownDirectory } from "../support/temporary-directory.js";

const mebibyte = 1024 * 1024;
const invalidKeys = [
  "",
  ".jpg",
  "picture",
  "picture.jpg/",
  "picture.gif",
  "picture.html",
  "picture.jpg.html",
  "picture.JPG",
  "Picture.jpg",
  "Pictures/picture.jpg",
  "../secret.jpg",
  "pictures/../../secret.jpg",
  "pictures/./secret.jpg",
  "pictures//secret.jpg",
  "pictures\\..\\..\\secret.jpg",
  "pictures/%2e%2e/%2e%2e/secret.jpg",
  "/secret.jpg",
  "/etc/passwd",
  "file:///secret.jpg",
  "two words.jpg",
  "picture.jpg\0",
  "picture.jpg\n",
  "häuser.jpg",
];

let opened: StoreUnderTest;

const parent = await ownDirectory();

const newKey = () => `pictures/${randomUUID()}.jpg`;

async function stored(content = randomBytes(64)): Promise<string> {
  const key = newKey();
  await opened.store.put(key, content);
  return key;
}

describe.each(storeKinds)("the %s store", (kind) => {
  beforeAll(async () => {
    opened = await openStore(kind, parent);
  });
  afterAll(() => opened.close());

  it("stores a stream of 12 MiB unchanged", async () => {
    const content = randomBytes(12 * mebibyte);
    const key = newKey();
    const pieces = listOf(12, (index) => content.subarray(index * mebibyte, (index + 1) * mebibyte));
    await opened.store.put(key, Readable.from(pieces));
    // `toEqual` is slow for large buffers.
    expect((await contentOf(opened.store, key))?.equals(content)).toBe(true);
  });

  it("has no object for an unknown key", async () => {
    expect(await contentOf(opened.store, newKey())).toBeUndefined();
  });

  it("keeps no part of an upload whose source fails in the middle", async () => {
    const before = await filesBelow(opened.directory);
    const unfinished = async () =>
      (await filesBelow(opened.directory)).filter((file) => !before.includes(file));
    async function* source() {
      for (let sent = 0; sent < 12; sent += 1) yield randomBytes(mebibyte);
      // On S3 the first parts have been uploaded.
      await expect.poll(unfinished).toContainEqual(expect.stringMatching(/partial$|2\.md5$/));
      throw new Error("The source failed");
    }
    const key = newKey();
    await expect(opened.store.put(key, Readable.from(source()))).rejects.toThrow("The source failed");
    expect(await unfinished()).toEqual([]);
    expect(await contentOf(opened.store, key)).toBeUndefined();
  });

  it("keeps a copy when the first object is deleted", async () => {
    const content = randomBytes(1000);
    const [from, to] = [await stored(content), newKey()];
    await opened.store.copy(from, to);
    await opened.store.delete([from]);
    expect(await contentOf(opened.store, from)).toBeUndefined();
    expect(await contentOf(opened.store, to)).toEqual(content);
  });

  it("fails to copy a missing object", async () => {
    const to = newKey();
    await expect(opened.store.copy(newKey(), to)).rejects.toThrow();
    expect(await contentOf(opened.store, to)).toBeUndefined();
  });

  it("deletes several objects, existing or not, and no others", async () => {
    const content = randomBytes(10);
    const [first, second, kept] = [await stored(), await stored(), await stored(content)];
    await opened.store.delete([first, newKey(), second]);
    expect([await contentOf(opened.store, first), await contentOf(opened.store, second)]).toEqual([
      undefined,
      undefined,
    ]);
    expect(await contentOf(opened.store, kept)).toEqual(content);
  });

  it("deletes more objects than one S3 request allows", async () => {
    const [first, last] = [await stored(), await stored()];
    await opened.store.delete([first, ...Array.from({ length: 1500 }, newKey), last]);
    expect([await contentOf(opened.store, first), await contentOf(opened.store, last)]).toEqual([
      undefined,
      undefined,
    ]);
  });

  describe("given an invalid key", () => {
    let key: string;
    beforeAll(async () => {
      key = await stored();
      // The targets of the traversals, with the file names of either store.
      for (const name of ["secret.jpg", "secret.jpg._S3rver_object"])
        await writeFile(path.join(opened.directory, name), "secret content");
    });

    it.each(invalidKeys)("stores and locates nothing: %j", async (invalidKey) => {
      const before = await filesBelow(opened.directory);
      await expect(opened.store.put(invalidKey, randomBytes(10))).rejects.toThrow(
        "Not a key of the object store",
      );
      expect(await opened.store.locate(invalidKey)).toBeUndefined();
      expect(await filesBelow(opened.directory)).toEqual(before);
    });

    it.each(invalidKeys)("copies nothing to or from it: %j", async (invalidKey) => {
      const before = await filesBelow(opened.directory);
      await expect(opened.store.copy(key, invalidKey)).rejects.toThrow("Not a key of the object store");
      await expect(opened.store.copy(invalidKey, newKey())).rejects.toThrow("Not a key of the object store");
      expect(await filesBelow(opened.directory)).toEqual(before);
    });

    it("deletes only the valid keys next to it", async () => {
      const before = await filesBelow(opened.directory);
      const other = await stored();
      await opened.store.delete([...invalidKeys, other]);
      expect(await filesBelow(opened.directory)).toEqual(before);
    });
  });
});

describe("the s3 store", () => {
  let server: S3Server;
  let client: S3Client;
  beforeAll(async () => {
    opened = await openStore("s3", parent);
    server = opened.server as S3Server;
    client = new S3Client({ region: "us-east-1", endpoint: server.url, forcePathStyle: true });
  });
  afterAll(async () => {
    client.destroy();
    await opened.close();
  });

  const toBucket = (Key: string) => ({ Bucket: server.bucket, Key });

  async function addressOf(key: string): Promise<URL> {
    const location = await opened.store.locate(key);
    return new URL((location as { url: string }).url);
  }

  it.each([
    ["jpg", "image/jpeg"],
    ["png", "image/png"],
    ["webp", "image/webp"],
  ])("stores %s with the type of its extension", async (ending, type) => {
    const key = `pictures/${randomUUID()}.${ending}`;
    await opened.store.put(key, randomBytes(10));
    expect((await fetch(await addressOf(key))).headers.get("content-type")).toBe(type);
    const metadata = await readFile(
      path.join(server.directory, server.bucket, `${key}._S3rver_metadata.json`),
      "utf8",
    );
    expect(JSON.parse(metadata)).toMatchObject({ "content-type": type, "content-disposition": "inline" });
  });

  it("serves a picture as one even if the bucket has it as a page", async () => {
    const key = newKey();
    await client.send(
      new PutObjectCommand({
        ...toBucket(key),
        Body: "<script>",
        ContentType: "text/html",
        ContentDisposition: "attachment",
      }),
    );
    const { headers } = await fetch(await addressOf(key));
    expect([headers.get("content-type"), headers.get("content-disposition")]).toEqual([
      "image/jpeg",
      "inline",
    ]);
  });

  it("returns URLs that are valid for five minutes, for reading one object", async () => {
    const [key, other] = [await stored(), await stored()];
    const address = await addressOf(key);
    expect(address.searchParams.get("X-Amz-Expires")).toBe("300");
    expect((await fetch(address)).status).toBe(200);
    expect((await fetch(address, { method: "DELETE" })).status).toBe(403);
    expect((await fetch(address.href.replace(key, other))).status).toBe(403);
    expect((await fetch(address.href.replace("Expires=300", "Expires=3000"))).status).toBe(403);
  });

  it("deletes the parts that a crash left of an upload along with its object", async () => {
    const [lost, others] = [newKey(), newKey()];
    for (const key of [lost, others]) {
      const { UploadId } = await client.send(new CreateMultipartUploadCommand(toBucket(key)));
      await client.send(
        new UploadPartCommand({ ...toBucket(key), UploadId, PartNumber: 1, Body: randomBytes(10) }),
      );
    }
    const parts = async () =>
      (await filesBelow(opened.directory)).filter((file) => /_uploads\/\w+\/1$/.test(file)).length;
    expect(await parts()).toBe(2);
    await opened.store.delete([newKey(), lost]);
    expect(await parts()).toBe(1);
    await opened.store.delete([others]);
    expect(await parts()).toBe(0);
  });

  it("deletes on servers that cannot list unfinished uploads", async () => {
    const small = await startS3Server({ listsUploads: false });
    onTestFinished(small.remove);
    const store = storeOn(small);
    const key = newKey();
    await store.put(key, randomBytes(10));
    await store.delete([key]);
    store.close();
    expect(await contentOf(store, key)).toBeUndefined();
  });

  it("names the objects that the server refuses to delete", async () => {
    const [deleted, kept] = [newKey(), newKey()];
    const answers: Record<string, string> = {
      POST: `<DeleteResult><Error><Key>${kept}</Key><Code>AccessDenied</Code></Error></DeleteResult>`,
      GET: "<ListMultipartUploadsResult/>",
    };
    const refusing = createServer(({ method = "" }, response) => response.end(answers[method]));
    const store = storeOn({ ...server, url: `http://127.0.0.1:${await listenForTest(refusing)}` });
    expect(await store.delete([deleted, kept])).toEqual([kept]);
    store.close();
  });

  it("explains the error if the bucket is missing", async () => {
    const store = storeOn({ ...server, bucket: "missing" });
    await expect(store.put(newKey(), randomBytes(10))).rejects.toThrow("The specified bucket does not exist");
    await expect(store.delete([newKey()])).rejects.toThrow("The specified bucket does not exist");
    store.close();
  });
});
