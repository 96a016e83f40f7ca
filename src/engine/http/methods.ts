import type { RequestHandler } from "express";
import { ServiceError } from "../../platform/errors/errors.js";

/** Rejects all other methods of a path with METHOD_NOT_ALLOWED and the list of supported ones. */
export function methodNotAllowed(methods: Iterable<string>): RequestHandler {
  const allow = [...new Set(methods)].sort().join(", ");
  return (_request, response) => {
    response.set("allow", allow);
    throw new ServiceError("METHOD_NOT_ALLOWED", `This path supports ${allow}`);
  };
}

export const readMethods = ["GET", "HEAD"];
