import { writeFile } from "node:fs/promises";
import path from "node:path";
import type { Request } from "express";
import { createKey } from "../access/api-key.js";
import { isLoopback, signToken } from "../access/jwt.js";
import { permissions } from "../access/permissions.js";
import type { Database } from "../database/client.js";
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

/** Signs tokens for the demo administrator: only for the embedded demo, served on loopback and requested by a loopback name. */
export async function demoToken({ environment, now }: Runtime, { embedded, prisma }: Database): Promise<InitialToken> {
  const secret = environment.AUTH_JWT_SECRET;
  const isDemo = embedded && isLoopback(environment.HOST) && (await prisma.user.count({ where: { authId: demoAdministrator } })) > 0;
  if (!isDemo || !secret) return async () => undefined;
  return async (request) => {
    const isForwarded = environment.TRUST_PROXY !== undefined || Object.keys(request.headers).some((name) => /^(?:x-)?forwarded/.test(name));
    return isForwarded || !isLoopback(request.hostname) ? undefined : signToken(secret, demoAdministrator, tokenLifetimeSeconds, now());
  };
}
