import type { IncomingHttpHeaders } from "node:http";
import express, { type Express, type Request, type RequestHandler, type Response } from "express";

/** A precondition of a request is false (RFC 9110, section 13). The response is 412 without a body. */
class PreconditionFailedError extends Error {
  readonly status = 412;
}

/** Whether a list names a tag by the strong comparison, in which weak tags never match. `*` matches anything. */
const namesTag = (list: string, tag: unknown): boolean =>
  list.trim() === "*" ||
  (typeof tag === "string" && !tag.startsWith("W/") && list.split(",").some((each) => each.trim() === tag));

const timeOf = (date: unknown): number => (typeof date === "string" ? Date.parse(date) : Number.NaN);

/** Throws if a precondition is false. `If-Unmodified-Since` counts only without `If-Match`, and only between dates. */
export function assertPreconditions(headers: IncomingHttpHeaders, response: Response): void {
  const { "if-match": match, "if-unmodified-since": unmodifiedSince } = headers;
  const isFalse =
    match !== undefined
      ? !namesTag(match, response.getHeader("ETag"))
      : timeOf(response.getHeader("Last-Modified")) > timeOf(unmodifiedSince);
  if (isFalse) throw new PreconditionFailedError("A precondition of the request is false");
}

/** Whether to send a range. `If-Range` must name the exact date or the strong tag of the current content. */
export function wantsRange(headers: IncomingHttpHeaders, response: Response): boolean {
  const wanted = headers["if-range"]?.toString();
  if (wanted === undefined) return true;
  return (
    wanted === response.getHeader("Last-Modified") ||
    (wanted !== "*" && namesTag(wanted, response.getHeader("ETag")))
  );
}

/** Makes Express check preconditions where it asks whether the client already has the response. */
export function checkPreconditions(app: Express): void {
  Object.defineProperty(app.request, "fresh", {
    configurable: true,
    get(this: Request) {
      const { method, headers, res: response } = this;
      const isRead = method === "GET" || method === "HEAD";
      if (isRead && response && response.statusCode >= 200 && response.statusCode < 300)
        assertPreconditions(headers, response);
      return Reflect.get(express.request, "fresh", this);
    },
  });
}

/**
 * For pages and their resources, which may be sent compressed. Every response varies by encoding, even a 304. No ranges
 * are sent. All tags are weak, and match none by the strong comparison. Express's file server would behave differently
 * in each point.
 */
export const weaklyTagged: RequestHandler = ({ headers }, response, next) => {
  response.vary("Accept-Encoding");
  delete headers.range;
  if (headers["if-match"] !== undefined && headers["if-match"].trim() !== "*") headers["if-match"] = '"none"';
  next();
};
