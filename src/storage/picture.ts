import { open, writeFile } from "node:fs/promises";
import sharp, { type Sharp } from "sharp";
import { ServiceError } from "../platform/errors.js";
import type { PictureExtension } from "./object-store.js";

/** How to convert an uploaded picture: to JPEG or PNG in its original size, or to WebP that fits into a square. */
export type PictureConversion = "original size" | { maxSide: number };

/** The result of a conversion. */
export interface ConvertedPicture {
  extension: PictureExtension;
  /** In pixels. */
  width: number;
  height: number;
}

const maxPixels = 50_000_000;
const conversionTimeoutSeconds = 20;

/** The signatures of the accepted formats. Nothing else reaches the decoder, which supports many more. */
const signatures: [PictureExtension, (head: Buffer) => boolean][] = [
  ["jpg", (head) => head.subarray(0, 3).equals(Buffer.from([0xff, 0xd8, 0xff]))],
  ["png", (head) => head.subarray(0, 8).equals(Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]))],
  ["webp", (head) => head.toString("latin1", 0, 4) === "RIFF" && head.toString("latin1", 8, 12) === "WEBP"],
];

/**
 * Converts a picture and writes it to another file: fully decoded, rotated upright, and re-encoded without metadata, so that
 * nothing of the original but the visible image remains. PAYLOAD_TOO_LARGE above 50 megapixels, UNSUPPORTED_MEDIA_TYPE for
 * anything that is not a complete JPEG, PNG or WebP picture, UNAVAILABLE if it takes too long.
 */
export async function convertPicture(source: string, conversion: PictureConversion, target: string): Promise<ConvertedPicture> {
  const format = await formatOf(source);
  try {
    const picture = sharp(source, { limitInputPixels: maxPixels, failOn: "error", sequentialRead: true });
    const extension = conversion === "original size" ? originalSizeFormat[format] : "webp";
    const upright = picture.autoOrient().toColourspace("srgb").timeout({ seconds: conversionTimeoutSeconds });
    if (conversion !== "original size")
      upright.resize({ width: conversion.maxSide, height: conversion.maxSide, fit: "inside", withoutEnlargement: true });
    const output = await encode(upright, extension).toFile(target);
    return { extension, width: output.width, height: output.height };
  } catch (error) {
    if (/pixel limit/i.test((error as Error).message)) throw tooManyPixels();
    if (/^timeout/i.test((error as Error).message)) throw timedOut();
    throw (await isServerError(error, target)) ? error : notAPicture();
  }
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

/** Full-size pictures are never encoded as WebP: its encoder needs many times the memory of the others. */
const originalSizeFormat = { jpg: "jpg", png: "png", webp: "jpg" } as const;

function encode(picture: Sharp, extension: PictureExtension): Sharp {
  // Optimized Huffman tables would need the whole picture in memory; JPEG has no transparency.
  if (extension === "jpg") return picture.flatten({ background: "white" }).jpeg({ quality: 90, optimizeCoding: false });
  return extension === "png" ? picture.png() : picture.webp({ quality: 90 });
}

const tooManyPixels = () => new ServiceError("PAYLOAD_TOO_LARGE", `The picture has more than ${maxPixels / 1_000_000} megapixels`);
const timedOut = () => new ServiceError("UNAVAILABLE", "Converting the picture took too long; it is safe to retry", { retryAfter: 5 });
const notAPicture = () => new ServiceError("UNSUPPORTED_MEDIA_TYPE", "The file is not a complete JPEG, PNG or WebP picture");

/** sharp reports errors as text, and the same text whether it failed to read or to write. */
async function isServerError(error: unknown, target: string): Promise<boolean> {
  if (error instanceof ServiceError || /no space|memory/i.test((error as Error).message)) return true;
  return /write/i.test((error as Error).message) && !(await isWritable(target));
}

async function isWritable(target: string): Promise<boolean> {
  try {
    await writeFile(target, Buffer.alloc(1024 * 1024));
    return true;
  } catch {
    return false;
  }
}

// Each picture is decoded once: a cache would only use memory.
sharp.cache(false);
