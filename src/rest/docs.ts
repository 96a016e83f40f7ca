import { existsSync } from "node:fs";
import path from "node:path";
import express, { type Request, type Router } from "express";
import { methodNotAllowed, readMethods } from "../http/methods.js";
import { type ApiDocument, docsPage, tokenPlaceholder } from "./docs-page.js";

/** Options of {@link docsRouter}. */
export interface DocsOptions {
  /** Makes the OpenAPI document. */
  makeDocument: () => object;
  /** The build output with the page's style and script: `dist/docs`. */
  assetsDirectory: string;
  /** The token that the page sends; undefined if users must enter their own. */
  initialToken: (request: Request) => Promise<string | undefined>;
}

const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** Serves `/openapi.json`, and the page made from it at `/docs`. */
export function docsRouter({ makeDocument, assetsDirectory, initialToken }: DocsOptions): Router {
  if (!existsSync(path.join(assetsDirectory, "docs.js")))
    throw new Error(`The docs page is missing in ${assetsDirectory}; run \`npm run build\``);
  // Create them on the first request: this takes as long as a large part of a start.
  let madeDocument: object | undefined;
  const document = () => (madeDocument ??= makeDocument());
  let madePage: [beforeToken: string, afterToken: string] | undefined;
  const page = () =>
    (madePage ??= docsPage(document() as ApiDocument).split(tokenPlaceholder) as [string, string]);
  const router = express.Router();
  router.get(
    "/openapi.json",
    (_request, response) => void response.set("access-control-allow-origin", "*").json(document()),
  );
  router.get("/docs", async (request, response) => {
    // A signed token contains no characters to escape in an attribute.
    const token = (await initialToken(request)) ?? "";
    const [beforeToken, afterToken] = page();
    response
      .set({ "content-security-policy": contentSecurityPolicy, "cache-control": "no-store" })
      .type("html")
      .send(beforeToken + token + afterToken);
  });
  router.all(["/openapi.json", "/docs"], methodNotAllowed(readMethods));
  // Browsers revalidate these with each page, so the page and its script are of the same
  // version.
  router.use("/docs", express.static(assetsDirectory, { index: false, redirect: false }));
  return router;
}
