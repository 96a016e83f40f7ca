import { open, writeFile } from "node:fs/promises";
import sharp, { type Sharp } from "sharp";
import { ServiceError } from "../platform/errors.js";
import type { PictureEnding } from "./object-store.js";

/** How a stored picture is made of one that was sent: in its own size, as JPEG or PNG, or as WebP within a square of so many pixels. */
export type PictureRecipe = "as it is" | { within: number };

/** A picture that was made. */
export interface MadePicture {
  ending: PictureEnding;
  /** In pixels. */
  width: number;
  height: number;
}

const mostPixels = 50_000_000;
/** Seconds that the making of one picture may take. */
const decodingTime = 20;

/** What the formats that are taken begin with. Nothing else is shown to the decoder, which knows many more. */
const signatures: [PictureEnding, (head: Buffer) => boolean][] = [
  ["jpg", (head) => head.subarray(0, 3).equals(Buffer.from([0xff, 0xd8, 0xff]))],
  ["png", (head) => head.subarray(0, 8).equals(Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]))],
  ["webp", (head) => head.toString("latin1", 0, 4) === "RIFF" && head.toString("latin1", 8, 12) === "WEBP"],
];

/**
 * Makes a picture of a file and writes it to another: decoded as a whole, turned upright, and encoded anew without any
 * metadata, so that nothing of the original but what it shows is kept. PAYLOAD_TOO_LARGE above 50 megapixels,
 * UNSUPPORTED_MEDIA_TYPE for what is no whole JPEG, PNG or WebP picture, UNAVAILABLE when it takes too long.
 */
export async function makePicture(source: string, recipe: PictureRecipe, target: string): Promise<MadePicture> {
  const format = await formatOf(source);
  try {
    const picture = sharp(source, { limitInputPixels: mostPixels, failOn: "error", sequentialRead: true });
    const ending = recipe === "as it is" ? keptFormat[format] : "webp";
    const upright = picture.autoOrient().toColourspace("srgb").timeout({ seconds: decodingTime });
    if (recipe !== "as it is") upright.resize({ width: recipe.within, height: recipe.within, fit: "inside", withoutEnlargement: true });
    const made = await encode(upright, ending).toFile(target);
    return { ending, width: made.width, height: made.height };
  } catch (error) {
    if (/pixel limit/i.test((error as Error).message)) throw tooManyPixels();
    if (/^timeout/i.test((error as Error).message)) throw tookTooLong();
    throw (await isOurFault(error, target)) ? error : undecodable();
  }
}

async function formatOf(source: string): Promise<PictureEnding> {
  const file = await open(source);
  try {
    const { buffer } = await file.read(Buffer.alloc(12), 0, 12, 0);
    const [format] = signatures.find(([, matches]) => matches(buffer)) ?? [];
    if (!format) throw undecodable();
    return format;
  } finally {
    await file.close();
  }
}

/** Pictures of full size are never made as WebP: that takes its encoder many times the memory of the others. */
const keptFormat = { jpg: "jpg", png: "png", webp: "jpg" } as const;

function encode(picture: Sharp, ending: PictureEnding): Sharp {
  // Optimal tables would need the whole picture in memory; JPEG has no transparency.
  if (ending === "jpg") return picture.flatten({ background: "white" }).jpeg({ quality: 90, optimizeCoding: false });
  return ending === "png" ? picture.png() : picture.webp({ quality: 90 });
}

const tooManyPixels = () => new ServiceError("PAYLOAD_TOO_LARGE", `The picture has more than ${mostPixels / 1_000_000} megapixels`);
const tookTooLong = () => new ServiceError("UNAVAILABLE", "Decoding the picture took too long; a retry is safe", { retryAfter: 5 });
const undecodable = () => new ServiceError("UNSUPPORTED_MEDIA_TYPE", "The file is no whole JPEG, PNG or WebP picture");

/** The decoder tells its reasons in words, and the same ones when it cannot read on as when it cannot write. */
async function isOurFault(error: unknown, target: string): Promise<boolean> {
  if (error instanceof ServiceError || /no space|memory/i.test((error as Error).message)) return true;
  return /write/i.test((error as Error).message) && !(await canBeWritten(target));
}

async function canBeWritten(target: string): Promise<boolean> {
  try {
    await writeFile(target, Buffer.alloc(1024 * 1024));
    return true;
  } catch {
    return false;
  }
}

// Pictures are decoded once: a cache of them would only hold memory.
sharp.cache(false);
