import { once } from "node:events";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import type { Request } from "express";
import { createKey } from "../../../engine/access/api-key.js";
import { signToken } from "../../../engine/access/jwt.js";
import { permissions } from "../../../engine/access/permissions.js";
import { isLoopback } from "../../../engine/access/trustworthy-url.js";
import { type Database, embeddedDatabase } from "../../../engine/database/client.js";
import type { GatewayServices } from "../../../engine/operation/gateway-services.js";
import { cameraFeedOf } from "../../../engine/settings/camera-feed.js";
import type { Environment } from "../../../engine/settings/environment.js";
import { forkCommand } from "../../../platform/fork-command.js";
import { parseAddress } from "../../../platform/network/ip-address.js";
import type { StreamingCamera } from "../../demo/streaming-camera.js";
import type { Infrastructure } from "../infrastructure.js";
import type { Runtime } from "../runtime.js";

const demoAdministrator = "demo|admin";
const tokenLifetimeSeconds = 12 * 3600;

/** Whether the database is for the demo fleet: by default an embedded one, a server only if SEED says so. */
const isForDemo = ({ SEED }: Environment, { embedded }: Database) =>
  (SEED ?? (embedded ? "demo" : "none")) === "demo";

/**
 * Fills a missing embedded database with the demo fleet, in a separate process: inserting the rows leaves
 * some 200 MB behind, which the end of the process releases. {@link seedDemoFleet} completes an interrupted
 * database. Returns false if the process has failed and reported why.
 */
export async function seedNewDemo(environment: Environment): Promise<boolean> {
  const { DATABASE_URL, DATA_DIR, SEED = "demo" } = environment;
  if (DATABASE_URL || SEED !== "demo" || existsSync(embeddedDatabase(DATA_DIR))) return true;
  const [code, signal] = await once(forkCommand("seed-demo"), "exit");
  if (signal) throw new Error(`The demo fleet was not created: its process was ended by ${signal}`);
  return code === 0;
}

/** Fills an empty database with the demo fleet, if the database is for the demo. */
export async function seedDemoFleet(
  { environment, log, now }: Runtime,
  { database, store }: Infrastructure,
): Promise<void> {
  if (!isForDemo(environment, database)) return;
  const { seedDemo } = await import("../../demo/seed.js");
  const { key, ...apiKey } = createKey();
  if (!(await seedDemo({ database, store, log, now: now(), permissions, apiKey }))) return;
  await writeFile(path.join(environment.DATA_DIR, "demo-api-key"), `${key}\n`, { mode: 0o600 });
  process.stdout.write(
    `\nAPI key of the demo workspace (stored in ${environment.DATA_DIR}/demo-api-key): ${key}\n`,
  );
}

/** Adds the worker that simulates activity in the embedded demo, unless disabled. */
export async function addLiveDetector(
  { environment }: Runtime,
  infrastructure: Infrastructure,
  services: GatewayServices,
  stream: StreamingCamera | undefined,
): Promise<void> {
  const { database, workers, objectRemoval } = infrastructure;
  if (environment.DEMO_LIVE === "off" || !database.embedded || !isForDemo(environment, database)) return;
  const { prisma } = database;
  const { findDemoWorkspace, LiveDetector } = await import("../../demo/live-detector.js");
  const demo = await findDemoWorkspace(prisma);
  if (!demo) return;
  const onPruned = () => objectRemoval.wake();
  const detector = new LiveDetector({ services, prisma, stream, onPruned }, demo);
  workers.add("simulating the detectors of the demo", () => detector.step());
}

/** Opens the stream of one camera of the embedded demo, unless the settings disable that or all streams. */
export async function openDemoStream(
  { environment, disposers }: Runtime,
  { database }: Infrastructure,
): Promise<StreamingCamera | undefined> {
  if (environment.DEMO_LIVE === "off" || !("ffmpegPath" in cameraFeedOf(environment))) return undefined;
  if (!database.embedded || !isForDemo(environment, database)) return undefined;
  const { prisma } = database;
  const [{ findDemoWorkspace }, { StreamingCamera }] = await Promise.all([
    import("../../demo/live-detector.js"),
    import("../../demo/streaming-camera.js"),
  ]);
  const demo = await findDemoWorkspace(prisma);
  const stream = demo && (await StreamingCamera.open(prisma, demo.workspaceId));
  if (stream) disposers.defer(() => stream.server.close());
  return stream;
}

/** The administrator of the demo fleet, who may get tokens; undefined in production, and without a demo fleet. */
export async function demoUserOf(environment: Environment, database: Database): Promise<string | undefined> {
  // A server's database may not have been migrated yet.
  if (environment.NODE_ENV === "production" || !(database.embedded || isForDemo(environment, database)))
    return undefined;
  return (await database.prisma.authIdLookup.count({ where: { authId: demoAdministrator } })) > 0
    ? demoAdministrator
    : undefined;
}

/** The initial token of all pages; undefined if users must sign in. */
export type InitialToken = (request: Request) => Promise<string | undefined>;

/**
 * The headers that browsers send when they load a page. A proxy has added any other header, such as Forwarded, Via,
 * X-Real-IP or CF-Connecting-IP. No list of proxies' headers is complete, so every header not known as a browser's
 * counts as a proxy's.
 */
const browserHeader =
  /^(?:host|connection|user-agent|accept|accept-(?:charset|encoding|language)|sec-.+|cookie|authorization|referer|origin|cache-control|pragma|if-.+|range|upgrade-insecure-requests|priority|te|dnt|purpose|save-data|keep-alive)$/;

/** Whether a request seems to come directly from a program on this machine that asked for a loopback name. */
function isFromThisMachine({ headers, hostname, httpVersion, socket }: Request): boolean {
  const isPeerLocal = isLoopback(parseAddress(socket.remoteAddress) ?? "");
  // A proxy may replace the Host and add no header, like nginx by default. Such a proxy then speaks HTTP/1.0.
  return (
    isPeerLocal &&
    isLoopback(hostname) &&
    httpVersion !== "1.0" &&
    Object.keys(headers).every((name) => browserHeader.test(name))
  );
}

/**
 * Signs tokens for `demoUser`. Only for the embedded demo, served on loopback, not in production, and not behind a
 * trusted proxy. Only for requests that come from this machine without any other proxy.
 */
export function demoToken(
  { environment, now }: Runtime,
  { embedded }: Database,
  demoUser: string | undefined,
): InitialToken {
  const { AUTH_JWT_SECRET: secret, HOST, TRUST_PROXY } = environment;
  const isServedLocally = embedded && isLoopback(HOST) && TRUST_PROXY === undefined;
  if (!secret || !demoUser || !isServedLocally) return async () => undefined;
  return async (request) =>
    isFromThisMachine(request) ? signToken(secret, demoUser, tokenLifetimeSeconds, now()) : undefined;
}
