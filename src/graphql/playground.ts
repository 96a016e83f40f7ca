import { readFileSync } from "node:fs";
import { join } from "node:path";
import express from "express";
import type { RateLimits } from "../access/rate-limits.js";
import { originOf } from "../http/request-origin.js";
import { type PlaygroundSettings, settingsElementId } from "./playground/settings.js";

/** Options of {@link playgroundRouter}. */
export interface PlaygroundOptions {
  /** Counts who asks for the page. */
  rateLimits: RateLimits;
  /** The build output with the page and its assets: `dist/playground`. */
  assetsDirectory: string;
  /** The token in the page's initial headers; undefined if users must enter their own. */
  initialToken: (request: express.Request) => Promise<string | undefined>;
}

const settingsPlaceholder = "<!--playground-settings-->";

/** Whether a request for `/graphql` is answered with the page: browsers that navigate prefer HTML. */
export const prefersPlayground = (request: express.Request): boolean =>
  ["GET", "HEAD"].includes(request.method) && request.accepts(["json", "html"]) === "html";

/**
 * Serves GraphiQL to browsers that navigate to `/graphql`, and its assets below that path.
 * All other requests are passed on to the GraphQL server, which must be mounted after it.
 */
export function playgroundRouter(options: PlaygroundOptions): express.Router {
  const [pageStart, pageEnd] = readPage(options.assetsDirectory);
  const router = express.Router();

  router.get("/graphql", async (request, response, next) => {
    response.vary("Accept");
    if (!prefersPlayground(request)) {
      next();
      return;
    }
    await options.rateLimits.countAddress(originOf(request).address);
    const initialToken = await options.initialToken(request);
    const settings = settingsElement(initialToken === undefined ? {} : { initialToken });
    response.set("Cache-Control", "no-store");
    response.set("Content-Security-Policy", contentSecurityPolicy(request.host));
    response.type("html").send(pageStart + settings + pageEnd);
  });

  router.use(
    "/graphql/assets",
    express.static(join(options.assetsDirectory, "assets"), {
      immutable: true,
      maxAge: "1 year",
      index: false,
      redirect: false,
    }),
  );

  return router;
}

function readPage(assetsDirectory: string): [string, string] {
  const path = join(assetsDirectory, "page.html");
  let page: string;
  try {
    page = readFileSync(path, "utf8");
  } catch (error) {
    throw new Error(`The playground page ${path} is missing; run \`npm run build\``, {
      cause: error,
    });
  }
  const [start, end] = page.split(settingsPlaceholder);
  if (start === undefined || end === undefined) {
    throw new Error(`The playground page ${path} is damaged; run \`npm run build\``);
  }
  return [start, end];
}

function settingsElement(settings: PlaygroundSettings): string {
  // An unescaped "<" could close the script element.
  const json = JSON.stringify(settings).replaceAll("<", "\\u003c");
  return `<script type="application/json" id="${settingsElementId}">${json}</script>`;
}

function contentSecurityPolicy(host: string | undefined): string {
  // Not all browsers match WebSockets on the same host with 'self'. The host comes from a
  // client-supplied header, so it is ignored unless it looks like a host name.
  const sockets = host && /^[\w.:[\]-]+$/.test(host) ? ` ws://${host} wss://${host}` : "";
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self' data:",
    `connect-src 'self'${sockets}`,
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}
