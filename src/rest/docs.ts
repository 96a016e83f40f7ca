import { existsSync } from "node:fs";
import path from "node:path";
import express, { type Request, type Router } from "express";
import { methodNotAllowed, readMethods } from "../http/methods.js";

/** Options of {@link docsRouter}. */
export interface DocsOptions {
  /** The OpenAPI document. */
  document: object;
  /** The build output with RapiDoc: `dist/docs`. */
  assetsDirectory: string;
  /** The token that the page sends; undefined if users must enter their own. */
  initialToken: (request: Request) => Promise<string | undefined>;
}

const script = "rapidoc-min.js";

const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** Serves `/openapi.json`, and `/docs` with RapiDoc, which is bundled so that the page loads nothing from other hosts. */
export function docsRouter({ document, assetsDirectory, initialToken }: DocsOptions): Router {
  if (!existsSync(path.join(assetsDirectory, script))) throw new Error(`The docs page is missing in ${assetsDirectory}; run \`npm run build\``);
  const router = express.Router();
  router.get("/openapi.json", (_request, response) => void response.set("access-control-allow-origin", "*").json(document));
  router.get("/docs", async (request, response) => {
    const token = await initialToken(request);
    response.set({ "content-security-policy": contentSecurityPolicy, "cache-control": "no-store" }).type("html").send(page(token));
  });
  router.all(["/openapi.json", "/docs"], methodNotAllowed(readMethods));
  router.use("/docs", express.static(assetsDirectory, { index: false, redirect: false, maxAge: "1 day" }));
  return router;
}

function page(token: string | undefined): string {
  // A signed token contains no characters that need escaping in an attribute.
  const ready = token ? ` api-key-name="Authorization" api-key-location="header" api-key-value="Bearer ${token}"` : "";
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>Camera monitoring gateway: REST</title>
<script type="module" src="/docs/${script}"></script>
</head>
<body>
<rapi-doc spec-url="/openapi.json" render-style="read" load-fonts="false" show-header="false" allow-server-selection="false"
  allow-spec-url-load="false" allow-spec-file-load="false" schema-style="table" default-schema-tab="schema"
  regular-font="system-ui, sans-serif" mono-font="ui-monospace, monospace" primary-color="#2563eb"${ready}></rapi-doc>
</body>
</html>
`;
}
