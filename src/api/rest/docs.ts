import { existsSync } from "node:fs";
import path from "node:path";
import express, { type Router } from "express";
import { methodNotAllowed, readMethods } from "../../engine/http/methods.js";
import { connectSources, Page, type SettingsForRequest } from "../../platform/pages/page.js";
import { type ApiDescription, docsPage } from "./docs-page.js";

interface DocsOptions {
  makeDescription: () => object;
  /** The build output with the page's style and script: `dist/docs`. */
  assetsDirectory: string;
  settingsFor: SettingsForRequest;
}

function contentSecurityPolicy(connectSources: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    `connect-src ${connectSources}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}

/** Serves `/openapi.json`, and the page made from it at `/docs`. */
export function docsRouter({ makeDescription, assetsDirectory, settingsFor }: DocsOptions): Router {
  if (!existsSync(path.join(assetsDirectory, "docs.js")))
    throw new Error(`The docs page is missing in ${assetsDirectory}; run \`npm run build\``);
  // Create them on the first request: this takes as long as a large part of a start.
  let madeDescription: object | undefined;
  const document = () => (madeDescription ??= makeDescription());
  let madePage: Page | undefined;
  const page = () => (madePage ??= new Page(docsPage(document() as ApiDescription)));
  const router = express.Router();
  router.get(
    "/openapi.json",
    (_request, response) => void response.set("access-control-allow-origin", "*").json(document()),
  );
  router.get("/docs", async (request, response) => {
    const settings = await settingsFor(request);
    const policy = contentSecurityPolicy(connectSources(request.host, settings));
    response
      .set({ "content-security-policy": policy, "cache-control": "no-store" })
      .type("html")
      .send(page().withSettings(settings));
  });
  router.all(["/openapi.json", "/docs"], methodNotAllowed(readMethods));
  // Browsers revalidate these with each page, so the page and its script are of the same version.
  router.use("/docs", express.static(assetsDirectory, { index: false, redirect: false }));
  return router;
}
