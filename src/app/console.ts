import path from "node:path";
import express, { type Request, type Router } from "express";
import type { ConsoleSettings } from "../console/settings.js";
import type { Environment } from "../environment.js";
import { methodNotAllowed, readMethods } from "../http/methods.js";
import { BuiltPage, socketSources } from "../pages/page.js";
import type { ObjectStore } from "../storage/object-store.js";
import type { InitialToken } from "./demo.js";

/** Options of {@link consoleRouter}. */
export interface ConsoleOptions {
  environment: Environment;
  store: ObjectStore;
  /** The beginning of links to pictures. */
  publicUrl: () => string;
  /** The build output with the page and its assets: `dist/console`. */
  assetsDirectory: string;
  /** The console's initial token; undefined if users must sign in. */
  initialToken: InitialToken;
}

/**
 * Serves the console at `/`, with its state in the query, and its assets below
 * `/console/assets`.
 */
export function consoleRouter({
  environment,
  store,
  publicUrl,
  assetsDirectory,
  initialToken,
}: ConsoleOptions): Router {
  const page = new BuiltPage(path.join(assetsDirectory, "page.html"), "console");
  const identityProvider = identityProviderOf(environment);
  const settingsFor = async (request: Request): Promise<ConsoleSettings> => {
    const token = await initialToken(request);
    return {
      publicUrl: publicUrl(),
      mailsSignInLinks: environment.SMTP_URL !== undefined && environment.AUTH_ISSUER === undefined,
      ...(identityProvider && { identityProvider }),
      ...(token !== undefined && { initialToken: token }),
    };
  };
  const router = express.Router();
  router.get("/", async (request, response) => {
    const policy = contentSecurityPolicy(request.host, {
      issuer: identityProvider?.issuer,
      pictures: await pictureOrigin(store),
    });
    response.set({ "cache-control": "no-store", "content-security-policy": policy });
    response.type("html").send(page.withSettings(await settingsFor(request)));
  });
  router.all("/", methodNotAllowed(readMethods));
  const assets = express.static(path.join(assetsDirectory, "assets"), {
    immutable: true,
    maxAge: "1 year",
    index: false,
    redirect: false,
  });
  router.use("/console/assets", assets);
  return router;
}

function identityProviderOf({
  AUTH_ISSUER,
  AUTH_AUDIENCE,
  CONSOLE_CLIENT_ID,
  CONSOLE_SCOPE,
}: Environment): ConsoleSettings["identityProvider"] {
  if (!AUTH_ISSUER || !AUTH_AUDIENCE || !CONSOLE_CLIENT_ID) return undefined;
  return { issuer: AUTH_ISSUER, audience: AUTH_AUDIENCE, clientId: CONSOLE_CLIENT_ID, scope: CONSOLE_SCOPE };
}

/**
 * The origin to which links to stored pictures redirect; undefined if the gateway itself
 * sends the pictures.
 */
async function pictureOrigin(store: ObjectStore): Promise<string | undefined> {
  const location = await store.locate("any.jpg");
  return location && "url" in location ? new URL(location.url).origin : undefined;
}

function contentSecurityPolicy(
  host: string | undefined,
  { issuer, pictures }: { issuer: string | undefined; pictures: string | undefined },
): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src 'self'${pictures ? ` ${pictures}` : ""}`,
    `connect-src 'self'${socketSources(host)}${issuer ? ` ${new URL(issuer).origin}` : ""}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}
