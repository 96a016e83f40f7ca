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

/**
 * Like {@link rateLimitAnonymous}, but exempts probes from the machine itself and private networks, which must not
 * fail.
 */
export function rateLimitProbes(rateLimits: RateLimits): RequestHandler {
  return async (request, _response, next) => {
    const { address } = originOf(request);
    if (!isLocal(address)) await rateLimits.countAddress(address);
    next();
  };
}

/**
 * Counts requests with an unsupported method against the client's address. Over the limit, the answer is still
 * METHOD_NOT_ALLOWED, which takes precedence by contract.
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
