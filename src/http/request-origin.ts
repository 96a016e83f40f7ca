import type { Request } from "express";
import type { RequestOrigin } from "../access/authenticator.js";

/** Where an HTTP request comes from, and the credentials it carries. */
export function originOf({ id, ip = "", headers }: Request): RequestOrigin {
  return { id: String(id), address: ip, authorization: headers.authorization };
}
