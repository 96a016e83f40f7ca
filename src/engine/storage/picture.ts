import { copyFile, open, stat, writeFile } from "node:fs/promises";
import type { Metadata, Sharp } from "sharp";
import { ServiceError } from "../../platform/errors/errors.js";
import type { Size } from "../../platform/geometry.js";
import { errorOf } from "../../platform/thrown.js";
import type { PictureExtension } from "./object-store.js";

/** Draws an SVG image on a picture of the same size, or nothing. The result is a JPEG that fits into a square. */
export interface PictureDrawing {
  maxSide: number;
  overlay: ((size: Size, original: Size) => string) | null;
  /** Whether the picture, but not what is drawn on it, loses most of its colours. */
  isGreyed?: boolean;
}

/**
 * How to convert a picture: to JPEG or PNG in its original size, to WebP that fits into a square, or by drawing on it.
 * A picture that the gateway made itself stays as it is unless it is large.
 */
export type PictureConversion = "original size" | "taken" | { maxSide: number } | PictureDrawing;

export interface ConvertedPicture extends Size {
  extension: PictureExtension;
}

/** The pictures that {@link inspectPicture} and the limit for uploads accept, for descriptions. */
export const acceptedPicture =
  "JPEG, PNG or WebP of at most 50 megapixels and, unless the gateway is configured otherwise, 10 MiB.";
/** The stored form of a picture in its original size, for descriptions. */
export const storedPicture = "It is stored upright and without metadata, WebP as JPEG.";

const maxPixels = 50_000_000;
/** The maximum number of bytes of a picture in memory while it is decoded, as {@link heldBytes} estimates. */
const maxHeldBytes = 256_000_000;
/** The decoder, the conversion and the encoder work in strips of lines. */
const heldLines = 1000;
/** The strips of wider pictures take many times the memory. JPEG allows no more either. */
const maxSide = 65_535;
/** Larger pictures take much time or memory. */
const largePixels = 8_000_000;
const largeHeldBytes = 32_000_000;
const conversionTimeoutSeconds = 20;
/** What is kept of the pictures that the gateway takes: of each camera a new one every minutes. */
const maxTakenSide = 1920;
const maxTakenBytes = 1024 * 1024;

/** The signatures of the accepted formats. The decoder supports many more formats, but receives no other ones. */
const signatures: [PictureExtension, (head: Buffer) => boolean][] = [
  ["jpg", (head) => head.subarray(0, 3).equals(Buffer.from([0xff, 0xd8, 0xff]))],
  [
    "png",
    (head) => head.subarray(0, 8).equals(Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])),
  ],
  ["webp", (head) => head.toString("latin1", 0, 4) === "RIFF" && head.toString("latin1", 8, 12) === "WEBP"],
];

/**
 * Reads the header of a picture, and tells whether decoding takes much time or memory. PAYLOAD_TOO_LARGE above 50
 * megapixels, or if decoding would hold too much in memory; UNSUPPORTED_MEDIA_TYPE for any format but JPEG, PNG and
 * WebP.
 */
export async function inspectPicture(source: string): Promise<{ isLarge: boolean }> {
  const format = await formatOf(source);
  const picture = await read(source);
  const header = await picture.metadata().catch((error) => {
    throw refusalOf(error) ?? notAPicture();
  });
  if (Math.max(header.width, header.height) > maxSide) throw tooLong();
  const held = heldBytes(format, header);
  if (held > maxHeldBytes) throw tooMuchMemory();
  return { isLarge: header.width * header.height > largePixels || held > largeHeldBytes };
}

/** The most bytes of a picture in memory at once, by measurement. Most pictures need some lines, others all of them. */
function heldBytes(
  format: PictureExtension,
  { width, height, channels, depth, isProgressive, orientation = 1 }: Metadata,
): number {
  const pixels = width * height;
  const bytesPerPixel = channels * (depth === "ushort" ? 2 : 1);
  const lines = Math.min(pixels, (orientation > 4 ? height : width) * heldLines) * bytesPerPixel;
  // The decoder holds the frame and its canvas, both with transparency.
  if (format === "webp") return lines + pixels * 8;
  // Progressive JPEGs need 16-bit coefficients. Assume the maximum, as their number per component is unreliable.
  const interlaced = isProgressive ? pixels * (format === "jpg" ? channels * 2 : bytesPerPixel) : 0;
  // Mirroring works line by line. Rotations need all lines at once.
  return lines + interlaced + (orientation > 2 ? pixels * bytesPerPixel : 0);
}

/**
 * Converts a picture to another file. Decodes the whole picture, turns it upright, and encodes it again without
 * metadata: nothing of the original remains but the visible image. PAYLOAD_TOO_LARGE above 50 megapixels,
 * UNSUPPORTED_MEDIA_TYPE for anything but a complete JPEG, PNG or WebP picture, UNAVAILABLE if the conversion takes too
 * long.
 */
export async function convertPicture(
  source: string,
  conversion: PictureConversion,
  target: string,
): Promise<ConvertedPicture> {
  const format = await formatOf(source);
  try {
    if (conversion === "taken") {
      const { width, height } = await (await read(source)).metadata();
      if (Math.max(width, height) <= maxTakenSide && (await stat(source)).size <= maxTakenBytes) {
        await copyFile(source, target);
        return { extension: format, width, height };
      }
    }
    const upright = (await read(source))
      .autoOrient()
      .toColourspace("srgb")
      .timeout({ seconds: conversionTimeoutSeconds });
    const [extension, picture] = await convert(upright, format, conversion);
    const output = await picture.toFile(target);
    return { extension, width: output.width, height: output.height };
  } catch (error) {
    const failure = errorOf(error);
    throw refusalOf(failure) ?? (await serverError(failure, target)) ?? notAPicture();
  }
}

async function read(source: string): Promise<Sharp> {
  // Load sharp on demand: loading takes 20 ms.
  const { default: sharp } = await import("sharp");
  // Turn the cache off. Each picture is decoded once, so a cache would only use memory.
  sharp.cache(false);
  return sharp(source, { limitInputPixels: maxPixels, failOn: "error", sequentialRead: true });
}

async function formatOf(source: string): Promise<PictureExtension> {
  const file = await open(source);
  try {
    const { buffer } = await file.read(Buffer.alloc(12), 0, 12, 0);
    const [format] = signatures.find(([, matches]) => matches(buffer)) ?? [];
    if (!format) throw notAPicture();
    return format;
  } finally {
    await file.close();
  }
}

/** Full-size pictures never become WebP: its encoder needs many times the memory of the others. */
const originalSizeFormat = { jpg: "jpg", png: "png", webp: "jpg" } as const;

async function convert(
  upright: Sharp,
  format: PictureExtension,
  conversion: PictureConversion,
): Promise<[PictureExtension, Sharp]> {
  if (conversion === "original size") {
    const extension = originalSizeFormat[format];
    // Do not optimize Huffman tables: that would need the whole picture in memory.
    return [
      extension,
      extension === "png" ? upright.png() : opaque(upright).jpeg({ quality: 90, optimizeCoding: false }),
    ];
  }
  if (conversion === "taken") {
    const fitting = opaque(upright).resize(squareOf(maxTakenSide));
    return ["jpg", fitting.jpeg({ quality: 82 })];
  }
  const { maxSide } = conversion;
  if ("overlay" in conversion) return ["jpg", await draw(upright, conversion)];
  return ["webp", upright.resize(squareOf(maxSide)).webp({ quality: 90 })];
}

/** Into what a picture is made to fit. */
const squareOf = (side: number) =>
  ({ width: side, height: side, fit: "inside", withoutEnlargement: true }) as const;

async function draw(upright: Sharp, { maxSide, overlay, isGreyed }: PictureDrawing): Promise<Sharp> {
  const { autoOrient: original } = await upright.metadata();
  const scale = Math.min(1, maxSide / Math.max(original.width, original.height));
  // The overlay must not be larger than the picture.
  const size = {
    width: Math.max(1, Math.round(original.width * scale)),
    height: Math.max(1, Math.round(original.height * scale)),
  };
  const resized = opaque(upright).resize({ ...size, fit: "fill" });
  const drawn = isGreyed ? resized.modulate({ saturation: 0.1 }) : resized;
  if (!overlay) return drawn.jpeg({ quality: 82 });
  // Avoid the usual chroma subsampling: thin lines would lose their colors.
  return drawn
    .composite([{ input: Buffer.from(overlay(size, original)) }])
    .jpeg({ quality: 82, chromaSubsampling: "4:4:4" });
}

/** JPEG has no transparency. */
const opaque = (picture: Sharp): Sharp => picture.flatten({ background: "white" });

const tooManyPixels = () =>
  new ServiceError("PAYLOAD_TOO_LARGE", `The picture has more than ${maxPixels / 1_000_000} megapixels`);
const tooLong = () =>
  new ServiceError("PAYLOAD_TOO_LARGE", `The picture is more than ${maxSide} pixels wide or high`);
const tooMuchMemory = () =>
  new ServiceError(
    "PAYLOAD_TOO_LARGE",
    `Decoding the picture would take more than ${maxHeldBytes / 1_000_000} MB of memory: send it smaller, or upright as a JPEG that is not progressive or a PNG that is not interlaced`,
  );
const timedOut = () =>
  new ServiceError("UNAVAILABLE", "Converting the picture took too long; it is safe to retry", {
    retryAfter: 5,
  });
const notAPicture = () =>
  new ServiceError("UNSUPPORTED_MEDIA_TYPE", "The file is not a complete JPEG, PNG or WebP picture");

/** Parse the message, as sharp reports errors only as text. */
function refusalOf({ message }: Error): ServiceError | undefined {
  if (/pixel limit/i.test(message)) return tooManyPixels();
  return /^timeout/i.test(message) ? timedOut() : undefined;
}

/**
 * Returns the error if it is the server's own. sharp's text does not tell a failure to read from a failure to write.
 */
async function serverError(error: Error, target: string): Promise<unknown> {
  const { message } = error;
  if (/memory|no space|quota/i.test(message)) return error;
  if (!/write/i.test(message)) return undefined;
  return writeFile(target, Buffer.alloc(1024 * 1024)).then(
    () => undefined,
    (reason) => reason,
  );
}
