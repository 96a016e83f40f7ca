import compression from "compression";
import type { Request, RequestHandler, Response } from "express";

/**
 * The compressor would hold a large response in memory, unseen by the limit of what waits
 * to be read, until a slow client has it.
 */
export const maxCompressedBytes = 1024 * 1024;
/** Shorter responses are not compressed. */
export const minCompressedBytes = 1024;

/** JSON with a type that the compressor does not know. */
const jsonLines = "application/x-ndjson";

const compress = compression({ filter: isCompressed, threshold: minCompressedBytes });
const compressed = new WeakSet<Response>();

function isCompressed(request: Request, response: Response): boolean {
  const isText = response.getHeader("content-type") === jsonLines || compression.filter(request, response);
  return isText && Number(response.getHeader("content-length") ?? 0) <= maxCompressedBytes;
}

/**
 * Has what is written to a response from now on compressed, if its type and size are such
 * that it should be, and its client allows it.
 */
export function compressResponse(request: Request, response: Response): void {
  if (compressed.has(response)) return;
  compressed.add(response);
  compress(request, response, () => {});
}

/** Compresses the responses of the handlers after it. */
export const compressResponses: RequestHandler = (request, response, next) => {
  compressResponse(request, response);
  next();
};
