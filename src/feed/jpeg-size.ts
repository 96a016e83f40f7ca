import type { Size } from "../platform/geometry.js";

/** The width and height of a JPEG, from the segment that begins its frame. */
export function jpegSize(jpeg: Buffer): Size {
  // Each segment has a marker and its length. ffmpeg writes frames of the first three kinds.
  for (let at = 2; at + 9 <= jpeg.length && jpeg[at] === 0xff; at += 2 + jpeg.readUInt16BE(at + 2)) {
    const marker = jpeg.readUInt8(at + 1);
    if (marker >= 0xc0 && marker <= 0xc2)
      return { width: jpeg.readUInt16BE(at + 7), height: jpeg.readUInt16BE(at + 5) };
  }
  throw new Error("ffmpeg wrote a frame without a size");
}
