import { ClientCredentialsProvider } from "@modelcontextprotocol/sdk/client/auth-extensions.js";
import { Client as Assistant } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { type Client, createClient } from "graphql-ws";
import { WebSocket } from "ws";
import { createUser, createWorkspace } from "../support/factories.js";
import { startGateway } from "../support/harness.js";
import { listOf } from "../support/list-of.js";
import { audience, clientId, clientSecret, IdentityProvider } from "./identity-provider.js";

let clock = new Date();
const advance = (seconds: number) => {
  clock = new Date(clock.getTime() + seconds * 1000);
};

const provider = await IdentityProvider.start();
const gateway = await startGateway({
  now: () => clock,
  environment: { AUTH_JWT_SECRET: undefined, AUTH_ISSUER: provider.issuer, AUTH_AUDIENCE: audience },
});
await createUser(gateway.prisma, {
  workspaceId: await createWorkspace(gateway.prisma),
  authId: clientId,
  roles: ["facilities:read"],
});
afterAll(async () => {
  await gateway?.close();
  await provider?.close();
});

const send = async (token: string) => {
  const { status, headers, data } = await gateway.graphql("{ me { authId } }", {
    as: { authorization: `Bearer ${token}` },
  });
  return { status, retryAfter: headers.get("retry-after"), data };
};
const accepted = { status: 200, retryAfter: null, data: { me: { authId: clientId } } };

/** The gateway knows the provider's key, and may ask for keys again. */
beforeEach(async () => {
  advance(30);
  await provider.rotateKeys();
  expect(await send(await provider.token())).toEqual(accepted);
});

test("tokens are accepted with the first request after the provider has replaced its key", async () => {
  advance(30);
  await provider.rotateKeys();
  const tokens = await Promise.all(listOf(10, () => provider.token()));
  expect(await Promise.all(tokens.map(send))).toEqual(tokens.map(() => accepted));
});

test("tokens are asked to be sent again, and not refused, when the provider replaces its key twice within 30 seconds", async () => {
  await provider.rotateKeys();
  const token = await provider.token();
  const early = await send(token);
  expect(early.status).toBe(503);
  expect(Number(early.retryAfter)).toBeGreaterThan(0);
  advance(Number(early.retryAfter));
  expect(await send(token)).toEqual(accepted);
});

test("an assistant that knows nothing but the address of /mcp finds the issuer, and signs in there", async () => {
  const assistant = new Assistant({ name: "assistant", version: "1" });
  // Clients sign in for no other address than that of PUBLIC_URL.
  const address = new URL("/mcp", gateway.url);
  address.hostname = "localhost";
  const expectedIssuer = provider.issuer;
  const authProvider = new ClientCredentialsProvider({ clientId, clientSecret, expectedIssuer });
  const transport = new StreamableHTTPClientTransport(address, { authProvider });
  await assistant.connect(transport as Parameters<Assistant["connect"]>[0]);
  try {
    expect(await assistant.callTool({ name: "find_facilities", arguments: {} })).toMatchObject({
      structuredContent: { total: 0, items: [] },
    });
  } finally {
    await assistant.close();
  }
});

test("a client of graphql-ws connects by itself when the provider replaces its key twice within 30 seconds", async () => {
  await provider.rotateKeys();
  const closures: number[] = [];
  const failures: unknown[] = [];
  const client: Client = createClient({
    url: `${gateway.url.replace("http", "ws")}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: async () => ({ authorization: `Bearer ${await provider.token()}` }),
    on: { closed: (event) => closures.push((event as CloseEvent).code) },
  });
  let isConnected = false;
  client.on("connected", () => {
    isConnected = true;
  });
  client.subscribe(
    { query: "subscription { facilityHeartbeat { id } }" },
    { next: () => {}, error: (error) => failures.push(error), complete: () => {} },
  );
  await expect.poll(() => closures).toEqual([1013]);
  advance(30);
  await expect.poll(() => isConnected).toBe(true);
  expect(failures).toEqual([]);
  await client.dispose();
});
