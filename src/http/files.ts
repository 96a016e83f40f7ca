import { Router } from "express";
import type { RateLimits } from "../access/rate-limits.js";
import { invalidLink, notFound } from "../platform/errors.js";
import type { ObjectStore } from "../storage/object-store.js";
import type { SignedLinks } from "../storage/signed-link.js";
import { methodNotAllowed, readMethods } from "./methods.js";
import { originOf } from "./request-origin.js";

/** `/files/…`: stored objects, for callers with a valid signed link. */
export function filesRouter(links: SignedLinks, store: ObjectStore, rateLimits: RateLimits): Router {
  const router = Router();
  router.get("/files/*key", async (request, response, next) => {
    const key = request.path.slice("/files/".length);
    if (!links.isValid(key, String(request.query.expires), String(request.query.signature))) {
      await rateLimits.countAddress(originOf(request).address);
      throw invalidLink();
    }
    response.set({
      // A stored file must be treated as a picture and nothing else, whatever a browser makes of its bytes.
      "content-security-policy": "default-src 'none'; sandbox",
      "x-content-type-options": "nosniff",
      "cross-origin-resource-policy": "cross-origin",
      "cache-control": "private, max-age=3600, immutable",
    });
    const location = await store.locate(key, request.method === "HEAD" ? "HEAD" : "GET");
    if (location === undefined) throw notFound();
    if ("url" in location) {
      // That URL is only valid for minutes, and the picture is cached under it.
      response.set("cache-control", "private, no-store").redirect(302, location.url);
      return;
    }
    const { directory: root, file } = location;
    response.sendFile(file, { root, cacheControl: false, dotfiles: "deny" }, (error?: Error & { status?: number }) => {
      if (!error || response.headersSent) return;
      // For an unsatisfiable range, the headers are already set.
      if (error.status === 416) response.status(416).end();
      else next(error.status === 404 ? notFound() : error);
    });
  });
  router.all("/files/*key", methodNotAllowed(readMethods));
  return router;
}
