import { crc32, deflateSync } from "node:zlib";
import { listOf } from "./list-of.js";

/** The header of a PNG, with the rows of the picture before compression. */
export interface PngPicture {
  width: number;
  height: number;
  /** Bits of one value. */
  depth: number;
  /** 0: shades of grey, 2: red, green and blue. */
  colours: 0 | 2;
  isInterlaced?: boolean;
  /** Each row begins with a zero. */
  rows: Buffer;
}

export const pngSignature = Buffer.from("89504e470d0a1a0a", "hex");

/** One chunk of a PNG file, with its length and checksum. */
export function pngChunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}

/** A PNG file, made by hand; `more` are chunks between its header and its pixels. */
export function pngOf(
  { width, height, depth, colours, isInterlaced, rows }: PngPicture,
  more: Buffer[] = [],
): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.writeUInt8(depth, 8);
  header.writeUInt8(colours, 9);
  header.writeUInt8(isInterlaced ? 1 : 0, 12);
  const pixels = pngChunk("IDAT", deflateSync(rows, { level: 9 }));
  return Buffer.concat([
    pngSignature,
    pngChunk("IHDR", header),
    ...more,
    pixels,
    pngChunk("IEND", Buffer.alloc(0)),
  ]);
}

/** A small picture of one colour. */
export function plainPng([red, green, blue]: [number, number, number] = [0, 128, 128]): Buffer {
  const [width, height] = [8, 6];
  const row = Buffer.from([0, ...listOf(width, () => [red, green, blue]).flat()]);
  return pngOf({ width, height, depth: 8, colours: 2, rows: Buffer.concat(Array(height).fill(row)) });
}
