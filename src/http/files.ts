import { Router } from "express";
import type { RateLimits } from "../access/rate-limits.js";
import { ServiceError } from "../platform/errors.js";
import type { ObjectStore } from "../storage/object-store.js";
import type { SignedLinks } from "../storage/signed-link.js";

/** `/files/…`: stored objects, to whoever holds a good link. */
export function filesRouter(links: SignedLinks, store: ObjectStore, rateLimits: RateLimits): Router {
  const router = Router();
  router.get("/files/*key", async (request, response, next) => {
    const key = request.path.slice("/files/".length);
    const { expires, signature } = request.query;
    if (typeof expires !== "string" || typeof signature !== "string" || !links.isValid(key, expires, signature)) {
      await rateLimits.countAddress(request.ip ?? "");
      throw new ServiceError("NOT_FOUND", "This link is not good, or no longer");
    }
    response.set({
      // A stored file is a picture and nothing else, whatever a browser might think of its bytes.
      "content-security-policy": "default-src 'none'; sandbox",
      "x-content-type-options": "nosniff",
      "cross-origin-resource-policy": "cross-origin",
      "cache-control": "private, max-age=3600, immutable",
    });
    response.sendFile(store.path(key), { cacheControl: false, dotfiles: "deny" }, (error) => {
      if (error && !response.headersSent) next("status" in error && error.status === 404 ? new ServiceError("NOT_FOUND", "The file is gone") : error);
    });
  });
  return router;
}
