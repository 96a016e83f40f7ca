import path from "node:path";
import express, { type Router } from "express";

const day = 24 * 3600;

/** Serves what all pages show: their icon. `directory` is the build output. */
export function sharedFiles(directory: string): Router {
  const router = express.Router();
  const file = path.join(directory, "favicon.svg");
  router.get("/favicon.svg", (_request, response) => {
    response.set({
      "cache-control": `public, max-age=${day}`,
      "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'",
    });
    response.sendFile(file, { cacheControl: false });
  });
  return router;
}
