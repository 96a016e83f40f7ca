import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ServiceError } from "../../src/platform/errors.js";
import { makePicture } from "../../src/storage/picture.js";
import { type Door, doors, type Outcome, rest } from "./doors.js";
import { animatedWebp, bombs, largestPicture, noise, noPictures, payload, pngOfLongText, polyglots } from "./hostile-files.js";
import { type Colour, cornersOf, formats, sceneAs } from "./samples.js";
import { maximumBytes, type Traces, UploadSite } from "./upload-site.js";

let site: UploadSite;
let before: Traces;
let picture: Buffer;
beforeAll(async () => {
  site = await UploadSite.open();
  before = await site.traces();
  picture = await sceneAs("jpeg", 64, 40);
});
afterAll(() => site.close());

const expectNoTrace = () => site.expectUnchanged(before);

/** All ways by which a picture comes in. */
const ways: [string, (file: Buffer) => Promise<Outcome>][] = doors.flatMap(([name, door]) => [
  [`a camera by ${name}`, (file) => door.addCamera(site, file)],
  [`a user by ${name}`, (file) => door.changeUser(site, file)],
]);

describe.each(ways)("as the picture of %s,", (way, send) => {
  /** On GraphQL a mutation that fails is an answer like others. */
  const statusOf = (status: number) => (/GraphQL/.test(way) ? 200 : status);

  it.each(noPictures)("%s is refused as no picture", async (_what, make) => {
    const message = "The file is no whole JPEG, PNG or WebP picture";
    expect(await send(await make())).toEqual({ status: statusOf(415), code: "UNSUPPORTED_MEDIA_TYPE", message });
    await expectNoTrace();
  });

  it.each(bombs)("%s is refused as too large", async (_what, make) => {
    const message = "The picture has more than 50 megapixels";
    expect(await send(await make())).toEqual({ status: statusOf(413), code: "PAYLOAD_TOO_LARGE", message });
    await expectNoTrace();
  });

  it("a file of one byte more than 10 MiB is refused as too large", async () => {
    const file = Buffer.concat([picture, Buffer.alloc(maximumBytes + 1 - picture.length)]);
    expect(await send(file)).toMatchObject({ status: statusOf(413), code: "PAYLOAD_TOO_LARGE" });
    await expectNoTrace();
  });
});

/** Adds a camera and gives it up again; what was stored of its picture, and of its small one. */
async function storedOf(door: Door, file: Buffer): Promise<Buffer[]> {
  const { code, id } = await door.addCamera(site, file);
  expect(code).toBe("OK");
  const query = "query ($id: UUID!) { camera(id: $id) { imageLink thumbnailUrl } }";
  const { camera } = await site.gateway.data<{ camera: Record<string, string> }>(query, { as: site.admin, variables: { id } });
  const pictures = [];
  for (const link of Object.values(camera)) {
    const { pathname, search } = new URL(link);
    pictures.push(Buffer.from(await (await site.gateway.fetch(pathname + search)).arrayBuffer()));
  }
  await site.gateway.data("mutation ($id: UUID!) { deleteCamera(id: $id) { id } }", { as: site.admin, variables: { id } });
  await expectNoTrace();
  return pictures;
}

describe.each(doors)("what is stored by %s", (_name, door) => {
  it.each(polyglots)("of %s is the picture and nothing else", async (_what, make) => {
    const file = await make();
    expect(file.includes(payload)).toBe(true);
    for (const stored of await storedOf(door, file)) {
      expect(await sharp(stored).metadata()).toMatchObject({ width: 64, height: 40 });
      expect(stored.includes("<script")).toBe(false);
      expect(stored.includes("PK\x03\x04")).toBe(false);
    }
  });

  it("of an animated WebP is its first frame", async () => {
    for (const stored of await storedOf(door, await animatedWebp())) {
      const { pages = 1, width, height } = await sharp(stored).metadata();
      expect({ pages, width, height }).toEqual({ pages: 1, width: 64, height: 40 });
      expect(await cornersOf(stored)).toEqual(Array<Colour>(4).fill("red"));
    }
  });

  it("of a PNG with a comment that is unpacked to 256 MiB is the picture, without taking as much memory", async () => {
    const file = await pngOfLongText();
    const memory = process.memoryUsage.rss();
    for (const stored of await storedOf(door, file)) expect(stored.length).toBeLessThan(10_000);
    expect(process.memoryUsage.rss() - memory).toBeLessThan(200 * 1024 * 1024);
  });
});

describe("the largest that is taken is", () => {
  it("a file of 10 MiB", async () => {
    const file = Buffer.concat([picture, noise(1000), Buffer.alloc(maximumBytes - picture.length - 1000)]);
    expect(file.length).toBe(maximumBytes);
    for (const [, door] of doors) expect((await storedOf(door, file)).map(({ length }) => length < 10_000)).toEqual([true, true]);
  });

  it("a picture of 50 megapixels", async () => {
    const [stored] = await storedOf(rest, largestPicture());
    expect(await sharp(stored).metadata()).toMatchObject({ width: 10_000, height: 5000 });
  });
});

describe("a damaged picture is never our fault:", () => {
  let directory: string;
  beforeAll(async () => {
    directory = await mkdtemp(path.join(tmpdir(), "gateway-damaged-"));
  });
  afterAll(() => rm(directory, { recursive: true }));

  it.each(formats)("%s", async (format) => {
    const good = await sceneAs(format, 64, 40);
    const places = noise(400, formats.indexOf(format) + 2);
    const faults = new Set<string>();
    for (let round = 0; round < 100; round += 1) {
      const [one = 0, two = 0, three = 0, four = 0] = places.subarray(round * 4, round * 4 + 4);
      const file = Buffer.from(round % 4 === 0 ? good.subarray(0, Math.floor((good.length * one) / 256)) : good);
      if (file.length > 0) file[Math.floor(((one * 256 + two) * file.length) / 65_536)] = three;
      if (round % 2 === 0 && file.length > 0) file[Math.floor((four * file.length) / 256)] = one;
      const source = path.join(directory, `${format}-${round}`);
      await writeFile(source, file);
      for (const recipe of ["as it is", { within: 20 }] as const) {
        await makePicture(source, recipe, `${source}.made`).catch((error) => faults.add(error instanceof ServiceError ? error.code : error.message));
      }
    }
    expect([...faults]).toEqual(["UNSUPPORTED_MEDIA_TYPE"]);
  });
});
