import type { IncomingHttpHeaders } from "node:http";
import express, { type Express, type Request, type RequestHandler, type Response } from "express";

/**
 * A precondition of a request is false (RFC 9110, section 13): it is answered with 412,
 * without a body.
 */
export class PreconditionFailedError extends Error {
  readonly status = 412;
}

/**
 * Tags are the same by the strong comparison if neither is weak; `*` stands for whatever
 * there is.
 */
const namesTag = (list: string, tag: string | undefined): boolean =>
  list.trim() === "*" ||
  (tag !== undefined && !tag.startsWith("W/") && list.split(",").some((each) => each.trim() === tag));

const timeOf = (date: unknown): number => (typeof date === "string" ? Date.parse(date) : Number.NaN);

/**
 * Throws if a precondition is false. `If-Unmodified-Since` counts only without
 * `If-Match`, and only if it is a date and there is one to compare with.
 */
export function assertPreconditions(headers: IncomingHttpHeaders, response: Response): void {
  const { "if-match": match, "if-unmodified-since": unmodifiedSince } = headers;
  const isFalse =
    match !== undefined
      ? !namesTag(match, response.getHeader("ETag") as string | undefined)
      : timeOf(response.getHeader("Last-Modified")) > timeOf(unmodifiedSince);
  if (isFalse) throw new PreconditionFailedError("A precondition of the request is false");
}

/**
 * Whether a range is to be sent: `If-Range` must name the very tag or date of what there
 * is, and its tag must not be weak.
 */
export function wantsRange(headers: IncomingHttpHeaders, response: Response): boolean {
  const wanted = headers["if-range"]?.toString();
  if (wanted === undefined) return true;
  return (
    wanted === response.getHeader("Last-Modified") ||
    (wanted !== "*" && namesTag(wanted, response.getHeader("ETag") as string | undefined))
  );
}

/**
 * Has Express check preconditions where it asks whether the client has the response
 * already: before it sends one.
 */
export function checkPreconditions(app: Express): void {
  const isFresh = Object.getOwnPropertyDescriptor(express.request, "fresh")?.get as () => boolean;
  Object.defineProperty(app.request, "fresh", {
    configurable: true,
    get(this: Request) {
      const { method, headers, res: response } = this;
      const isRead = method === "GET" || method === "HEAD";
      if (isRead && response && response.statusCode >= 200 && response.statusCode < 300)
        assertPreconditions(headers, response);
      return isFresh.call(this);
    },
  });
}

/**
 * For pages and what they load, which may be sent compressed: they vary by that also
 * where the client has them already, no part of them is sent, and their tags are weak, of
 * which none is the same as any other by the strong comparison. Express's file server has
 * other views.
 */
export const weaklyTagged: RequestHandler = ({ headers }, response, next) => {
  response.vary("Accept-Encoding");
  delete headers.range;
  if (headers["if-match"] !== undefined && headers["if-match"].trim() !== "*") headers["if-match"] = '"none"';
  next();
};
