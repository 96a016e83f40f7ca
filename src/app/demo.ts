import { writeFile } from "node:fs/promises";
import path from "node:path";
import type { Request } from "express";
import { createKey } from "../access/api-key.js";
import { signToken } from "../access/jwt.js";
import { permissions } from "../access/permissions.js";
import { isLoopback } from "../access/trustworthy-url.js";
import type { Database } from "../database/client.js";
import { parseAddress } from "../platform/ip-address.js";
import type { Infrastructure } from "./infrastructure.js";
import type { Runtime } from "./runtime.js";

const demoAdministrator = "demo|admin";
const tokenLifetimeSeconds = 12 * 3600;

/** Fills an empty database with the demo fleet: the embedded one by default, a server if SEED says so. */
export async function seedDemoFleet({ environment, log, now }: Runtime, { database, store }: Infrastructure): Promise<void> {
  if ((environment.SEED ?? (database.embedded ? "demo" : "none")) !== "demo") return;
  // Loaded on demand, because what draws the pictures takes 60 ms to load.
  const { seedDemo } = await import("../demo/seed.js");
  const { key, ...apiKey } = createKey();
  if (!(await seedDemo({ prisma: database.prisma, store, log, now: now(), permissions, apiKey }))) return;
  await writeFile(path.join(environment.DATA_DIR, "demo-api-key"), `${key}\n`, { mode: 0o600 });
  process.stdout.write(`\nAPI key of the demo workspace (stored in ${environment.DATA_DIR}/demo-api-key): ${key}\n`);
}

/** The token that the playground and the REST docs start with; undefined if users must enter their own. */
export type InitialToken = (request: Request) => Promise<string | undefined>;

/**
 * The headers that browsers send when they load a page. Any other was added on the way: Forwarded, Via, X-Real-IP,
 * CF-Connecting-IP and so on. There is no complete list of those, so that headers not known to be a browser's count as a proxy's.
 */
const browserHeader =
  /^(?:host|connection|user-agent|accept|accept-(?:charset|encoding|language)|sec-.+|cookie|authorization|referer|origin|cache-control|pragma|if-.+|range|upgrade-insecure-requests|priority|te|dnt|purpose|save-data|keep-alive)$/;

/** Whether a request comes straight from a program on this machine that has asked for a loopback name, as far as can be told. */
function isFromThisMachine({ headers, hostname, httpVersion, socket }: Request): boolean {
  const isPeerLocal = isLoopback(parseAddress(socket.remoteAddress) ?? "");
  // A proxy may replace the Host and add nothing, as nginx does by default, but it speaks HTTP/1.0 then.
  return isPeerLocal && isLoopback(hostname) && httpVersion !== "1.0" && Object.keys(headers).every((name) => browserHeader.test(name));
}

/**
 * Signs tokens for the demo administrator: only for the embedded demo, served on loopback, not in production, not behind a
 * trusted proxy, and only for requests that come from this machine and not through any other proxy.
 */
export async function demoToken({ environment, now }: Runtime, { embedded, prisma }: Database): Promise<InitialToken> {
  const { AUTH_JWT_SECRET: secret, HOST, NODE_ENV, TRUST_PROXY } = environment;
  const isServedLocally = embedded && isLoopback(HOST) && NODE_ENV !== "production" && TRUST_PROXY === undefined;
  if (!secret || !isServedLocally || (await prisma.authIdLookup.count({ where: { authId: demoAdministrator } })) === 0) return async () => undefined;
  return async (request) => (isFromThisMachine(request) ? signToken(secret, demoAdministrator, tokenLifetimeSeconds, now()) : undefined);
}
