// Runs once: no database can influence what is tested here.

import { connect } from "node:net";
import { signToken } from "../../src/engine/access/jwt.js";
import { permissions } from "../../src/engine/access/permissions.js";
import { testSecrets } from "../support/environment.js";
import { createAdmin, createFacility, createTestUser, createWorkspace } from "../support/factories.js";
import {
  authorizationOf,
  type Gateway,
  gatewayForTest,
  run,
  type Sender,
  startGateway,
} from "../support/harness.js";
import { listOf } from "../support/list-of.js";
import {
  heartbeat,
  heartbeats,
  LiveSocket,
  metric,
  openSocket,
  running,
  subscriber,
  subscriptionsOf,
  tryToOpen,
} from "./live-socket.js";

const gateway = await startGateway({
  environment: {
    MAX_SOCKETS: "3",
    MAX_SUBSCRIPTIONS: "2",
    SOCKET_PING_INTERVAL: "500",
    CORS_ORIGIN: "https://console.example",
  },
});

/** A gateway that is open to pages of every origin and for many subscriptions. */
const open = await startGateway({ environment: { CORS_ORIGIN: "*", MAX_SUBSCRIPTIONS: "200" } });
const workspaceId = await createWorkspace(gateway.prisma);
const facilityId = await createFacility(gateway.prisma, { workspaceId });
const admin = await createAdmin(gateway.prisma, workspaceId);
afterAll(async () => {
  await gateway.close();
  await open.close();
});

const newUser = () => createAdmin(gateway.prisma, workspaceId);
const beat = () => run(gateway, admin, heartbeat(facilityId));
const openAsUser = async () => openSocket(gateway, { as: (await newUser()).as });
const initialized = async (live: LiveSocket, as: Sender) =>
  live.send({ type: "connection_init", payload: { authorization: await authorizationOf(as) } });

describe("connection_init", () => {
  it.each<[string, (authorization: string) => object]>([
    ["in upper case", (AUTHORIZATION) => ({ AUTHORIZATION })],
    ["capitalized, as headers are", (Authorization) => ({ Authorization })],
    ["among headers", (authorization) => ({ headers: { authorization } })],
    ["among headers, capitalized", (Authorization) => ({ Headers: { Authorization }, authorization: null })],
  ])("accepts credentials %s", async (_case, payload) => {
    const live = await openSocket(gateway);
    const { as } = await newUser();
    live.send({ type: "connection_init", payload: payload((await authorizationOf(as)) as string) });
    await live.received("connection_ack");
  });

  const [missing, invalid, expired] = [
    { code: 4401, reason: "A Bearer token or an API key is required" },
    { code: 4401, reason: "The Bearer token or API key is not valid" },
    { code: 4403, reason: "The Bearer token or API key has expired" },
  ];

  it.each<[string, unknown, object]>([
    ["nothing", undefined, missing],
    ["credentials that are not a string", { authorization: { toString: "x" } }, missing],
    ["an invalid token", { authorization: "Bearer garbage" }, invalid],
    ["an unknown API key", { authorization: `Basic cmk_${"0".repeat(32)}_${"0".repeat(64)}` }, invalid],
  ])("closes with 4401 for %s", async (_case, payload, closure) => {
    const live = await openSocket(gateway);
    live.send({ type: "connection_init", payload });
    expect(await live.closed()).toEqual(closure);
  });

  it("closes with 4403 for an expired token, after which clients try again with another", async () => {
    const { authId } = await newUser();
    const live = await openSocket(gateway);
    const token = await signToken(testSecrets.AUTH_JWT_SECRET, authId, 60, new Date(Date.now() - 600_000));
    await initialized(live, { authorization: `Bearer ${token}` });
    expect(await live.closed()).toEqual(expired);
  });

  it("closes with 4401 for a valid token of an unknown user", async () => {
    const live = await openSocket(gateway);
    await initialized(live, { user: "nobody|at-all" });
    expect(await live.closed()).toMatchObject({ code: 4401 });
  });

  it("closes with 4429 if it is sent twice", async () => {
    const live = await openAsUser();
    live.send({ type: "connection_init" });
    expect(await live.closed()).toMatchObject({ code: 4429 });
  });
});

describe("the protocol", () => {
  it("closes with 4401 for a subscription before connection_ack", async () => {
    const live = await openSocket(gateway);
    live.subscribe(heartbeats);
    expect(await live.closed()).toMatchObject({ code: 4401 });
  });

  it.each<[string, string]>([
    ["is not JSON", "{"],
    ["has an unknown type", '{"type":"start"}'],
    ["has no type", "{}"],
    ["only a server sends", '{"type":"next","id":"1","payload":{"data":{}}}'],
    ["subscribes without an id", '{"type":"subscribe","payload":{"query":"{ a }"}}'],
    ["subscribes without a query", '{"type":"subscribe","id":"1","payload":{}}'],
  ])("closes with 4400 for a message that %s", async (_case, message) => {
    const live = await openAsUser();
    live.send(message);
    expect(await live.closed()).toMatchObject({ code: 4400 });
  });

  it("closes with 4400 for an id of more than 128 characters", async () => {
    const live = await openAsUser();
    live.subscribe(heartbeats, { id: "x".repeat(129) });
    expect(await live.closed()).toMatchObject({ code: 4400 });
  });

  it.each(["1", "\u{1f4f7}".repeat(60)])("closes with 4409 for an id that is in use: %s", async (id) => {
    const live = await openAsUser();
    live.subscribe(heartbeats, { id });
    live.subscribe(heartbeats, { id });
    expect(await live.closed()).toMatchObject({ code: 4409 });
  });

  it("accepts a subscription of 64 KiB, and rejects one of one byte more", async () => {
    const before = await subscriptionsOf(gateway);
    const live = await openAsUser();
    live.subscribe(heartbeats.padEnd(64 * 1024 + 1), { id: "longer" });
    await expect.poll(() => live.errors("longer")).toEqual(["PAYLOAD_TOO_LARGE"]);
    live.subscribe(heartbeats.padEnd(64 * 1024));
    await running(gateway, before + 1);
  });

  it("closes with 4406 for a client without the subprotocol", async () => {
    expect(await (await openSocket(gateway, { subprotocols: [] })).closed()).toMatchObject({ code: 4406 });
  });

  const ping = (bytes: number) => JSON.stringify({ type: "ping", payload: { text: "x".repeat(bytes) } });

  it("closes with 1009 for a message of more than 256 KiB", async () => {
    const live = await openAsUser();
    live.send(ping(255 * 1024));
    await live.received("pong");
    live.send(ping(256 * 1024));
    expect(await live.closed()).toMatchObject({ code: 1009 });
  });

  it("closes with 1009 for a message of more than 100 KiB before connection_init", async () => {
    const live = await openSocket(gateway);
    live.send(ping(99 * 1024));
    await live.received("pong");
    live.send(ping(100 * 1024));
    expect(await live.closed()).toMatchObject({ code: 1009 });
  });

  it("closes a socket whose message is nested more than 64 levels deep", async () => {
    const live = await openAsUser();
    live.send(
      `{"type":"subscribe","id":"1","payload":{"query":"${heartbeats}","variables":${'{"a":'.repeat(70)}1${"}".repeat(70)}}}`,
    );
    expect(await live.closed()).toMatchObject({ code: 4400 });
  });
});

describe("the upgrade", () => {
  const ownOrigin = () => gateway.url;
  it.each<[string, () => string | undefined]>([
    ["no origin, as from a device", () => undefined],
    ["the gateway's own origin", ownOrigin],
    ["an origin in CORS_ORIGIN", () => "https://console.example"],
  ])("is accepted from %s", async (_case, origin) => {
    expect(await tryToOpen(gateway, { origin: origin() })).toBeInstanceOf(LiveSocket);
  });

  it.each(["https://evil.example", "null", "https://console.example.evil.example", "http://console.example"])(
    "is rejected with 403 from a page of %s",
    async (origin) => {
      const refused = await tryToOpen(gateway, { origin });
      expect(refused).toMatchObject({ status: 403, body: expect.stringContaining('"code":"FORBIDDEN"') });
    },
  );

  it("is accepted from every page if CORS_ORIGIN is *", async () => {
    expect(await tryToOpen(open, { origin: "https://anywhere.example" })).toBeInstanceOf(LiveSocket);
  });

  it("is treated like any other request on other paths", async () => {
    expect(await tryToOpen(gateway, { path: "/other" })).toMatchObject({
      status: 404,
      body: expect.stringContaining('"code":"NOT_FOUND"'),
    });
    expect(await tryToOpen(gateway, { path: "/healthz" })).toEqual({ status: 200, body: '{"status":"ok"}' });
  });

  it("to another protocol is ignored, and the request still gets its response", async () => {
    const { hostname, port } = new URL(gateway.url);
    const response = await new Promise<string>((resolve, reject) => {
      let text = "";
      const raw = connect(Number(port), hostname, () =>
        raw.write(
          `GET /healthz HTTP/1.1\r\nHost: ${hostname}\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n`,
        ),
      );
      raw.on("data", (chunk) => {
        text += chunk;
      });
      raw.on("end", () => resolve(text)).on("error", reject);
    });
    expect(response).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*\{"status":"ok"\}$/);
  });
});

describe("limits", () => {
  it("closes sockets of a caller beyond MAX_SOCKETS with 4429 until another is closed", async () => {
    const { as } = await newUser();
    const clients = [
      await openSocket(gateway, { as }),
      await openSocket(gateway, { as }),
      await openSocket(gateway, { as }),
    ];
    const fourth = await openSocket(gateway);
    await initialized(fourth, as);
    expect(await fourth.closed()).toEqual({
      code: 4429,
      reason: "At most 3 sockets of one caller may be open",
    });
    clients[0]?.socket.close();
    await clients[0]?.closed();
    await expect
      .poll(async () => {
        const next = await openSocket(gateway);
        await initialized(next, as);
        await expect.poll(() => next.ended ?? next.messages.length).toBeTruthy();
        return next.messages.map(({ type }) => type);
      })
      .toEqual(["connection_ack"]);
  });

  it("leaves half of MAX_CONNECTIONS to other workspaces", async () => {
    const small = await gatewayForTest({ environment: { MAX_CONNECTIONS: "8" } });
    const newCaller = async (of: string) => (await createAdmin(small.prisma, of)).as;
    const [ours, theirs] = [await createWorkspace(small.prisma), await createWorkspace(small.prisma)];
    for (let opened = 0; opened < 4; opened += 1) await openSocket(small, { as: await newCaller(ours) });
    const fifth = await openSocket(small);
    await initialized(fifth, await newCaller(ours));
    expect(await fifth.closed()).toEqual({
      code: 4429,
      reason: "At most 4 sockets of one workspace may be open",
    });
    const other = await openSocket(small, { as: await newCaller(theirs) });
    expect(other.ended).toBeUndefined();
  });

  it("rejects subscriptions beyond MAX_SUBSCRIPTIONS until another is completed", async () => {
    const before = await subscriptionsOf(gateway);
    const live = await openAsUser();
    for (const id of ["1", "2", "3"]) live.subscribe(heartbeats, { id });
    await expect.poll(() => live.errors("3")).toEqual(["RATE_LIMITED"]);
    await running(gateway, before + 2);
    live.send({ type: "complete", id: "1" });
    live.subscribe(heartbeats, { id: "4" });
    await running(gateway, before + 2);
    await beat();
    await expect.poll(() => live.results("4")).toHaveLength(1);
  });

  it("rejects subscriptions of a caller that would take more than 16 MiB together, until others have ended", async () => {
    const { as } = await createTestUser(open.prisma, {
      workspaceId: await createWorkspace(open.prisma),
      roles: permissions,
    });
    // A document keeps its text, and a subscription its message, at two bytes per character.
    const subscribe = (live: LiveSocket, id: string) =>
      live.subscribe(`${heartbeats} #${id}`.padEnd(30_000, "#"), { id });
    const live = await openSocket(open, { as });
    const ids = listOf(150, (index) => String(index));
    for (const id of ids) subscribe(live, id);
    const refusedIds = () => ids.filter((id) => live.errors(id)?.[0] === "RATE_LIMITED");
    // Several start at once: an earlier one may be refused after the last one.
    await expect
      .poll(async () => (await metric(open, "gateway_subscriptions_open")) + refusedIds().length)
      .toBe(ids.length);
    const refused = refusedIds();
    expect(refused.length).toBeGreaterThan(0);
    expect(refused.length).toBeLessThan(50);
    for (const id of ["0", "1"]) live.send({ type: "complete", id });
    await running(open, ids.length - refused.length - 2);
    subscribe(live, "another");
    await running(open, ids.length - refused.length - 1);
  });

  // In one test, as each waits for seconds.
  it("keeps a client that responds to pings, drops one that does not, and closes one with 4408 that does not send connection_init in time", async () => {
    const silent = await openSocket(gateway);
    const deaf = await openSocket(gateway, { as: (await newUser()).as, autoPong: false });
    const live = await openAsUser();
    let pings = 0;
    live.socket.on("ping", () => {
      pings += 1;
    });
    expect(await deaf.closed()).toMatchObject({ code: 1006 });
    expect(await silent.closed()).toMatchObject({ code: 4408 });
    await expect.poll(() => pings).toBeGreaterThan(3);
    expect(live.ended).toBeUndefined();
  });
});

describe("rate limits", () => {
  const limits = { RATE_LIMIT: "on", RATE_LIMIT_CALLER: "5", RATE_LIMIT_ADDRESS: "2", TRUST_PROXY: "1" };
  // Each test uses its own addresses and callers.
  const from = (address: string) => ({ headers: { "x-forwarded-for": address } });
  let limited: Gateway;
  beforeAll(async () => {
    limited = await startGateway({ environment: limits });
  });
  afterAll(() => limited.close());

  it("count anonymous requests against the address, on HTTP and sockets combined", async () => {
    const attempt = async (address: string) => {
      const live = await openSocket(limited, from(address));
      live.send({ type: "connection_init", payload: { authorization: "Bearer garbage" } });
      return (await live.closed()).code;
    };
    expect([await attempt("192.0.2.1"), await attempt("192.0.2.1"), await attempt("192.0.2.1")]).toEqual([
      4401, 4401, 4429,
    ]);
    expect(
      (
        await limited.fetch("/graphql", {
          method: "POST",
          headers: { ...from("192.0.2.1").headers, "content-type": "application/json" },
          body: "{}",
        })
      ).status,
    ).toBe(429);
    expect(await attempt("192.0.2.2")).toBe(4401);
  });

  it("count clients that disconnect without authenticating", async () => {
    for (let opened = 0; opened < 2; opened += 1) {
      const live = await openSocket(limited, from("192.0.2.3"));
      live.socket.close();
      await live.closed();
    }
    const live = await openSocket(limited, from("192.0.2.3"));
    live.send({ type: "connection_init" });
    expect((await live.closed()).code).toBe(4429);
  });

  it("reject an address with too many unauthenticated sockets with 429", async () => {
    const { as } = await createTestUser(limited.prisma, { roles: permissions });
    for (let opened = 0; opened < 2; opened += 1) await openSocket(limited, { as, ...from("192.0.2.4") });
    await openSocket(limited, from("192.0.2.4"));
    await openSocket(limited, from("192.0.2.4"));
    expect(await tryToOpen(limited, from("192.0.2.4"))).toMatchObject({ status: 429 });
    expect(await tryToOpen(limited, from("192.0.2.5"))).toBeInstanceOf(LiveSocket);
  });

  it("count connections and subscriptions against the caller, but not events", async () => {
    const { prisma } = limited;
    const workspace = await createWorkspace(prisma);
    const facility = await createFacility(prisma, { workspaceId: workspace });
    const newCaller = () => createAdmin(prisma, workspace);
    const [user, device] = [await newCaller(), await newCaller()];
    const live = await subscriber(limited, user.as, heartbeats);
    for (let sent = 0; sent < 5; sent += 1) {
      await run(limited, device, heartbeat(facility));
    }
    await expect.poll(() => live.results().length).toBe(5);
    // They start concurrently, so any of them may be the last.
    const ids = ["2", "3", "4", "5"];
    for (const id of ids) live.subscribe(heartbeats, { id });
    await expect.poll(() => ids.flatMap((id) => live.errors(id) ?? [])).toEqual(["RATE_LIMITED"]);
  });
});
