import { join } from "node:path";
import express from "express";
import type { RateLimits } from "../../engine/access/rate-limits.js";
import { originOf } from "../../engine/http/request-origin.js";
import { connectSources, Page, type SettingsForRequest } from "../../platform/pages/page.js";
import { pageAssets } from "../../platform/pages/static-files.js";

interface PlaygroundOptions {
  rateLimits: RateLimits;
  /** The build output with the page and its assets: `dist/playground`. */
  assetsDirectory: string;
  settingsFor: SettingsForRequest;
}

/** Whether the page answers a request for `/graphql`: navigating browsers prefer HTML. */
export const prefersPlayground = (request: express.Request): boolean =>
  ["GET", "HEAD"].includes(request.method) && request.accepts(["json", "html"]) === "html";

/**
 * Serves GraphiQL to browsers that navigate to `/graphql`, and its assets below that path. Passes all other requests on
 * to the GraphQL server, which must be mounted after this router.
 */
export function playgroundRouter(options: PlaygroundOptions): express.Router {
  const page = Page.read(join(options.assetsDirectory, "page.html"), "playground");
  const router = express.Router();

  router.get("/graphql", async (request, response, next) => {
    response.vary("Accept");
    if (!prefersPlayground(request)) {
      next();
      return;
    }
    await options.rateLimits.countAddress(originOf(request).address);
    const settings = await options.settingsFor(request);
    response.set("Cache-Control", "no-store");
    response.set("Content-Security-Policy", contentSecurityPolicy(connectSources(request.host, settings)));
    response.type("html").send(page.withSettings(settings));
  });

  router.use("/graphql/assets", pageAssets(join(options.assetsDirectory, "assets")));

  return router;
}

function contentSecurityPolicy(connectSources: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self' data:",
    `connect-src ${connectSources}`,
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}
