import compression from "compression";
import type { Request, RequestHandler, Response } from "express";

/**
 * Larger responses are sent uncompressed: the compressor would hold them in memory until a slow client has read them.
 * The limit on unread data does not see that memory.
 */
export const maxCompressedBytes = 1024 * 1024;
export const minCompressedBytes = 1024;

/** JSON Lines, a type that the compressor does not know. */
const jsonLines = "application/x-ndjson";

const compress = compression({ filter: isCompressed, threshold: minCompressedBytes });
const compressed = new WeakSet<Response>();

function isCompressed(request: Request, response: Response): boolean {
  const isText = response.getHeader("content-type") === jsonLines || compression.filter(request, response);
  return isText && Number(response.getHeader("content-length") ?? 0) <= maxCompressedBytes;
}

/** Compresses what is written to a response from now on, if the type, the size and the client allow it. */
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
