import type { RequestHandler } from "express";
import type { RateLimits } from "../access/rate-limits.js";

/** Counts requests for public content against the client's address. */
export function rateLimitAnonymous(rateLimits: RateLimits): RequestHandler {
  return async (request, _response, next) => {
    await rateLimits.countAddress(request.ip ?? "");
    next();
  };
}
