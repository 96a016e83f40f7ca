import type { ErrorRequestHandler, RequestHandler } from "express";
import { ServiceError } from "../../platform/errors/errors.js";
import { isLocal } from "../../platform/network/ip-address.js";
import type { RateLimits } from "../access/rate-limits.js";
import { originOf } from "./request-origin.js";

/** Counts requests for public content against the client's address. */
export function rateLimitAnonymous(rateLimits: RateLimits): RequestHandler {
  return async (request, _response, next) => {
    await rateLimits.countAddress(originOf(request).address);
    next();
  };
}

/** Like {@link rateLimitAnonymous}, but for probes, which must not fail from this machine or private networks. */
export function rateLimitProbes(rateLimits: RateLimits): RequestHandler {
  return async (request, _response, next) => {
    const { address } = originOf(request);
    if (!isLocal(address)) await rateLimits.countAddress(address);
    next();
  };
}

/**
 * Counts requests with an unsupported method, which are answered METHOD_NOT_ALLOWED even over the limit, by contract.
 */
export function countWrongMethods(rateLimits: RateLimits): ErrorRequestHandler {
  return async (error, request, _response, next) => {
    if (error instanceof ServiceError && error.code === "METHOD_NOT_ALLOWED") {
      await rateLimits.countAddress(originOf(request).address).catch((refusal) => {
        if (!(refusal instanceof ServiceError)) throw refusal;
      });
    }
    next(error);
  };
}
