// Runs once: no database can influence what is tested here.

import { sendRaw } from "../http/raw-request.js";
import { createApiKey, createTestUser, createWorkspace } from "../support/factories.js";
import { type Gateway, gatewayForTest, type Sender, sharedGateway } from "../support/harness.js";
import { listOf } from "../support/list-of.js";
import { Assistant, beginSession, initialization, post, rpc } from "./assistant.js";

const newUser = async ({ prisma }: Gateway) =>
  (await createTestUser(prisma, { roles: ["facilities:read"] })).as;

const answerTo = async (
  body: unknown,
  options: { version?: string; headers?: Record<string, string> } = {},
) => {
  const { version, headers } = options;
  const session = await beginSession(gateway, user, { ...(version && { version }) });
  const response = await post(gateway, body, { as: user, session, ...(headers && { headers }) });
  const text = await response.text();
  return { status: response.status, body: text === "" ? undefined : JSON.parse(text) };
};

const gateway = await sharedGateway();
const user = await newUser(gateway);

describe("initialization", () => {
  it.each([
    ["2025-11-25", "2025-11-25"],
    ["2025-03-26", "2025-03-26"],
    ["1999-01-01", "2025-11-25"],
  ])("for version %s agrees on %s", async (asked, agreed) => {
    const response = await post(gateway, initialization("x", asked), { as: user });
    expect(response.headers.get("mcp-session-id")).toMatch(/^[\x21-\x7e]+$/);
    expect(await response.json()).toMatchObject({
      id: 1,
      result: {
        protocolVersion: agreed,
        capabilities: { tools: {} },
        serverInfo: { name: "camera-monitoring-gateway" },
      },
    });
  });

  it("with other parameters is refused, and begins nothing", async () => {
    const response = await post(gateway, rpc("initialize", { protocolVersion: 5 }), { as: user });
    expect(response.headers.get("mcp-session-id")).toBeNull();
    expect(await response.json()).toMatchObject({ id: 1, error: { code: -32602 } });
  });
});

describe("a message", () => {
  it.each<[string, unknown, object]>([
    ["of an unknown method", rpc("resources/list"), { id: 1, error: { code: -32601 } }],
    ["that calls no tool", rpc("tools/call", { tool: "x" }), { id: 1, error: { code: -32602 } }],
    [
      "with arguments that are no object",
      rpc("tools/call", { name: "list_alerts", arguments: [1] }, "a"),
      { id: "a", error: { code: -32602 } },
    ],
    ["that is none of JSON-RPC", { method: "ping", id: 1 }, { id: null, error: { code: -32600 } }],
    ["that is a number", 5, { id: null, error: { code: -32600 } }],
    ["that is null", null, { id: null, error: { code: -32600 } }],
    ["that pings", rpc("ping", undefined, "x"), { id: "x", result: {} }],
  ])("%s is answered so", async (_kind, message, answer) => {
    expect(await answerTo(message)).toMatchObject({ body: answer });
  });

  it.each<[string, unknown]>([
    ["a notification", { jsonrpc: "2.0", method: "notifications/cancelled", params: 5 }],
    ["an answer", { jsonrpc: "2.0", id: 1 }],
    ["nothing", ""],
  ])("that would be %s but breaks the rules is refused by its status", async (_kind, message) => {
    expect(await answerTo(message)).toMatchObject({ status: 400, body: { error: { code: -32600 } } });
  });

  it.each<[string, unknown]>([
    ["a notification", { jsonrpc: "2.0", method: "notifications/initialized" }],
    ["an answer of the client", { jsonrpc: "2.0", id: 1, result: {} }],
  ])("that is %s is accepted", async (_kind, message) => {
    expect(await answerTo(message)).toEqual({ status: 202, body: undefined });
  });

  it.each<[string, string, Record<string, string>, number, number]>([
    ["no JSON", "{", {}, 400, -32700],
    ["too large", JSON.stringify(rpc("ping", { x: "x".repeat(4 * 1024 * 1024) })), {}, 413, -32000],
    ["of another type", "x", { "content-type": "text/plain" }, 415, -32000],
    [
      "of a version that is unknown",
      JSON.stringify(rpc("ping")),
      { "mcp-protocol-version": "1999-01-01" },
      400,
      -32600,
    ],
  ])("that is %s is refused", async (_kind, body, headers, status, code) => {
    expect(await answerTo(body, { headers })).toMatchObject({ status, body: { id: null, error: { code } } });
  });
});

describe("several messages at once", () => {
  const batch = (count: number) => listOf(count, (id) => rpc("ping", undefined, id));

  it("are answered where the version of the protocol has them", async () => {
    const { status, body } = await answerTo(batch(10), { version: "2025-03-26" });
    expect(status).toBe(200);
    expect(body).toEqual(batch(10).map(({ id }) => ({ jsonrpc: "2.0", id, result: {} })));
  });

  it.each<[string, string, unknown[]]>([
    ["by later versions", "2025-06-18", batch(1)],
    ["that are too many", "2025-03-26", batch(11)],
    ["that are none", "2025-03-26", []],
    ["of which one initializes", "2025-03-26", [initialization()]],
  ])("are refused %s", async (_kind, version, messages) => {
    expect(await answerTo(messages, { version })).toMatchObject({
      status: 400,
      body: { error: { code: -32600 } },
    });
  });
});

describe("credentials", () => {
  it("may be a key as Bearer or by Basic, here alone", async () => {
    const { key, authorization } = await createApiKey(gateway.prisma, {
      workspaceId: await createWorkspace(gateway.prisma),
      permissions: ["facilities:read"],
    });
    const asBearer = { authorization: `Bearer ${key}` };
    for (const as of [asBearer, { authorization }])
      expect((await (await Assistant.open(gateway, as)).call("find_facilities")).isError).toBe(false);
    expect((await gateway.fetch("/facilities", { as: asBearer })).status).toBe(401);
    expect(
      (await gateway.graphql("{ facilities { id } }", { as: asBearer })).errors?.[0]?.extensions.code,
    ).toBe("UNAUTHENTICATED");
  });

  it.each<[string, Sender]>([
    ["none", "nobody"],
    ["a wrong key", { authorization: `Bearer cmk_${"0".repeat(32)}_${"0".repeat(64)}` }],
    ["a wrong token", { authorization: "Bearer nonsense" }],
  ])("are required: %s is 401", async (_kind, as) => {
    const response = await post(gateway, initialization(), { as });
    expect(response.status).toBe(401);
    expect(response.headers.get("www-authenticate")).toMatch(/^Bearer realm="camera-monitoring", Basic/);
    expect(await response.json()).toMatchObject({
      jsonrpc: "2.0",
      error: { data: { code: "UNAUTHENTICATED" } },
    });
  });

  it("count at once when they end", async () => {
    const { prisma } = gateway;
    const { id, authorization } = await createApiKey(prisma, {
      workspaceId: await createWorkspace(prisma),
      permissions: ["facilities:read"],
    });
    const as = { authorization };
    const session = await beginSession(gateway, as);
    const call = rpc("tools/call", { name: "find_facilities" });
    expect((await post(gateway, call, { as, session })).status).toBe(200);
    await prisma.apiKey.updateMany({ where: { id }, data: { revokedAt: new Date() } });
    for (const message of [call, rpc("tools/list"), rpc("ping"), initialization()])
      expect((await post(gateway, message, { as, session })).status).toBe(401);
  });

  it("lead to the issuer, if there is one", async () => {
    expect((await gateway.fetch("/.well-known/oauth-protected-resource/mcp")).status).toBe(404);
    const issuer = "https://issuer.example";
    const ofIssuer = await gatewayForTest({
      environment: {
        AUTH_JWT_SECRET: undefined,
        AUTH_ISSUER: issuer,
        AUTH_AUDIENCE: "gateway",
        PUBLIC_URL: "https://gateway.example",
      },
    });
    const refused = await post(ofIssuer, initialization(), { as: "nobody" });
    expect(refused.status).toBe(401);
    const metadata = "https://gateway.example/.well-known/oauth-protected-resource/mcp";
    expect(refused.headers.get("www-authenticate")).toMatch(
      new RegExp(`^Bearer resource_metadata="${metadata}", realm=.*, Basic`),
    );
    const document = await ofIssuer.fetch(new URL(metadata).pathname);
    expect(await document.json()).toMatchObject({
      resource: "https://gateway.example/mcp",
      authorization_servers: [issuer],
      bearer_methods_supported: ["header"],
    });
  });
});

it("refuses pages of other origins, unless CORS_ORIGIN names them", async () => {
  const from = (origin: string) => ({ as: user, headers: { origin } });
  expect((await post(gateway, initialization(), from("https://evil.example"))).status).toBe(403);
  expect((await post(gateway, initialization(), from("null"))).status).toBe(403);
  expect((await post(gateway, initialization(), from(new URL(gateway.url).origin))).status).toBe(200);
  const open = await gatewayForTest({ environment: { CORS_ORIGIN: "https://app.example" } });
  const as = await newUser(open);
  const allowed = await post(open, initialization(), { as, headers: { origin: "https://app.example" } });
  expect(allowed.status).toBe(200);
  const exposed = allowed.headers.get("access-control-expose-headers");
  expect(exposed).toContain("mcp-session-id");
  // Where clients in browsers learn how to sign in.
  expect(exposed).toContain("www-authenticate");
  expect(
    (await post(open, initialization(), { as, headers: { origin: "https://evil.example" } })).status,
  ).toBe(403);
});

it("believes no name in the header Host, to which a page may have had it lead", async () => {
  const statusFor = async (name: string, of = gateway) =>
    (
      await sendRaw(of.url, {
        method: "POST",
        path: "/mcp",
        headers: { host: name, origin: `http://${name}` },
      })
    ).status;
  expect(await statusFor("rebound.example")).toBe(403);
  expect(await statusFor("gateway.example")).toBe(403);
  for (const known of ["127.0.0.1:8080", "[::1]", "localhost:4000"]) expect(await statusFor(known)).toBe(401);
  const named = await gatewayForTest({
    environment: { PUBLIC_URL: "http://gateway.example" },
  });
  expect(await statusFor("gateway.example", named)).toBe(401);
  expect(await statusFor("rebound.example", named)).toBe(403);
});

it("is not there with MCP=off", async () => {
  const without = await gatewayForTest({ environment: { MCP: "off" } });
  expect((await post(without, initialization(), { as: "nobody" })).status).toBe(404);
});

it("counts calls against their caller, and each message of several", async () => {
  const limited = await gatewayForTest({
    environment: { RATE_LIMIT: "on", RATE_LIMIT_CALLER: "12", RATE_LIMIT_ADDRESS: "1000" },
  });
  const as = await newUser(limited);
  const session = await beginSession(limited, as, { version: "2025-03-26" });
  const messages = listOf(10, (id) => rpc("ping", undefined, id));
  expect((await post(limited, messages, { as, session })).status).toBe(200);
  expect((await post(limited, rpc("ping"), { as, session })).status).toBe(200);
  const refused = await post(limited, rpc("ping"), { as, session });
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  expect((await limited.graphql("{ workspace { id } }", { as })).status).toBe(429);
});

it("applies the limit on costs to tools", async () => {
  const thrifty = await gatewayForTest({ environment: { MAX_QUERY_COST: "50" } });
  const as = await newUser(thrifty);
  const answer = await (await Assistant.open(thrifty, as)).call("alert_statistics", { group_by: ["day"] });
  expect(answer).toMatchObject({ isError: true, text: expect.stringMatching(/^BAD_REQUEST: .*cost/i) });
});
