import path from "node:path";
import express, { type Router } from "express";
import { methodNotAllowed, readMethods } from "../../../engine/http/methods.js";
import type { ObjectStore } from "../../../engine/storage/object-store.js";
import { connectSources, Page, type SettingsForRequest } from "../../../platform/pages/page.js";
import { pageAssets } from "../../../platform/pages/static-files.js";

interface ConsoleOptions {
  store: ObjectStore;
  settingsFor: SettingsForRequest;
  /** The build output with the page and its assets: `dist/console`. */
  assetsDirectory: string;
}

/** Serves the console at `/`, with its state in the query, and its assets below `/console/assets`. */
export function consoleRouter({ store, settingsFor, assetsDirectory }: ConsoleOptions): Router {
  const page = Page.read(path.join(assetsDirectory, "page.html"), "console");
  const router = express.Router();
  router.get("/", async (request, response) => {
    const settings = await settingsFor(request);
    const policy = contentSecurityPolicy(connectSources(request.host, settings), await fileSources(store));
    response.set({ "cache-control": "no-store", "content-security-policy": policy });
    response.type("html").send(page.withSettings(settings));
  });
  router.all("/", methodNotAllowed(readMethods));
  router.use("/console/assets", pageAssets(path.join(assetsDirectory, "assets")));
  return router;
}

/** Where stored pictures and clips come from: links to the gateway may redirect to a bucket. */
async function fileSources(store: ObjectStore): Promise<string> {
  const location = await store.locate("any.jpg");
  return `'self'${location && "url" in location ? ` ${new URL(location.url).origin}` : ""}`;
}

function contentSecurityPolicy(connectSources: string, files: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src ${files}`,
    `media-src ${files}`,
    `connect-src ${connectSources}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}
