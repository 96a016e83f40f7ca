import { hash } from "node:crypto";
import type { Request, Response } from "express";
import { compressResponse, maxCompressedBytes, minCompressedBytes } from "./compression.js";

/** Longer texts are sent as bytes, so that unread data is counted in bytes, too. */
const maxTextLength = 16 * 1024;

/**
 * Ends a response with JSON in one write, and bypasses the compressor where compression is not wanted. The content type
 * may already be set. Answers to GET carry an `ETag`, and a client that already has the answer receives 304.
 */
export function sendJson(request: Request, response: Response, json: string): void {
  const { method, headers } = request;
  const bytes = Buffer.byteLength(json);
  const isRead = method === "GET" || method === "HEAD";
  if (isRead) {
    response.setHeader("ETag", entityTag(json, bytes));
    if (bytes <= maxCompressedBytes) response.vary("Accept-Encoding");
    if (request.fresh) {
      response.removeHeader("Content-Type");
      response.status(304).end();
      return;
    }
  }
  if (!response.hasHeader("Content-Type"))
    response.setHeader("Content-Type", "application/json; charset=utf-8");
  response.setHeader("Content-Length", bytes);
  if (headers["accept-encoding"] !== undefined && bytes >= minCompressedBytes)
    compressResponse(request, response);
  else if (bytes <= maxCompressedBytes) response.vary("Accept-Encoding");
  if (method === "HEAD") response.end();
  else response.end(json.length > maxTextLength ? Buffer.from(json) : json);
}

/** The tag is weak, because the text may be sent compressed. */
function entityTag(text: string, bytes: number): string {
  return `W/"${bytes.toString(16)}-${hash("sha1", text, "base64url")}"`;
}
