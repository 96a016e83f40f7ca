// Runs once: no database can influence what is tested here.

import { randomUUID } from "node:crypto";
import type { RequestListener, ServerResponse } from "node:http";
import {
  exportJWK,
  exportSPKI,
  generateKeyPair,
  type JWTHeaderParameters,
  type JWTPayload,
  SignJWT,
  UnsecuredJWT,
} from "jose";
import { WrongIssuerError } from "../../src/engine/access/issuer-discovery.js";
import { IssuerKeys } from "../../src/engine/access/issuer-keys.js";
import { createLog } from "../../src/platform/telemetry/log.js";
import { openSocket } from "../live/live-socket.js";
import { createUser, createWorkspace } from "../support/factories.js";
import { type Gateway, startGateway } from "../support/harness.js";
import { listOf } from "../support/list-of.js";
import { startIssuer, startLocalServer } from "./issuer-server.js";

const audience = "https://gateway.example";
const user = "issuer|user";
const fiveMinutes = 5 * 60_000;
/**
 * The minimum time between two fetches of keys for tokens with an unknown `kid`, in
 * milliseconds.
 */
const refreshInterval = 30_000;
let now = new Date("2026-11-20T12:00:00.000Z");
const advance = (milliseconds: number) => {
  now = new Date(now.getTime() + milliseconds);
};

type Key = Awaited<ReturnType<typeof generateKey>>;
async function generateKey(alg: string, kid: string) {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return { alg, kid, privateKey, publicKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: "sig" } };
}

const oidcGateway = async (
  environment: Record<string, string> = {},
  logDestination?: { write(line: string): void },
) => {
  const started = await startGateway({
    now: () => now,
    ...(logDestination && { logDestination }),
    environment: {
      AUTH_JWT_SECRET: undefined,
      AUTH_ISSUER: issuer.url,
      AUTH_AUDIENCE: audience,
      ...environment,
    },
  });
  await createUser(started.prisma, { workspaceId: await createWorkspace(started.prisma), authId: user });
  return started;
};

const rsa = await generateKey("RS256", "rsa");
const ec = await generateKey("ES256", "ec");
const attackerKey = await generateKey("RS256", "attacker");
const issuer = await startIssuer([rsa.jwk, ec.jwk]);
const attacker = await startLocalServer((_request, response) =>
  response.end(JSON.stringify({ keys: [attackerKey.jwk], jwks_uri: `${attacker.url}/keys` })),
);
const gateway = await oidcGateway({ AUTH_JWKS_URL: `${issuer.url}/keys` });
afterAll(async () => {
  await gateway.close();
  await issuer.close();
  await attacker.close();
});

const claims = (): JWTPayload => ({
  sub: user,
  iss: issuer.url,
  aud: audience,
  exp: now.getTime() / 1000 + 60,
});
const sign = (key: Key, changed: JWTPayload = {}, header: Partial<JWTHeaderParameters> = {}) =>
  new SignJWT({ ...claims(), ...changed })
    .setProtectedHeader({ alg: key.alg, kid: key.kid, ...header })
    .sign(key.privateKey);
const send = (token: string, at = gateway) =>
  at.graphql<{ me: { authId: string } }>("{ me { authId } }", { as: { authorization: `Bearer ${token}` } });
const statusOf = async (token: string, at = gateway) => (await send(token, at)).status;

/** Makes the issuer publish other keys until the test ends. */
function publish(...keys: Key[]): void {
  const before = issuer.keys;
  onTestFinished(() => {
    issuer.keys = before;
    advance(fiveMinutes);
  });
  issuer.keys = keys.map(({ jwk }) => jwk);
}

/** Replaces the issuer's responses until the test ends. */
function override(listener: RequestListener): void {
  onTestFinished(() => {
    issuer.override = undefined;
    advance(fiveMinutes);
  });
  issuer.override = listener;
}
/**
 * Advances the clock until the gateway fetches the published keys, with no other recent
 * fetch.
 */
async function fetchKeys(): Promise<void> {
  advance(fiveMinutes);
  expect(await statusOf(await sign(rsa))).toBe(200);
}
const newKey = () => generateKey("RS256", randomUUID());
const disconnect: RequestListener = (request) => void request.socket.destroy();

/** A gateway that discovers its keys and ends with the test. */
async function gatewayForTest(...options: Parameters<typeof oidcGateway>): Promise<Gateway> {
  const started = await oidcGateway(...options);
  onTestFinished(() => started.close());
  return started;
}

it.each<[string, () => Promise<string>]>([
  ["RS256", () => sign(rsa)],
  ["ES256", () => sign(ec)],
  ["a list of audiences including ours", () => sign(rsa, { aud: ["https://elsewhere.example", audience] })],
  ["the issuer's other spelling, with a trailing slash", () => sign(rsa, { iss: `${issuer.url}/` })],
])("accepts a token with %s", async (_case, token) => {
  const { status, data } = await send(await token());
  expect(status).toBe(200);
  expect(data).toEqual({ me: { authId: user } });
});

const withSecret = (secret: string, header: Partial<JWTHeaderParameters> = {}) =>
  new SignJWT(claims())
    .setProtectedHeader({ alg: "HS256", ...header })
    .sign(new TextEncoder().encode(secret));

it.each<[string, () => string | Promise<string>]>([
  ["for another audience", () => sign(rsa, { aud: "https://elsewhere.example" })],
  ["for no audience", () => sign(rsa, { aud: undefined })],
  ["of another issuer", () => sign(rsa, { iss: "https://elsewhere.example" })],
  ["of no issuer", () => sign(rsa, { iss: undefined })],
  ["that expired 30 seconds ago", () => sign(rsa, { exp: now.getTime() / 1000 - 30 })],
  ["without exp", () => sign(rsa, { exp: undefined })],
  [
    "whose sub is not a user, with an address that is not verified",
    () => sign(rsa, { sub: "issuer|unknown", email: "nobody@test.example", email_verified: false }),
  ],
  ["of alg none", () => new UnsecuredJWT(claims()).encode()],
  [
    "of HS256 keyed with the public key's PEM",
    async () => withSecret(await exportSPKI(rsa.publicKey), { kid: "rsa" }),
  ],
  ["signed by another key under a known kid", () => sign(attackerKey, {}, { kid: "rsa" })],
  ["of a known kid with another kind of key", () => sign(ec, {}, { kid: "rsa" })],
  ["whose iss names the attacker", () => sign(attackerKey, { iss: attacker.url })],
  ["that is garbage", () => "a.b.c"],
])("rejects a token %s without fetching anything", async (name, token) => {
  expect((await send(await sign(rsa))).status).toBe(200);
  const before = issuer.requests.length;
  const { status, headers, errors } = await send(await token());
  expect(status).toBe(401);
  expect(headers.get("www-authenticate")).toContain('Bearer realm="camera-monitoring"');
  const reason = /expired/.test(name) ? "EXPIRED" : "INVALID";
  expect(errors).toEqual([{ message: expect.any(String), extensions: { code: "UNAUTHENTICATED", reason } }]);
  expect(issuer.requests.slice(before)).toEqual([]);
  expect(attacker.requests).toEqual([]);
});

it.each<[string, () => Promise<string>]>([
  ["of an unknown kid", () => sign(attackerKey)],
  ["whose kid is a URL", () => sign(attackerKey, {}, { kid: `${attacker.url}/keys` })],
  ["whose jku names the attacker's keys", () => sign(attackerKey, {}, { jku: `${attacker.url}/keys` })],
  ["that embeds its own key", () => sign(attackerKey, {}, { jwk: attackerKey.jwk })],
])("rejects a token %s once the configured keys have been fetched", async (_case, token) => {
  await fetchKeys();
  const before = issuer.requests.length;
  const { status, errors } = await send(await token());
  expect(status).toBe(401);
  expect(errors).toMatchObject([{ extensions: { code: "UNAUTHENTICATED" } }]);
  expect(issuer.requests.slice(before)).toEqual(["/keys"]);
  expect(attacker.requests).toEqual([]);
});

it("refuses no good token while the issuer rotates its keys", async () => {
  await fetchKeys();
  const next = await newKey();
  publish(rsa, next);
  const tokens = await Promise.all(
    listOf(20, (index) => sign(index % 2 ? next : rsa, { jti: String(index) })),
  );
  const before = issuer.requests.length;
  expect(await Promise.all(tokens.map((token) => statusOf(token)))).toEqual(Array(20).fill(200));
  expect(issuer.requests.slice(before)).toEqual(["/keys"]);
});

it("drops keys that are no longer published within five minutes", async () => {
  await fetchKeys();
  publish(ec);
  advance(fiveMinutes);
  expect(await statusOf(await sign(rsa))).toBe(401);
  expect(await statusOf(await sign(ec))).toBe(200);
});

it("fetches the keys once for concurrent requests", async () => {
  advance(fiveMinutes);
  const before = issuer.requests.length;
  const token = await sign(rsa);
  const statuses = await Promise.all(listOf(10, () => statusOf(token)));
  expect(statuses).toEqual(Array(10).fill(200));
  expect(issuer.requests.slice(before)).toEqual(["/keys"]);
});

it("keeps using the keys it has while the issuer is down", async () => {
  await fetchKeys();
  override(disconnect);
  const before = issuer.requests.length;
  advance(10 * fiveMinutes);
  expect(await statusOf(await sign(rsa))).toBe(200);
  expect(await statusOf(await sign(ec))).toBe(200);
  expect(issuer.requests.slice(before)).toEqual(["/keys"]);
});

describe("a token with an unknown kid", () => {
  it("gets 503 while the keys cannot be fetched again yet, and is accepted as soon as they can", async () => {
    await fetchKeys();
    expect(await statusOf(await sign(attackerKey))).toBe(401);
    const next = await newKey();
    publish(next);
    advance(10_000);
    const { status, headers, errors } = await send(await sign(next));
    expect(status).toBe(503);
    expect(headers.get("retry-after")).toBe("20");
    expect(errors).toEqual([
      {
        message: "The token's key could not be looked up at the identity provider; it is safe to retry",
        extensions: { code: "UNAVAILABLE" },
      },
    ]);
    advance(refreshInterval - 10_000);
    expect(await statusOf(await sign(next))).toBe(200);
  });

  it("gets 503 if the fetch fails, and is accepted when a later one succeeds", async () => {
    await fetchKeys();
    const next = await newKey();
    publish(rsa, next);
    override(disconnect);
    const { status, headers } = await send(await sign(next));
    expect(status).toBe(503);
    expect(headers.get("retry-after")).toBe("30");
    expect(await statusOf(await sign(rsa))).toBe(200);
    issuer.override = undefined;
    advance(refreshInterval);
    expect(await statusOf(await sign(next))).toBe(200);
  });

  it("is not refused because of a fetch that had begun before it came", async () => {
    await fetchKeys();
    const responses: ServerResponse[] = [];
    override((_request, response) => void responses.push(response));
    const first = statusOf(await sign(attackerKey));
    await expect.poll(() => responses.length).toBe(1);
    const next = await newKey();
    const second = statusOf(await sign(next));
    // Answered while the others wait for the keys.
    expect(await statusOf(await sign(rsa, { jti: "known" }))).toBe(200);
    responses[0]?.end(JSON.stringify({ keys: [rsa.jwk] }));
    expect(await first).toBe(401);
    expect(await second).toBe(503);
  });

  it("causes one fetch in 30 seconds, however many are sent", async () => {
    await fetchKeys();
    const tokens = await Promise.all(
      listOf(100, (index) => sign(attackerKey, {}, { kid: `unknown-${index}` })),
    );
    const before = issuer.requests.length;
    const statuses = await Promise.all(tokens.map((token) => statusOf(token)));
    advance(refreshInterval - 1);
    statuses.push(await statusOf(await sign(attackerKey)));
    expect(statuses.filter((status) => status !== 401 && status !== 503)).toEqual([]);
    expect(statuses.at(-1)).toBe(503);
    expect(await statusOf(await sign(rsa))).toBe(200);
    expect(issuer.requests.slice(before)).toEqual(["/keys"]);
  });

  it("causes no second fetch in 30 seconds while the issuer is away, nor when it is back", async () => {
    await fetchKeys();
    override(disconnect);
    advance(fiveMinutes);
    const before = issuer.requests.length;
    const unknown = () => sign(attackerKey, {}, { kid: randomUUID() });
    expect(await statusOf(await unknown())).toBe(503);
    advance(100);
    const { status, headers } = await send(await unknown());
    expect([status, headers.get("retry-after")]).toEqual([503, "30"]);
    expect(issuer.requests.slice(before)).toEqual(["/keys"]);
    issuer.override = undefined;
    advance(refreshInterval);
    expect(await statusOf(await sign(rsa))).toBe(200);
    advance(100);
    expect(await statusOf(await unknown())).toBe(503);
    expect(issuer.requests.slice(before)).toEqual(["/keys", "/keys"]);
    advance(refreshInterval);
    expect(await statusOf(await unknown())).toBe(401);
  });

  it("closes a WebSocket with 1013 while it cannot be looked up, after which clients try again", async () => {
    await fetchKeys();
    expect(await statusOf(await sign(attackerKey))).toBe(401);
    const live = await openSocket(gateway);
    live.send({
      type: "connection_init",
      payload: { authorization: `Bearer ${await sign(await newKey())}` },
    });
    expect(await live.closed()).toMatchObject({ code: 1013 });
  });

  it("counts against the address, also where it gets 503", async () => {
    const limited = await gatewayForTest({ RATE_LIMIT: "on", RATE_LIMIT_ADDRESS: "3" });
    const token = await sign(attackerKey);
    const statuses: number[] = [];
    for (let sent = 0; sent < 4; sent += 1) statuses.push(await statusOf(token, limited));
    expect(statuses).toEqual([401, 503, 503, 429]);
  });
});

it.each([
  ["EdDSA", "Ed25519"],
  ["Ed25519", "EdDSA"],
  [undefined, "Ed25519"],
])("accepts an Ed25519 key published with alg %s and a token with alg %s", async (published, alg) => {
  const key = await generateKey("Ed25519", `ed25519-${published}-${alg}`);
  await fetchKeys();
  publish({ ...key, jwk: { ...key.jwk, alg: published as string } });
  expect(await statusOf(await sign(key, {}, { alg }))).toBe(200);
});

const discoveringKeys = (configured: string) =>
  new IssuerKeys({ issuer: configured }, () => now, createLog("silent"));
const discoveryRequests = ["/.well-known/openid-configuration", "/keys"];

/** Makes discovery name an issuer until the test ends. */
function nameIssuer(name: string): void {
  onTestFinished(() => {
    issuer.name = undefined;
  });
  issuer.name = name;
}

describe.each(["", "/"])("an issuer that names itself with '%s' at the end", (suffix) => {
  it.each(["", "/"])(
    "is found if AUTH_ISSUER ends in '%s', and tokens have to name it exactly",
    async (configured) => {
      nameIssuer(`${issuer.url}${suffix}`);
      const before = issuer.requests.length;
      const keys = discoveringKeys(`${issuer.url}${configured}`);
      await keys.load();
      expect(issuer.requests.slice(before)).toEqual(discoveryRequests);
      expect(keys.expected).toEqual({ issuer: issuer.name });
      expect((await keys.forToken("rsa")).issuer).toBe(issuer.name);
    },
  );
});

it("a gateway that discovers its issuer accepts only tokens that name it exactly", async () => {
  nameIssuer(`${issuer.url}/`);
  const before = issuer.requests.length;
  const discovering = await gatewayForTest();
  expect(issuer.requests.slice(before)).toEqual(discoveryRequests);
  expect(await statusOf(await sign(rsa, { iss: `${issuer.url}/` }), discovering)).toBe(200);
  expect(await statusOf(await sign(rsa, { iss: issuer.url }), discovering)).toBe(401);
});

const readiness = async (at: Gateway) => {
  const response = await at.fetch("/readyz");
  const { message } = (await response.json()) as { message?: string };
  return { status: response.status, message };
};
const notReady = { status: 503, message: "Not ready: the identity provider's keys could not be fetched yet" };

const failures: [string, RequestListener][] = [
  ["is down", disconnect],
  ["responds with an error", (_request, response) => void response.writeHead(500).end()],
  ["does not respond with JSON", (_request, response) => void response.end("<html>")],
  ["responds with null", (_request, response) => void response.end("null")],
  [
    "returns a key URL that is neither https nor loopback",
    (request, response) => {
      const keysUrl = `${issuer.url.replace("127.0.0.1", "0.0.0.0")}/keys`;
      response.end(
        JSON.stringify(
          request.url === "/keys" ? { keys: issuer.keys } : { issuer: issuer.url, jwks_uri: keysUrl },
        ),
      );
    },
  ],
  [
    "does not return a key URL",
    (_request, response) => void response.end(JSON.stringify({ issuer: issuer.url })),
  ],
  [
    "names no issuer",
    (_request, response) => void response.end(JSON.stringify({ jwks_uri: `${issuer.url}/keys` })),
  ],
  [
    "redirects",
    (_request, response) => void response.writeHead(302, { location: `${attacker.url}/keys` }).end(),
  ],
];

it.each(failures)(
  "keys cannot be fetched, and are fetched again after 30 seconds, if the issuer %s",
  async (_case, listener) => {
    override(listener);
    const keys = discoveringKeys(issuer.url);
    // Any other error: this one keeps a gateway from starting.
    await expect(keys.load()).rejects.not.toBeInstanceOf(WrongIssuerError);
    expect(keys.areKnown).toBe(false);
    await expect(keys.forToken("rsa")).rejects.toMatchObject({
      code: "UNAVAILABLE",
      headers: { "retry-after": "30" },
    });
    expect(attacker.requests).toEqual([]);
    issuer.override = undefined;
    advance(refreshInterval);
    expect((await keys.forToken("rsa")).ids).toContain("rsa");
    expect(keys.areKnown).toBe(true);
  },
);

describe("a gateway whose issuer cannot be used at the start", () => {
  it("starts, is not ready and answers tokens with 503, and recovers", async () => {
    override(disconnect);
    const started = await gatewayForTest();
    expect(await readiness(started)).toMatchObject(notReady);
    expect((await started.fetch("/healthz")).status).toBe(200);
    const { status, headers, errors } = await send(await sign(rsa), started);
    expect(status).toBe(503);
    expect(headers.get("retry-after")).toBe("30");
    expect(errors).toMatchObject([{ extensions: { code: "UNAVAILABLE" } }]);
    issuer.override = undefined;
    advance(refreshInterval);
    expect(await statusOf(await sign(rsa), started)).toBe(200);
    expect(await readiness(started)).toMatchObject({ status: 200 });
  });

  it("becomes ready by itself", async () => {
    override(disconnect);
    const started = await gatewayForTest();
    expect(await readiness(started)).toMatchObject(notReady);
    issuer.override = undefined;
    await expect.poll(async () => (await readiness(started)).status).toBe(200);
    expect(await statusOf(await sign(rsa), started)).toBe(200);
  });

  it("stays not ready, and says why in its log, if discovery turns out to name another issuer", async () => {
    override(disconnect);
    const lines: string[] = [];
    const started = await gatewayForTest({}, { write: (line) => void lines.push(line) });
    nameIssuer(attacker.url);
    issuer.override = undefined;
    expect(await statusOf(await sign(rsa), started)).toBe(503);
    expect(await readiness(started)).toMatchObject(notReady);
    const message = `AUTH_ISSUER is ${issuer.url}, but ${issuer.url}/.well-known/openid-configuration names the issuer ${attacker.url}`;
    await expect.poll(() => lines.join("")).toContain(message);
    expect(await readiness(started)).toMatchObject(notReady);
  });
});
