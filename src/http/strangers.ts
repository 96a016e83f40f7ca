import type { RequestHandler } from "express";
import type { RateLimits } from "../access/rate-limits.js";

/** Counts a request for what is shown to everybody against its address. */
export function countStrangers(rateLimits: RateLimits): RequestHandler {
  return async (request, _response, next) => {
    await rateLimits.countAddress(request.ip ?? "");
    next();
  };
}
