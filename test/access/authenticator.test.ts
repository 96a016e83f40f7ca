// Runs once: no database can influence what is tested here.
import { randomUUID } from "node:crypto";
import { Authenticator, type RequestOrigin } from "../../src/engine/access/authenticator.js";
import { StaleCallerError } from "../../src/engine/access/cached-caller-check.js";
import type { Permission } from "../../src/engine/access/permissions.js";
import type { RateLimits } from "../../src/engine/access/rate-limits.js";
import { type GatewayRequest, RequestContext } from "../../src/engine/operation/request-context.js";
import { withVerifiedCaller } from "../../src/engine/operation/verified-caller.js";
import { Prisma } from "../../src/generated/prisma/client.js";
import { LogEntry } from "../../src/platform/telemetry/log-entry.js";
import { createApiKey } from "../support/factories.js";
import { sharedWorkspace } from "../support/harness.js";

const permissions: Permission[] = ["facilities:read"];
/** The addresses and caller ids that were counted. */
let counted: string[];
let authenticator: Authenticator;
let key: Awaited<ReturnType<typeof createApiKey>>;
let origin: RequestOrigin;
const { gateway, workspaceId } = await sharedWorkspace();
beforeEach(async () => {
  counted = [];
  const count = async (subject: string) => void counted.push(subject);
  authenticator = new Authenticator({
    database: gateway.app.database,
    verifyToken: async () => "malformed token",
    rateLimits: { countAddress: count, countCaller: count } as RateLimits,
    now: () => new Date(),
  });
  key = await createApiKey(gateway.prisma, { workspaceId, permissions });
  const address = "192.0.2.1";
  origin = {
    id: randomUUID(),
    address,
    authorization: key.authorization,
    via: "GRAPHQL",
    logEntry: new LogEntry(address),
  };
});

const fromCache = async () =>
  authenticator.authenticateFromCache(await authenticator.identify(origin), origin);
const change = () =>
  gateway.prisma.apiKey.updateMany({ where: { id: key.id }, data: { permissions: ["alerts:read"] } });
const revoke = () =>
  gateway.prisma.apiKey.updateMany({ where: { id: key.id }, data: { revokedAt: new Date() } });
const unauthenticated = expect.objectContaining({ code: "UNAUTHENTICATED" });

it("returns a cached caller without a statement, and verifies it with one", async () => {
  expect((await fromCache()).check).toBeUndefined();
  gateway.clearStatements();
  const { caller, check } = await fromCache();
  expect([caller.id, gateway.statements]).toEqual([key.id, []]);
  await check?.verify();
  await check?.verify();
  expect(gateway.statements).toHaveLength(1);
  expect(counted).toEqual([key.id, key.id]);
});

it("finds a cached caller stale after a change", async () => {
  await fromCache();
  const { check } = await fromCache();
  await change();
  await expect(check?.verify()).rejects.toThrow(StaleCallerError);
});

it("revalidates to the same session while nothing has changed, then to a fresh one, and counts neither", async () => {
  const session = await fromCache();
  counted = [];
  expect(await authenticator.revalidate(session)).toBe(session);
  await change();
  const fresh = await authenticator.revalidate(session);
  expect([...fresh.caller.permissions]).toEqual(["alerts:read"]);
  expect([...session.caller.permissions]).toEqual(permissions);
  expect(await fromCache()).toMatchObject({ caller: fresh.caller });
  expect(counted).toEqual([key.id]);
});

it("revalidates to UNAUTHENTICATED once the credentials are revoked, which counts against an address only if one is given", async () => {
  const session = await fromCache();
  await revoke();
  counted = [];
  await expect(authenticator.revalidate(session)).rejects.toEqual(unauthenticated);
  expect(counted).toEqual([]);
  await expect(authenticator.revalidate(session, origin)).rejects.toEqual(unauthenticated);
  expect(counted).toEqual([origin.address]);
});

it.each<[string, (origin: RequestOrigin) => Promise<unknown>]>([
  ["no credentials", (origin) => authenticator.identify({ ...origin, authorization: undefined })],
  ["an invalid token", (origin) => authenticator.identify({ ...origin, authorization: "Bearer x" })],
  [
    "an unknown key",
    async (origin) =>
      authenticator.authenticate({ key: { id: randomUUID(), secretHash: Buffer.alloc(32) } }, origin),
  ],
])("counts %s against the address, once", async (_case, attempt) => {
  await expect(attempt(origin)).rejects.toEqual(unauthenticated);
  expect(counted).toEqual([origin.address]);
});

/** Runs work with a cached caller; returns its result and the number of runs. */
async function runWithCachedCaller(
  between: () => Promise<unknown>,
  work: (context: RequestContext) => Promise<unknown>,
): Promise<[result: unknown, runs: number]> {
  await fromCache();
  const settings = { heartbeatTimeout: 180 };
  const services = { authenticator, database: gateway.app.database, settings };
  const context = new RequestContext({ services, origin } as unknown as GatewayRequest, await fromCache());
  await between();
  let runs = 0;
  const result = await withVerifiedCaller(context, (session) => {
    runs += 1;
    return work(new RequestContext(context, session));
  }).catch((error) => error);
  return [result, runs];
}

it.each<[string, (context: RequestContext) => Promise<unknown>]>([
  ["reads nothing", async () => {}],
  ["fails before it reads", () => Promise.reject(new Error("failed"))],
  [
    "reads",
    ({ visible }) =>
      visible.query(({ facilities }) => Prisma.sql`SELECT facility."id" FROM ${facilities} AS facility`),
  ],
])("repeats work that %s for a changed caller, but not for a revoked one", async (_case, work) => {
  const permissionsIn = async (context: RequestContext) => {
    await work(context).catch((error) => {
      if (error instanceof StaleCallerError) throw error;
    });
    return [...context.caller.permissions];
  };
  expect(await runWithCachedCaller(async () => {}, permissionsIn)).toEqual([permissions, 1]);
  expect(await runWithCachedCaller(change, permissionsIn)).toEqual([["alerts:read"], 2]);
  counted = [];
  expect(await runWithCachedCaller(revoke, permissionsIn)).toEqual([unauthenticated, 1]);
  expect(counted.filter((subject) => subject === origin.address)).toHaveLength(1);
});
