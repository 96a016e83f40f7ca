import { readdir } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { startLocalServer } from "../access/issuer-server.js";
import { type S3Server, startS3Server } from "../support/s3-server.js";
import { doors } from "./doors.js";
import { difference, sceneAs } from "./samples.js";
import { beginUpload } from "./slow-client.js";
import { UploadSite } from "./upload-site.js";
import { uploadsOf } from "./uploads-by-hand.js";

let bucket: S3Server;
let site: UploadSite;
let picture: Buffer;
beforeAll(async () => {
  bucket = await startS3Server();
  site = await UploadSite.open({ environment: bucket.settings });
  picture = await sceneAs("jpeg", 64, 40);
});
afterAll(async () => {
  await site.close();
  await bucket.remove();
});

/** The files of the objects in the bucket. */
async function stored(): Promise<string[]> {
  const files = await readdir(path.join(bucket.directory, bucket.bucket), { recursive: true });
  return files.filter((name) => name.endsWith("._S3rver_object"));
}

const rowsLeft = () => site.gateway.prisma.objectRemoval.count();
const remove = (id: string | undefined) =>
  site.gateway.data("mutation ($id: UUID!) { deleteCamera(id: $id) { id } }", { as: site.admin, variables: { id } });

describe.each(doors)("pictures in a bucket, by %s,", (_name, door) => {
  it("are stored, shown and deleted", async () => {
    const { id } = await door.addCamera(site, picture);
    expect(await stored()).toHaveLength(2);
    const query = "query ($id: UUID!) { camera(id: $id) { imageLink thumbnailUrl } }";
    const { camera } = await site.gateway.data<{ camera: Record<string, string> }>(query, { as: site.admin, variables: { id } });
    for (const link of Object.values(camera)) {
      const { pathname, search } = new URL(link);
      const response = await site.gateway.fetch(pathname + search);
      expect(await difference(Buffer.from(await response.arrayBuffer()), picture)).toBeLessThan(4);
    }
    await remove(id);
    await expect.poll(stored).toEqual([]);
    await expect.poll(rowsLeft).toBe(0);
  });

  it("are not there when they were refused", async () => {
    expect((await door.addCamera(site, Buffer.from("no picture"))).code).toBe("UNSUPPORTED_MEDIA_TYPE");
    expect(await stored()).toEqual([]);
  });

  it("go when the database refuses the camera", async () => {
    const { prisma } = site.gateway;
    await prisma.$executeRawUnsafe(`ALTER TABLE "Camera" ADD CONSTRAINT "refused" CHECK ("name" <> 'Gate') NOT VALID`);
    onTestFinished(async () => void (await prisma.$executeRawUnsafe('ALTER TABLE "Camera" DROP CONSTRAINT "refused"')));
    expect((await door.addCamera(site, picture)).code).toBe("INTERNAL");
    await expect.poll(rowsLeft).toBe(0);
    expect(await stored()).toEqual([]);
  });

  it("make no camera while the bucket is away, and leave nothing once it is back", async () => {
    await bucket.stop();
    const { code } = await door.addCamera(site, picture);
    await bucket.restart();
    expect(["INTERNAL", "UNAVAILABLE"]).toContain(code);
    expect(await site.gateway.prisma.camera.count({ where: { removedAt: null } })).toBe(0);
    await expect.poll(rowsLeft, { timeout: 10_000 }).toBe(0);
    expect({ stored: await stored(), temporary: (await site.traces()).temporary }).toEqual({ stored: [], temporary: [] });
  });
});

it("clients that hang up over a bucket that never answers leave no more than 32 pictures behind", async () => {
  const silent = await startLocalServer(() => {});
  const held = await UploadSite.forTest({ environment: { ...bucket.settings, S3_ENDPOINT: silent.url } });
  onTestFinished(silent.close);
  const upload = uploadsOf(held.ids, picture)["a user by REST"];
  const waiting = async () => (await held.traces()).temporary.filter((name) => path.basename(name) === "picture").length;
  for (let count = 1; count <= 32; count += 1) {
    const client = await beginUpload(held, upload);
    await client.send(upload.body);
    await expect.poll(waiting, { interval: 5 }).toBe(count);
    await client.hangUp("abruptly");
  }
  for (const [, door] of doors) {
    expect(await door.changeUser(held, picture)).toMatchObject({ code: "UNAVAILABLE", message: expect.stringContaining("Too many uploads") });
  }
  expect(await waiting()).toBe(32);
});
