// Runs once: no database can influence what is tested here.

import { Registry } from "prom-client";
import { McpSessions } from "../../src/api/mcp/sessions.js";
import { signToken } from "../../src/engine/access/jwt.js";
import type { Caller } from "../../src/engine/access/permissions.js";
import { metric } from "../live/live-socket.js";
import { testSecrets } from "../support/environment.js";
import { createApiKey, createTestUser, createWorkspace } from "../support/factories.js";
import { type Gateway, type Sender, sharedWorkspace } from "../support/harness.js";
import { listOf } from "../support/list-of.js";
import { TestSite } from "../support/test-site.js";
import { beginSession, initialization, post, rpc } from "./assistant.js";

const newCaller = (of: Gateway, workspace: string): Promise<Sender> =>
  createApiKey(of.prisma, { workspaceId: workspace, permissions: ["facilities:read"] });
let now: Date = new Date();
const { gateway, prisma, workspaceId } = await sharedWorkspace({ now: () => now });
/** Keys, since tokens would expire with the clock of these tests. */
const user = await newCaller(gateway, workspaceId);
const other = await newCaller(gateway, workspaceId);

const minutes = (count: number) => new Date(now.getTime() + count * 60_000);
const ping = rpc("ping");
const statusOf = async (as: Sender, session: string, of = gateway) =>
  (await post(of, ping, { as, session })).status;

describe("a session", () => {
  it("belongs to its user, whatever the token", async () => {
    const { authId, as } = await createTestUser(prisma, { workspaceId });
    const session = await beginSession(gateway, as);
    const token = await signToken(testSecrets.AUTH_JWT_SECRET, authId, 60, new Date());
    expect(await statusOf({ authorization: `Bearer ${token}` }, session)).toBe(200);
    expect(await statusOf(other, session)).toBe(404);
    const headers = { "mcp-session-id": session };
    expect((await gateway.fetch("/mcp", { method: "DELETE", as: other, headers })).status).toBe(404);
    expect(await statusOf(as, session)).toBe(200);
  });

  it("ends when its client ends it", async () => {
    const session = await beginSession(gateway, user);
    const end = () =>
      gateway.fetch("/mcp", { method: "DELETE", as: user, headers: { "mcp-session-id": session } });
    expect((await end()).status).toBe(204);
    expect((await end()).status).toBe(404);
    expect(await statusOf(user, `${session}.again`)).toBe(404);
    const answer = await post(gateway, ping, { as: user, session });
    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject({
      jsonrpc: "2.0",
      id: null,
      error: { code: -32001, message: expect.stringContaining("initialize a new one") },
    });
  });

  it("ends half an hour after the last call", async () => {
    const session = await beginSession(gateway, user);
    for (let call = 0; call < 3; call += 1) {
      now = minutes(29);
      expect(await statusOf(user, session)).toBe(200);
    }
    now = minutes(31);
    expect(await statusOf(user, session)).toBe(404);
  });

  it.each<[string, (session: string) => string]>([
    ["nonsense", () => "nonsense"],
    ["an id with another signature", (session) => `${session.slice(0, -4)}AAAA`],
    [
      "an id that names another client",
      (session) => `${Buffer.from('["x","y","z",0,""]').toString("base64url")}.${session.split(".")[1]}`,
    ],
  ])("is not found by %s", async (_kind, forged) => {
    expect(await statusOf(user, forged(await beginSession(gateway, user)))).toBe(404);
  });

  it("must be named by every message but the first", async () => {
    const answer = await post(gateway, ping, { as: user });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({
      error: { code: -32600, message: expect.stringContaining("Mcp-Session-Id") },
    });
  });
});

it("lets a caller have 100 sessions, and others theirs", async () => {
  const greedy = await newCaller(gateway, workspaceId);
  const sessions: string[] = [];
  for (let count = 0; count < 100; count += 1) sessions.push(await beginSession(gateway, greedy));
  const refused = await post(gateway, initialization(), { as: greedy });
  expect(refused.status).toBe(429);
  expect(await refused.json()).toMatchObject({
    error: { message: expect.stringContaining("At most 100 sessions") },
  });
  expect(await statusOf(user, await beginSession(gateway, user))).toBe(200);
  await gateway.fetch("/mcp", {
    method: "DELETE",
    as: greedy,
    headers: { "mcp-session-id": sessions[0] as string },
  });
  await beginSession(gateway, greedy);
  now = minutes(31);
  await beginSession(gateway, greedy);
});

it("is counted by a metric until it ends, or is unused for half an hour", async () => {
  const open = () => metric(gateway, "gateway_mcp_sessions_open");
  now = minutes(31);
  expect(await open()).toBe(0);
  const [session] = [await beginSession(gateway, user), await beginSession(gateway, user)];
  expect(await open()).toBe(2);
  const headers = { "mcp-session-id": session };
  await gateway.fetch("/mcp", { method: "DELETE", as: user, headers });
  expect(await open()).toBe(1);
  now = minutes(31);
  expect(await open()).toBe(0);
});

it("knows a bounded number of sessions, and takes over what it forgot", () => {
  const sessions = new McpSessions({
    secrets: ["a secret of these tests"],
    now: () => now,
    registry: new Registry(),
  });
  const callerOf = (number: number) => ({ id: `caller ${number}` }) as Caller;
  const ids = listOf(30_000, (count) =>
    sessions.open(callerOf(count % 300), "x".repeat(1_000), "2025-11-25"),
  );
  expect(sessions.size).toBe(20_000);
  expect(sessions.find(ids[0] as string, callerOf(0)).client).toBe("x".repeat(100));
  expect(sessions.size).toBe(20_000);
});

it("is taken over by another instance with the same secrets, during its first half hour", async () => {
  const site = await TestSite.forTest();
  const clock = { now: () => now };
  const first = await site.start(clock);
  const ofSite = await createWorkspace(first.prisma);
  const as = await newCaller(first, ofSite);
  const young = await beginSession(first, as, { client: "traveller" });
  const old = await beginSession(first, as);
  const asWell = await beginSession(first, as);
  await first.close();
  const second = await site.start(clock);
  onTestFinished(() => second.close());
  now = minutes(20);
  expect(await statusOf(as, young, second)).toBe(200);
  now = minutes(20);
  expect(await statusOf(as, old, second)).toBe(404);
  expect(await statusOf(as, young, second)).toBe(200);
  expect(await statusOf(as, asWell, second)).toBe(404);
});

it("answers GET with 405, since it sends nothing unasked", async () => {
  const answer = await gateway.fetch("/mcp", { as: user, headers: { accept: "text/event-stream" } });
  expect(answer.status).toBe(405);
  expect(answer.headers.get("allow")).toBe("DELETE, POST");
});
