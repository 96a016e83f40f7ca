import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { permissions } from "../../src/access/permissions.js";
import { createSite, type Site } from "../access/fleet.js";
import { recordAlerts } from "../ingestion/recorder.js";
import { createApiKey, createWorkspace } from "../support/factories.js";
import { type Gateway, gatewayForTest } from "../support/harness.js";
import { onServer } from "../support/templates.js";
import { type Ground, newGround } from "../writes/ground.js";
import { type Call, newWriter, run, type Writer } from "../writes/writer.js";
import { metric, openSocket, subscriber } from "./live-socket.js";
import { type Relay, relayTo } from "./tcp-relay.js";

const { server } = inject("templates");
const redisUrl = process.env.TEST_REDIS_URL;
const transports = server ? (["postgresql", ...(redisUrl ? ["redis"] : [])] as const) : [];

/** Instances behind a load balancer: one database, and what happens at one is told to who is connected to another. */
describe.each(transports)("two gateways that tell each other by %s", (transport) => {
  let ground: Ground;
  let relay: Relay | undefined;
  let one: Gateway;
  let two: Gateway;
  let workspaceId: string;
  let site: Site;
  let admin: Writer;
  beforeAll(async () => {
    ground = await newGround();
    const environment: Record<string, string> = {};
    if (transport === "redis") {
      const url = new URL(redisUrl as string);
      relay = await relayTo(url.hostname, Number(url.port || 6379));
      url.host = `127.0.0.1:${relay.port}`;
      environment.REDIS_URL = url.href;
    }
    one = await ground.start({ environment });
    two = await ground.start({ environment });
    workspaceId = await createWorkspace(one.prisma, {});
    site = await createSite(one.prisma, { workspaceId, name: "Site", alerts: 0, newest: "2026-11-20T12:00:00Z" });
    admin = await newWriter(one.prisma, { workspaceId, roles: permissions });
  });
  afterAll(async () => {
    for (const gateway of [one, two]) await gateway?.close();
    await relay?.cut();
    await ground.remove();
  });

  const heartbeat = (): Call => ["mutation ($id: UUID!) { recordHeartbeat(facilityId: $id) { id } }", { id: site.facilityId }];
  const heartbeats = "subscription { facilityHeartbeat { id } }";
  const readiness = async (gateway: Gateway) => {
    const response = await gateway.fetch("/readyz");
    return { status: response.status, ...((await response.json()) as object) };
  };
  const ready = (connected: boolean) => ({ status: "ok", events: { transport, connected } });
  /** Breaks what brings events to both, while `work` is done. */
  const interrupted = async (work: () => Promise<void>) => {
    if (relay) await relay.cut();
    else {
      const { DATABASE_URL = "" } = ground.variables;
      const name = new URL(DATABASE_URL).pathname.slice(1);
      await onServer(server?.url as string, `ALTER DATABASE "${name}" WITH ALLOW_CONNECTIONS false`);
      await onServer(
        server?.url as string,
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}' AND application_name = 'camera-monitoring-gateway events'`,
      );
    }
    try {
      for (const gateway of [one, two]) await expect.poll(() => readiness(gateway), { timeout: 10_000 }).toEqual({ ...ready(false), status: "ok" });
      await work();
    } finally {
      if (relay) await relay.mend();
      else
        await onServer(
          server?.url as string,
          `ALTER DATABASE "${new URL(ground.variables.DATABASE_URL ?? "").pathname.slice(1)}" WITH ALLOW_CONNECTIONS true`,
        );
    }
    for (const gateway of [one, two]) await expect.poll(() => readiness(gateway), { timeout: 15_000 }).toEqual({ ...ready(true), status: "ok" });
  };

  it("say so in /readyz and /metrics", async () => {
    expect(await readiness(one)).toMatchObject({ ...ready(true) });
    expect(await metric(one, "gateway_events_connected")).toBe(1);
  });

  it("a write on one reaches the subscribers of both, once", async () => {
    const lives = [await subscriber(one, admin.as, heartbeats), await subscriber(two, admin.as, heartbeats)];
    await run(one, admin, heartbeat());
    await run(two, admin, heartbeat());
    const shown = { data: { facilityHeartbeat: { id: site.facilityId } } };
    for (const live of lives) await expect.poll(() => live.results()).toEqual([shown, shown]);
  });

  it("a thousand alerts arrive once and in their order, though half of them are recorded again", async () => {
    const live = await subscriber(two, admin.as, "subscription { alertRaised { id } }");
    const alert = { cameraId: site.cameraId, name: "NO_HELMET", createdAt: "2026-11-20T12:00:00Z" };
    const input = Array.from({ length: 1000 }, () => ({ ...alert, id: randomUUID() }));
    // What is there already is not raised again.
    for (const length of [500, 1000]) await run(one, admin, [recordAlerts, { input: input.slice(0, length) }]);
    const ids = input.map(({ id }) => id);
    const seen = () => live.results<{ alertRaised: { id: string } }>().map(({ data }) => data?.alertRaised.id);
    await expect.poll(seen, { timeout: 10_000 }).toEqual(ids);
  });

  it("a key that is revoked on one is closed on both", async () => {
    const key = await createApiKey(one.prisma, { workspaceId, permissions: ["facilities:read"] });
    const lives = [await openSocket(one, { as: key }), await subscriber(two, key, heartbeats)];
    await run(one, admin, ["mutation ($id: UUID!) { revokeApiKey(id: $id) { id } }", { id: key.id }]);
    for (const live of lives) expect(await live.closed()).toMatchObject({ code: 4401 });
  });

  it("a lost connection shows, heals by itself, and nothing is missed afterwards", async () => {
    const live = await subscriber(two, admin.as, heartbeats);
    await interrupted(async () => {
      for (const gateway of [one, two]) expect(await metric(gateway, "gateway_events_connected")).toBe(0);
      // The write is done all the same.
      await run(one, admin, heartbeat());
    });
    const before = live.results().length;
    await run(one, admin, heartbeat());
    await expect.poll(() => live.results().length).toBeGreaterThan(before);
    expect(live.ended).toBeUndefined();
  });

  it("a key that was revoked while the connection was lost is closed once it is back", async () => {
    const key = await createApiKey(one.prisma, { workspaceId, permissions: ["facilities:read"] });
    const lives = [await openSocket(one, { as: key }), await openSocket(two, { as: key })];
    await interrupted(async () => {
      await run(one, admin, ["mutation ($id: UUID!) { revokeApiKey(id: $id) { id } }", { id: key.id }]);
    });
    for (const live of lives) expect(await live.closed()).toMatchObject({ code: 4401 });
  });
});

it("a gateway starts while Redis is away, says so in /readyz, and answers", async () => {
  const gateway = await gatewayForTest({ seed: "none", environment: { REDIS_URL: "redis://127.0.0.1:1" } });
  const response = await gateway.fetch("/readyz");
  expect([response.status, await response.json()]).toEqual([200, { status: "ok", events: { transport: "redis", connected: false } }]);
  const workspaceId = await createWorkspace(gateway.prisma, {});
  const admin = await newWriter(gateway.prisma, { workspaceId, roles: permissions });
  const { facilityId } = await createSite(gateway.prisma, { workspaceId, name: "Site", alerts: 0, newest: "2026-11-20T12:00:00Z" });
  await run(gateway, admin, ["mutation ($id: UUID!) { recordHeartbeat(facilityId: $id) { id } }", { id: facilityId }]);
});

describe.runIf(server && redisUrl)("rate limits of instances that share a Redis", () => {
  const limits = { RATE_LIMIT: "on", RATE_LIMIT_CALLER: "3", RATE_LIMIT_ADDRESS: "1000" };
  const statusOf = async (gateway: Gateway, { as }: Writer) => (await gateway.graphql("{ workspace { id } }", { as })).status;

  it("count together; each counts by itself while Redis is away", async () => {
    const ground = await newGround();
    const url = new URL(redisUrl as string);
    const relay = await relayTo(url.hostname, Number(url.port || 6379));
    url.host = `127.0.0.1:${relay.port}`;
    const environment = { ...limits, REDIS_URL: url.href };
    const gateways = [await ground.start({ environment }), await ground.start({ environment })];
    const [one, two] = gateways as [Gateway, Gateway];
    try {
      const workspaceId = await createWorkspace(one.prisma, {});
      const [first, second] = [await newWriter(one.prisma, { workspaceId }), await newWriter(one.prisma, { workspaceId })];
      const sent = [one, two, one, two, one].map((gateway) => () => statusOf(gateway, first));
      const statuses: number[] = [];
      for (const send of sent) statuses.push(await send());
      expect(statuses).toEqual([200, 200, 200, 429, 429]);
      await relay.cut();
      await expect.poll(async () => (await (await one.fetch("/readyz")).json()) as object).toMatchObject({ events: { connected: false } });
      const alone: number[] = [];
      for (let count = 0; count < 4; count += 1) alone.push(await statusOf(one, second));
      expect(alone).toEqual([200, 200, 200, 429]);
    } finally {
      for (const gateway of gateways) await gateway.close();
      await relay.cut().catch(() => {});
      await ground.remove();
    }
  });
});

describe.runIf(server)("rate limits of instances that share a database alone", () => {
  it("count together within moments", async () => {
    const ground = await newGround();
    const environment = { RATE_LIMIT: "on", RATE_LIMIT_CALLER: "200", RATE_LIMIT_ADDRESS: "1000" };
    const gateways = [await ground.start({ environment }), await ground.start({ environment })];
    const [one, two] = gateways as [Gateway, Gateway];
    try {
      const writer = await newWriter(one.prisma, { workspaceId: await createWorkspace(one.prisma, {}) });
      const statusOf = async (gateway: Gateway) => (await gateway.graphql("{ workspace { id } }", { as: writer.as })).status;
      for (let count = 0; count < 200; count += 1) expect(await statusOf(one)).toBe(200);
      let asked = 0;
      const status = () => {
        asked += 1;
        return statusOf(two);
      };
      await expect.poll(status, { timeout: 10_000, interval: 100 }).toBe(429);
      // By itself it would have refused the 201st only.
      expect(asked).toBeLessThan(100);
    } finally {
      for (const gateway of gateways) await gateway.close();
      await ground.remove();
    }
  });
});
