import { randomUUID } from "node:crypto";
import { inject } from "vitest";
import { recordAlerts } from "../ingestion/recorder.js";
import { type CompleteFacility, createCompleteFacility } from "../support/complete-facility.js";
import { onServer } from "../support/databases.js";
import {
  createAdmin,
  createApiKey,
  createFacility,
  createTestUser,
  createWorkspace,
  type TestUser,
} from "../support/factories.js";
import { type Gateway, gatewayForTest, run } from "../support/harness.js";
import { listOf } from "../support/list-of.js";
import { TcpProxy } from "../support/tcp-proxy.js";
import { TestSite } from "../support/test-site.js";
import {
  heartbeat,
  heartbeats,
  type LiveSocket,
  metric,
  openSocket,
  running,
  subscriber,
  subscriptionsOf,
} from "./live-socket.js";

const { server } = inject("resources");
const redisUrl = process.env.TEST_REDIS_URL;
/** What tests say who opens streams, unless they are about that. */
const noFeed = { mode: "off", reason: "CAMERA_FEED is off" };
const transports = server ? (["postgresql", ...(redisUrl ? ["redis"] : [])] as const) : [];

/**
 * Instances behind a load balancer: they share a database, and events of one reach the
 * clients of the others.
 */
describe.each(transports)("two gateways that share events by %s", (transport) => {
  let testSite: TestSite;
  let proxy: TcpProxy | undefined;
  let first: Gateway;
  let second: Gateway;
  let workspaceId: string;
  let site: CompleteFacility;
  let admin: TestUser;
  beforeAll(async () => {
    testSite = await TestSite.open();
    const environment: Record<string, string> = {};
    if (transport === "redis") {
      proxy = await TcpProxy.open(redisUrl as string);
      environment.REDIS_URL = proxy.url;
    }
    first = await testSite.start({ environment });
    second = await testSite.start({ environment });
    workspaceId = await createWorkspace(first.prisma);
    site = await createCompleteFacility(first.prisma, {
      workspaceId,
      name: "Site",
      alerts: 0,
      newest: "2026-11-20T12:00:00Z",
    });
    admin = await createAdmin(first.prisma, workspaceId);
  });
  afterAll(async () => {
    for (const gateway of [first, second]) await gateway?.close();
    await proxy?.disconnect();
    await testSite.remove();
  });

  const beat = (gateway: Gateway) => run(gateway, admin, heartbeat(site.facilityId));
  const readiness = async (gateway: Gateway) => {
    const response = await gateway.fetch("/readyz");
    return { status: response.status, ...((await response.json()) as object) };
  };
  const ready = (connected: boolean) => ({ status: "ok", events: { transport, connected }, feed: noFeed });
  /** Interrupts the event connections of both gateways while `work` runs. */
  const interrupted = async (work: () => Promise<void>) => {
    if (proxy) await proxy.disconnect();
    else {
      const { DATABASE_URL = "" } = testSite.variables;
      const name = new URL(DATABASE_URL).pathname.slice(1);
      await onServer(server?.url as string, `ALTER DATABASE "${name}" WITH ALLOW_CONNECTIONS false`);
      await onServer(
        server?.url as string,
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}' AND application_name = 'camera-monitoring-gateway events'`,
      );
    }
    try {
      for (const gateway of [first, second])
        await expect.poll(() => readiness(gateway)).toEqual({ ...ready(false), status: "ok" });
      await work();
    } finally {
      if (proxy) await proxy.reconnect();
      else
        await onServer(
          server?.url as string,
          `ALTER DATABASE "${new URL(testSite.variables.DATABASE_URL ?? "").pathname.slice(1)}" WITH ALLOW_CONNECTIONS true`,
        );
    }
    for (const gateway of [first, second])
      await expect.poll(() => readiness(gateway)).toEqual({ ...ready(true), status: "ok" });
  };

  it("a write on one reaches the subscribers of both once", async () => {
    const clients = [
      await subscriber(first, admin.as, heartbeats),
      await subscriber(second, admin.as, heartbeats),
    ];
    await beat(first);
    await beat(second);
    const shown = { data: { facilityHeartbeat: { id: site.facilityId } } };
    for (const live of clients) await expect.poll(() => live.results()).toEqual([shown, shown]);
  });

  it("a thousand alerts are received once and in order, even if half of them are recorded again", async () => {
    const live = await subscriber(second, admin.as, "subscription { alertRaised { id } }");
    const alert = { cameraId: site.cameraId, name: "NO_HELMET", createdAt: "2026-11-20T12:00:00Z" };
    const input = listOf(1000, () => ({ ...alert, id: randomUUID() }));
    // Alerts that are already recorded are not raised again.
    for (const length of [500, 1000])
      await run(first, admin, [recordAlerts, { input: input.slice(0, length) }]);
    const ids = input.map(({ id }) => id);
    await expect.poll(() => live.ids()).toEqual(ids);
  });

  it("recorded and marked alerts of hundreds of cameras reach all who see them in few events", async () => {
    const { facilityId } = await createCompleteFacility(first.prisma, {
      workspaceId,
      name: "Other",
      alerts: 0,
      newest: "2026-11-20T12:00:00Z",
    });
    const cameras = listOf(300, (index) => ({
      id: randomUUID(),
      facilityId: index % 100 === 0 ? facilityId : site.facilityId,
    }));
    await first.prisma.camera.createMany({
      data: cameras.map((camera) => ({ ...camera, workspaceId, name: "Camera" })),
    });
    const input = cameras.map(({ id: cameraId }) => ({
      id: randomUUID(),
      cameraId,
      name: "SMOKE",
      createdAt: "2026-11-20T12:00:00Z",
    }));
    const ids = input.map(({ id }) => id);
    const idsAt = (index: number) => ids.filter((_id, at) => at % 100 === 0 && at >= index);
    const near = await createTestUser(first.prisma, {
      workspaceId,
      roles: [],
      at: { [facilityId]: ["alerts:read"] },
    });
    const scopes: [TestUser, object, string[]][] = [
      [admin, {}, ids],
      [admin, { facilityId }, idsAt(0)],
      [admin, { cameraId: cameras[200]?.id }, idsAt(200)],
      [near, {}, idsAt(0)],
    ];
    const expected = scopes.map(([, , told]) => told);
    const subscribers = (field: string) =>
      Promise.all(
        scopes.map(async ([{ as }, variables]) => {
          const live = await openSocket(second, { as });
          live.subscribe(`subscription ($facilityId: UUID, $cameraId: UUID) { ${field} }`, { variables });
          return live;
        }),
      );
    const open = await subscriptionsOf(second);
    const lives = {
      raised: await subscribers("alertRaised(facilityId: $facilityId, cameraId: $cameraId) { id }"),
      changed: await subscribers(
        "alertChanged(facilityId: $facilityId, cameraId: $cameraId) { id: alertId }",
      ),
    };
    await running(second, open + 2 * scopes.length);
    const told = (all: LiveSocket[]) => all.map((live) => live.ids());
    const before = await metric(second, "gateway_events_received_total");
    await run(first, admin, [recordAlerts, { input }]);
    await expect.poll(() => told(lives.raised)).toEqual(expected);
    await run(first, admin, [
      "mutation ($ids: [UUID!]!) { markAlerts(ids: $ids, marks: { bookmark: true }) { alerts { id } } }",
      { ids },
    ]);
    await expect.poll(() => told(lives.changed)).toEqual(expected.map((each) => each.toSorted()));
    expect((await metric(second, "gateway_events_received_total")) - before).toBeLessThanOrEqual(20);
  });

  it("access that a write on one ends at a later second ends then on both", async () => {
    const user = await createTestUser(first.prisma, { workspaceId, roles: ["facilities:read"] });
    const clients = [
      await subscriber(first, user.as, heartbeats),
      await subscriber(second, user.as, heartbeats),
    ];
    const until = new Date(Date.now() + 1500);
    await run(first, admin, [
      "mutation ($id: UUID!, $until: DateTimeISO) { updateUser(id: $id, input: { until: $until }) { id } }",
      { id: user.id, until },
    ]);
    for (const live of clients) expect(await live.closed()).toMatchObject({ code: 4401 });
    expect(Date.now()).toBeGreaterThanOrEqual(until.getTime());
  });

  it("revoking a key on one closes its sockets on both", async () => {
    const key = await createApiKey(first.prisma, { workspaceId, permissions: ["facilities:read"] });
    const clients = [await openSocket(first, { as: key }), await subscriber(second, key, heartbeats)];
    await run(first, admin, ["mutation ($id: UUID!) { revokeApiKey(id: $id) { id } }", { id: key.id }]);
    for (const live of clients) expect(await live.closed()).toMatchObject({ code: 4401 });
  });

  it("a lost connection is reported and restored, and later events are delivered", async () => {
    const live = await subscriber(second, admin.as, heartbeats);
    await interrupted(async () => {
      for (const gateway of [first, second])
        expect(await metric(gateway, "gateway_events_connected")).toBe(0);
      // The write succeeds anyway.
      await beat(first);
    });
    for (const gateway of [first, second]) expect(await metric(gateway, "gateway_events_connected")).toBe(1);
    const before = live.results().length;
    await beat(first);
    await expect.poll(() => live.results().length).toBeGreaterThan(before);
    expect(live.ended).toBeUndefined();
  });

  it("revoking a key while the connection is lost closes the key's sockets once the connection is back", async () => {
    const key = await createApiKey(first.prisma, { workspaceId, permissions: ["facilities:read"] });
    const clients = [await openSocket(first, { as: key }), await openSocket(second, { as: key })];
    await interrupted(async () => {
      await run(first, admin, ["mutation ($id: UUID!) { revokeApiKey(id: $id) { id } }", { id: key.id }]);
    });
    for (const live of clients) expect(await live.closed()).toMatchObject({ code: 4401 });
  });
});

it("a gateway starts and responds while Redis is unavailable, and reports that in /readyz", async () => {
  const gateway = await gatewayForTest({ environment: { REDIS_URL: "redis://127.0.0.1:1" } });
  const response = await gateway.fetch("/readyz");
  expect([response.status, await response.json()]).toEqual([
    200,
    { status: "ok", events: { transport: "redis", connected: false }, feed: noFeed },
  ]);
  const workspaceId = await createWorkspace(gateway.prisma);
  const admin = await createAdmin(gateway.prisma, workspaceId);
  const facilityId = await createFacility(gateway.prisma, { workspaceId });
  await run(gateway, admin, heartbeat(facilityId));
});

describe.runIf(server && redisUrl)("rate limits of instances that share a Redis", () => {
  const limits = { RATE_LIMIT: "on", RATE_LIMIT_CALLER: "3", RATE_LIMIT_ADDRESS: "1000" };
  const statusOf = async (gateway: Gateway, { as }: TestUser) =>
    (await gateway.graphql("{ workspace { id } }", { as })).status;

  it("are counted jointly, and separately while Redis is unavailable", async () => {
    const testSite = await TestSite.open();
    const proxy = await TcpProxy.open(redisUrl as string);
    const environment = { ...limits, REDIS_URL: proxy.url };
    const gateways = [await testSite.start({ environment }), await testSite.start({ environment })];
    const [first, second] = gateways as [Gateway, Gateway];
    try {
      const workspaceId = await createWorkspace(first.prisma);
      const [user, otherUser] = [
        await createTestUser(first.prisma, { workspaceId }),
        await createTestUser(first.prisma, { workspaceId }),
      ];
      const sent = [first, second, first, second, first].map((gateway) => () => statusOf(gateway, user));
      const statuses: number[] = [];
      for (const send of sent) statuses.push(await send());
      expect(statuses).toEqual([200, 200, 200, 429, 429]);
      await proxy.disconnect();
      await expect
        .poll(async () => (await (await first.fetch("/readyz")).json()) as object)
        .toMatchObject({ events: { connected: false } });
      const alone: number[] = [];
      for (let count = 0; count < 4; count += 1) alone.push(await statusOf(first, otherUser));
      expect(alone).toEqual([200, 200, 200, 429]);
    } finally {
      for (const gateway of gateways) await gateway.close();
      await proxy.disconnect();
      await testSite.remove();
    }
  });
});

describe.runIf(server)("rate limits of instances that share only a database", () => {
  it("are counted jointly within seconds", async () => {
    const testSite = await TestSite.open();
    const environment = { RATE_LIMIT: "on", RATE_LIMIT_CALLER: "200", RATE_LIMIT_ADDRESS: "1000" };
    const gateways = [await testSite.start({ environment }), await testSite.start({ environment })];
    const [first, second] = gateways as [Gateway, Gateway];
    try {
      const user = await createTestUser(first.prisma, {
        workspaceId: await createWorkspace(first.prisma),
      });
      const statusOf = async (gateway: Gateway) =>
        (await gateway.graphql("{ workspace { id } }", { as: user.as })).status;
      for (let count = 0; count < 200; count += 1) expect(await statusOf(first)).toBe(200);
      let requests = 0;
      const status = () => {
        requests += 1;
        return statusOf(second);
      };
      await expect.poll(status, { interval: 100 }).toBe(429);
      // A single instance would have rejected only the 201st request.
      expect(requests).toBeLessThan(100);
    } finally {
      for (const gateway of gateways) await gateway.close();
      await testSite.remove();
    }
  });
});
