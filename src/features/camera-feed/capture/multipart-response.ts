import { once } from "node:events";
import type { Response } from "express";

const boundary = "frame";

/** Sends the header of a response that consists of frames. */
export const sendHead = (response: Response): Response =>
  response.set({
    "content-type": `multipart/x-mixed-replace; boundary=${boundary}`,
    "cache-control": "private, no-store",
    // As for stored pictures: the bytes come from a device that nobody knows.
    "content-security-policy": "default-src 'none'; sandbox",
    "x-content-type-options": "nosniff",
    "cross-origin-resource-policy": "cross-origin",
    // Tells nginx not to collect frames.
    "x-accel-buffering": "no",
  });

/** Sends frames as they come. Waits with the next until a slow viewer has taken the last, so nothing piles up. */
export async function sendFrames(
  frames: AsyncIterable<Buffer>,
  response: Response,
  signal: AbortSignal,
): Promise<void> {
  for await (const jpeg of frames) {
    const isFirst = !response.headersSent;
    if (isFirst) sendHead(response);
    response.cork();
    if (isFirst) response.write(`--${boundary}\r\n`);
    response.write(`content-type: image/jpeg\r\ncontent-length: ${jpeg.length}\r\n\r\n`);
    response.write(jpeg);
    // Browsers show a frame once they have read the boundary behind it.
    response.write(`\r\n--${boundary}\r\n`);
    response.uncork();
    if (response.writableNeedDrain) await once(response, "drain", { signal });
  }
}
