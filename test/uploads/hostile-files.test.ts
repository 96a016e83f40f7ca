// Runs once: no database can influence what is tested here.

import { existsSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import path from "node:path";
import sharp from "sharp";
import { convertPicture, inspectPicture } from "../../src/engine/storage/picture.js";
import { toServiceError } from "../../src/platform/errors/errors.js";
import { ownDirectory } from "../support/temporary-directory.js";
import {
  animatedWebp,
  costlyPictures,
  invalidPictures,
  largestPicture,
  longLines,
  noise,
  oversizedPictures,
  payload,
  pngOfLongText,
  polyglots,
} from "./hostile-files.js";
import { type Color, cornersOf } from "./sample-pictures.js";
import { rest, type UploadResult, uploadApis } from "./upload-apis.js";
import { maxBytes, openForRefusedUploads } from "./upload-site.js";

const { site, before, picture } = await openForRefusedUploads();
afterAll(() => site.close());

const expectUnchanged = () => site.expectUnchanged(before);

/** Sends a picture as each kind of upload. */
const sendersByKind: [string, (file: Buffer) => Promise<UploadResult>][] = uploadApis.flatMap(
  ([name, api]) => [
    [`a camera by ${name}`, (file) => api.addCamera(site, file)],
    [`a user by ${name}`, (file) => api.changeUser(site, file)],
  ],
);

const directory = await ownDirectory();

describe("a file that is converted", () => {
  /** Expects a refusal of the file as a picture of a camera and of a user. */
  async function expectRefusal(file: Buffer, code: string, message: unknown): Promise<void> {
    const source = path.join(directory, "source");
    await writeFile(source, file);
    for (const conversion of ["original size", { maxSide: 512 }] as const) {
      const error = await inspectPicture(source)
        .then(() => convertPicture(source, conversion, path.join(directory, "target")))
        .catch((failure) => failure);
      expect(error).toMatchObject({ code, message });
    }
  }

  it.each(invalidPictures)("%s is rejected because it is not a picture", async (_what, make) => {
    await expectRefusal(
      await make(),
      "UNSUPPORTED_MEDIA_TYPE",
      "The file is not a complete JPEG, PNG or WebP picture",
    );
  });

  it.each(oversizedPictures)("%s is rejected as too large", async (_what, make) => {
    await expectRefusal(await make(), "PAYLOAD_TOO_LARGE", "The picture has more than 50 megapixels");
  });

  it.each(costlyPictures)("%s of 49 megapixels is rejected as too large to decode", async (_what, make) => {
    const message = expect.stringMatching(/^Decoding the picture would take more than 256 MB of memory/);
    await expectRefusal(await make(), "PAYLOAD_TOO_LARGE", message);
  });

  it("a picture with longer lines than any JPEG is rejected as too large", async () => {
    await expectRefusal(
      longLines(),
      "PAYLOAD_TOO_LARGE",
      "The picture is more than 65535 pixels wide or high",
    );
  });
});

describe.each(sendersByKind)("as the picture of %s,", (kind, send) => {
  /** GraphQL responds to a failed mutation with status 200. */
  const statusOf = (status: number) => (/GraphQL/.test(kind) ? 200 : status);

  it.each(["an SVG", "an empty file", "half a JPEG"])(
    "%s is rejected because it is not a picture",
    async (what) => {
      const [, make] = invalidPictures.find(([name]) => name === what) as (typeof invalidPictures)[number];
      const message = "The file is not a complete JPEG, PNG or WebP picture";
      expect(await send(await make())).toEqual({
        status: statusOf(415),
        code: "UNSUPPORTED_MEDIA_TYPE",
        message,
      });
      await expectUnchanged();
    },
  );

  it("a picture of too many pixels, or too large to decode, is rejected as too large", async () => {
    for (const [[, make], message] of [
      [oversizedPictures[0], "The picture has more than 50 megapixels"],
      [
        costlyPictures[0],
        expect.stringMatching(/^Decoding the picture would take more than 256 MB of memory/),
      ],
    ] as [(typeof oversizedPictures)[number], string][]) {
      expect(await send(await make())).toEqual({ status: statusOf(413), code: "PAYLOAD_TOO_LARGE", message });
      await expectUnchanged();
    }
  });

  it("a file of 10 MiB and one byte is rejected as too large", async () => {
    const file = Buffer.concat([picture, Buffer.alloc(maxBytes + 1 - picture.length)]);
    expect(await send(file)).toMatchObject({ status: statusOf(413), code: "PAYLOAD_TOO_LARGE" });
    await expectUnchanged();
  });
});

/**
 * Adds a camera, deletes it again, and returns the picture and the thumbnail that were
 * stored for it.
 */
async function storedOf(file: Buffer): Promise<Buffer[]> {
  const { code, id } = await rest.addCamera(site, file);
  expect(code).toBe("OK");
  const pictures = await site.picturesOf(id);
  await site.deleteCamera(id);
  await expectUnchanged();
  return pictures;
}

describe("the stored picture", () => {
  it.each(polyglots)("of %s has no other content", async (_what, make) => {
    const file = await make();
    expect(file.includes(payload)).toBe(true);
    for (const stored of await storedOf(file)) {
      expect(await sharp(stored).metadata()).toMatchObject({ width: 64, height: 40 });
      expect(stored.includes("<script")).toBe(false);
      expect(stored.includes("PK\x03\x04")).toBe(false);
    }
  });

  it("of an animated WebP is the first frame", async () => {
    for (const stored of await storedOf(await animatedWebp())) {
      const { pages = 1, width, height } = await sharp(stored).metadata();
      expect({ pages, width, height }).toEqual({ pages: 1, width: 64, height: 40 });
      expect(await cornersOf(stored)).toEqual(Array<Color>(4).fill("red"));
    }
  });

  it("of a PNG whose comment inflates to 256 MiB is made without using that much memory", async () => {
    const file = await pngOfLongText();
    const memory = process.memoryUsage.rss();
    for (const stored of await storedOf(file)) expect(stored.length).toBeLessThan(10_000);
    expect(process.memoryUsage.rss() - memory).toBeLessThan(200 * 1024 * 1024);
  });
});

describe("the maximum is", () => {
  it("a file of 10 MiB", async () => {
    const file = Buffer.concat([picture, noise(1000), Buffer.alloc(maxBytes - picture.length - 1000)]);
    expect(file.length).toBe(maxBytes);
    expect((await storedOf(file)).map(({ length }) => length < 10_000)).toEqual([true, true]);
  });

  it("a picture of 50 megapixels", async () => {
    const [stored] = await storedOf(largestPicture());
    expect(await sharp(stored).metadata()).toMatchObject({ width: 10_000, height: 5000 });
  });
});

it.runIf(existsSync("/dev/full"))(
  "a picture that does not fit on the disk does not count as broken, and may be sent again",
  async () => {
    const source = path.join(site.dataDirectory, "picture");
    await writeFile(source, picture);
    onTestFinished(() => rm(source));
    for (const conversion of ["original size", { maxSide: 20 }] as const) {
      const error = await convertPicture(source, conversion, "/dev/full").catch((failure) => failure);
      expect(toServiceError(error, () => {})).toMatchObject({ code: "UNAVAILABLE" });
    }
  },
);
