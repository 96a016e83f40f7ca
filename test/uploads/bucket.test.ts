// Runs once: no database can influence what is tested here.
import { readdir } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { startLocalServer } from "../access/issuer-server.js";
import { type S3Server, startS3Server } from "../support/s3-server.js";
import { rawUploads } from "./raw-uploads.js";
import { difference, pictureAs } from "./sample-pictures.js";
import { startUpload } from "./slow-client.js";
import { uploadApis } from "./upload-apis.js";
import { UploadSite } from "./upload-site.js";

let bucket: S3Server;
let site: UploadSite;
let picture: Buffer;
beforeAll(async () => {
  bucket = await startS3Server();
  site = await UploadSite.open({ environment: bucket.settings });
  picture = await pictureAs("jpeg", 64, 40);
});
afterAll(async () => {
  await site.close();
  await bucket.remove();
});

/** The files in which the test server stores the bucket's objects. */
async function stored(): Promise<string[]> {
  const files = await readdir(path.join(bucket.directory, bucket.bucket), { recursive: true });
  return files.filter((name) => name.endsWith("._S3rver_object"));
}

const rowsLeft = () => site.gateway.prisma.objectRemoval.count();
describe.each(uploadApis)("pictures in a bucket, by %s,", (_name, api) => {
  it("are stored, shown and deleted", async () => {
    const { id } = await api.addCamera(site, picture);
    expect(await stored()).toHaveLength(2);
    for (const stored of await site.picturesOf(id)) expect(await difference(stored, picture)).toBeLessThan(4);
    await site.deleteCamera(id);
    await expect.poll(stored).toEqual([]);
    await expect.poll(rowsLeft).toBe(0);
  });

  it("create no camera while the bucket is unavailable, and leave nothing once it is back", async () => {
    await bucket.stop();
    const { code } = await api.addCamera(site, picture);
    await bucket.restart();
    expect(["INTERNAL", "UNAVAILABLE"]).toContain(code);
    expect(await site.gateway.prisma.camera.count({ where: { removedAt: null } })).toBe(0);
    await expect.poll(rowsLeft).toBe(0);
    expect({ stored: await stored(), temporary: (await site.snapshot()).temporary }).toEqual({
      stored: [],
      temporary: [],
    });
  });
});

it("a client whose uploads wait for a bucket that does not respond leaves at most eight pictures behind, however many it starts", async () => {
  const unresponsive = await startLocalServer(() => {});
  const limitedSite = await UploadSite.forTest({
    environment: { ...bucket.settings, S3_ENDPOINT: unresponsive.url },
  });
  onTestFinished(unresponsive.close);
  const upload = rawUploads(limitedSite.ids, picture)["a user by REST"];
  const waiting = async () =>
    (await limitedSite.snapshot()).temporary.filter((name) => path.basename(name) === "picture").length;
  for (let count = 1; count <= 12; count += 1) {
    const client = await startUpload(limitedSite, upload);
    await client.send(upload.body);
    await expect.poll(waiting, { interval: 5 }).toBe(Math.min(count, 8));
    await client.disconnect("abruptly");
  }
  expect(await waiting()).toBe(8);
});
