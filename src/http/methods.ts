import type { RequestHandler } from "express";
import { ServiceError } from "../platform/errors.js";

/** Refuses every other method of a path with METHOD_NOT_ALLOWED and the methods that it takes. */
export function onlyMethods(methods: Iterable<string>): RequestHandler {
  const allow = [...new Set(methods)].sort().join(", ");
  return (_request, response) => {
    response.set("allow", allow);
    throw new ServiceError("METHOD_NOT_ALLOWED", `This path takes ${allow}`);
  };
}

/** What a path takes that can be read. */
export const readMethods = ["GET", "HEAD"];
