import { Router } from "express";
import type { RateLimits } from "../access/rate-limits.js";
import { badLink, notFound } from "../platform/errors.js";
import type { ObjectStore } from "../storage/object-store.js";
import type { SignedLinks } from "../storage/signed-link.js";
import { onlyMethods, readMethods } from "./methods.js";

/** `/files/…`: stored objects, to whoever holds a good link. */
export function filesRouter(links: SignedLinks, store: ObjectStore, rateLimits: RateLimits): Router {
  const router = Router();
  router.get("/files/*key", async (request, response, next) => {
    const key = request.path.slice("/files/".length);
    if (!links.isValid(key, String(request.query.expires), String(request.query.signature))) {
      await rateLimits.countAddress(request.ip ?? "");
      throw badLink();
    }
    response.set({
      // A stored file is a picture and nothing else, whatever a browser might think of its bytes.
      "content-security-policy": "default-src 'none'; sandbox",
      "x-content-type-options": "nosniff",
      "cross-origin-resource-policy": "cross-origin",
      "cache-control": "private, max-age=3600, immutable",
    });
    const location = await store.locate(key, request.method === "HEAD" ? "HEAD" : "GET");
    if (location === undefined) throw notFound();
    if ("url" in location) {
      // The address is good for minutes only: whoever keeps the picture keeps it under that address.
      response.set("cache-control", "private, no-store").redirect(302, location.url);
      return;
    }
    response.sendFile(location.file, { cacheControl: false, dotfiles: "deny" }, (error?: Error & { status?: number }) => {
      if (!error || response.headersSent) return;
      // A range that cannot be satisfied has its headers set already.
      if (error.status === 416) response.status(416).end();
      else next(error.status === 404 ? notFound() : error);
    });
  });
  router.all("/files/*key", onlyMethods(readMethods));
  return router;
}
