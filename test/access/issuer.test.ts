// Runs once, as the database does not matter here.
import type { RequestListener } from "node:http";
import { exportJWK, exportSPKI, generateKeyPair, type JWTHeaderParameters, type JWTPayload, SignJWT, UnsecuredJWT } from "jose";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { createUser, createWorkspace } from "../support/factories.js";
import { type Gateway, startGateway } from "../support/harness.js";
import { type Issuer, type LocalServer, startIssuer, startLocalServer } from "./issuer-server.js";

const audience = "https://gateway.example";
const user = "issuer|user";
const fiveMinutes = 5 * 60_000;
let now = new Date("2026-11-20T12:00:00.000Z");
const advance = (milliseconds: number) => {
  now = new Date(now.getTime() + milliseconds);
};

type Key = Awaited<ReturnType<typeof generateKey>>;
async function generateKey(alg: string, kid: string) {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return { alg, kid, privateKey, publicKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: "sig" } };
}

let rsa: Key;
let ec: Key;
let attackerKey: Key;
let issuer: Issuer;
let attacker: LocalServer;
let gateway: Gateway;

const oidcGateway = async (environment: Record<string, string> = {}) => {
  const started = await startGateway({
    seed: "none",
    now: () => now,
    environment: { AUTH_JWT_SECRET: undefined, AUTH_ISSUER: issuer.url, AUTH_AUDIENCE: audience, ...environment },
  });
  await createUser(started.prisma, { workspaceId: await createWorkspace(started.prisma, {}), authId: user });
  return started;
};

beforeAll(async () => {
  rsa = await generateKey("RS256", "rsa");
  ec = await generateKey("ES256", "ec");
  attackerKey = await generateKey("RS256", "attacker");
  issuer = await startIssuer([rsa.jwk, ec.jwk]);
  attacker = await startLocalServer((_request, response) =>
    response.end(JSON.stringify({ keys: [attackerKey.jwk], jwks_uri: `${attacker.url}/keys` })),
  );
  gateway = await oidcGateway({ AUTH_JWKS_URL: `${issuer.url}/keys` });
});
afterAll(async () => {
  await gateway.close();
  await issuer.close();
  await attacker.close();
});

const claims = (): JWTPayload => ({ sub: user, iss: issuer.url, aud: audience, exp: now.getTime() / 1000 + 60 });
const sign = (key: Key, changed: JWTPayload = {}, header: Partial<JWTHeaderParameters> = {}) =>
  new SignJWT({ ...claims(), ...changed }).setProtectedHeader({ alg: key.alg, kid: key.kid, ...header }).sign(key.privateKey);
const send = (token: string, at = gateway) =>
  at.graphql<{ me: { authId: string } }>("{ me { authId } }", { as: { authorization: `Bearer ${token}` } });

it.each<[string, () => Promise<string>]>([
  ["RS256", () => sign(rsa)],
  ["ES256", () => sign(ec)],
  ["a list of audiences including ours", () => sign(rsa, { aud: ["https://elsewhere.example", audience] })],
  ["an expiry 29 seconds ago", () => sign(rsa, { exp: now.getTime() / 1000 - 29 })],
])("accepts a token with %s", async (_case, token) => {
  const { status, data } = await send(await token());
  expect(status).toBe(200);
  expect(data).toEqual({ me: { authId: user } });
});

const withSecret = (secret: string, header: Partial<JWTHeaderParameters> = {}) =>
  new SignJWT(claims()).setProtectedHeader({ alg: "HS256", ...header }).sign(new TextEncoder().encode(secret));

it.each<[string, () => string | Promise<string>]>([
  ["for another audience", () => sign(rsa, { aud: "https://elsewhere.example" })],
  ["for no audience", () => sign(rsa, { aud: undefined })],
  ["of another issuer", () => sign(rsa, { iss: "https://elsewhere.example" })],
  ["of our issuer with a trailing slash", () => sign(rsa, { iss: `${issuer.url}/` })],
  ["of no issuer", () => sign(rsa, { iss: undefined })],
  ["that expired 30 seconds ago", () => sign(rsa, { exp: now.getTime() / 1000 - 30 })],
  ["without exp", () => sign(rsa, { exp: undefined })],
  ["without sub", () => sign(rsa, { sub: undefined })],
  ["whose sub is not a user", () => sign(rsa, { sub: "issuer|unknown" })],
  ["that becomes valid in 31 seconds", () => sign(rsa, { nbf: now.getTime() / 1000 + 31 })],
  ["of alg none", () => new UnsecuredJWT(claims()).encode()],
  ["of HS256 keyed with the public key's PEM", async () => withSecret(await exportSPKI(rsa.publicKey), { kid: "rsa" })],
  ["of HS256 keyed with the public key's trimmed PEM", async () => withSecret((await exportSPKI(rsa.publicKey)).trim(), { kid: "rsa" })],
  ["of HS256 keyed with the public key's JWK", () => withSecret(JSON.stringify(rsa.jwk), { kid: "rsa" })],
  ["of HS256 keyed with the public key's modulus", () => withSecret(String(rsa.jwk.n))],
  ["signed by another key under a known kid", () => sign(attackerKey, {}, { kid: "rsa" })],
  ["signed by another key without a kid", () => sign(attackerKey, {}, { kid: undefined })],
  ["of a known kid with another kind of key", () => sign(ec, {}, { kid: "rsa" })],
  ["of an unknown kid", () => sign(attackerKey)],
  ["of an empty kid", () => sign(attackerKey, {}, { kid: "" })],
  ["whose kid is a path", () => sign(attackerKey, {}, { kid: "../../etc/passwd" })],
  ["whose kid is a URL", () => sign(attackerKey, {}, { kid: `${attacker.url}/keys` })],
  ["whose jku names the attacker's keys", () => sign(attackerKey, {}, { jku: `${attacker.url}/keys` })],
  ["whose jku names the attacker's keys under a known kid", () => sign(attackerKey, {}, { kid: "rsa", jku: `${attacker.url}/keys` })],
  ["whose x5u names the attacker's certificate", () => sign(attackerKey, {}, { x5u: `${attacker.url}/certificate` })],
  ["that embeds its own key", () => sign(attackerKey, {}, { jwk: attackerKey.jwk })],
  ["whose iss names the attacker", () => sign(attackerKey, { iss: attacker.url })],
  ["that is garbage", () => "a.b.c"],
])("rejects a token %s without fetching anything", async (_case, token) => {
  expect((await send(await sign(rsa))).status).toBe(200);
  const before = issuer.requests.length;
  const { status, headers, errors } = await send(await token());
  expect(status).toBe(401);
  expect(headers.get("www-authenticate")).toContain('Bearer realm="camera-monitoring"');
  expect(errors).toEqual([{ message: "A valid Bearer token or API key is required", extensions: { code: "UNAUTHENTICATED" } }]);
  expect(issuer.requests.slice(before)).toEqual([]);
  expect(attacker.requests).toEqual([]);
});

it("picks up rotated keys within five minutes and drops old ones", async () => {
  const rotated = await generateKey("RS256", "rotated");
  expect((await send(await sign(rsa))).status).toBe(200);
  const { keys } = issuer;
  onTestFinished(() => {
    issuer.keys = keys;
    advance(fiveMinutes);
  });
  issuer.keys = [rotated.jwk];
  expect((await send(await sign(rotated))).status).toBe(401);
  advance(fiveMinutes);
  expect((await send(await sign(rotated))).status).toBe(200);
  expect((await send(await sign(rsa))).status).toBe(401);
});

it("fetches the keys once for concurrent requests", async () => {
  advance(fiveMinutes);
  const before = issuer.requests.length;
  const token = await sign(rsa);
  const responses = await Promise.all(Array.from({ length: 10 }, () => send(token)));
  expect(responses.map(({ status }) => status)).toEqual(Array(10).fill(200));
  expect(issuer.requests.slice(before)).toEqual(["/keys"]);
});

it("keeps using cached keys while the issuer is down", async () => {
  expect((await send(await sign(rsa))).status).toBe(200);
  onTestFinished(() => {
    issuer.override = undefined;
    advance(fiveMinutes);
  });
  issuer.override = (request) => request.socket.destroy();
  const before = issuer.requests.length;
  advance(10 * fiveMinutes);
  expect((await send(await sign(rsa))).status).toBe(200);
  expect((await send(await sign(attackerKey))).status).toBe(401);
  expect(issuer.requests.slice(before)).toEqual(["/keys"]);
});

it.each(["", "/"])("discovers the keys if no URL is set, for an issuer that ends in '%s'", async (suffix) => {
  const iss = `${issuer.url}${suffix}`;
  const discovering = await oidcGateway({ AUTH_ISSUER: iss });
  onTestFinished(() => discovering.close());
  const before = issuer.requests.length;
  expect((await send(await sign(rsa, { iss }), discovering)).status).toBe(200);
  expect((await send(await sign(attackerKey, { iss }), discovering)).status).toBe(401);
  expect(issuer.requests.slice(before)).toEqual(["/.well-known/openid-configuration", "/keys"]);
});

const failures: [string, RequestListener][] = [
  ["is down", (request) => void request.socket.destroy()],
  ["responds with an error", (_request, response) => void response.writeHead(500).end()],
  ["does not respond with JSON", (_request, response) => void response.end("<html>")],
  [
    "returns a key URL that is neither https nor loopback",
    (request, response) => {
      const keysUrl = `${issuer.url.replace("127.0.0.1", "0.0.0.0")}/keys`;
      response.end(JSON.stringify(request.url === "/keys" ? { keys: issuer.keys } : { jwks_uri: keysUrl }));
    },
  ],
  ["does not return a key URL", (_request, response) => void response.end("{}")],
  ["redirects", (_request, response) => void response.writeHead(302, { location: `${attacker.url}/keys` }).end()],
];

it.each(failures)("returns 503 if the issuer %s at first use, and recovers after ten seconds", async (_case, override) => {
  const fresh = await oidcGateway();
  onTestFinished(async () => {
    issuer.override = undefined;
    await fresh.close();
  });
  issuer.override = override;
  const { status, headers, errors } = await send(await sign(rsa), fresh);
  expect(status).toBe(503);
  expect(headers.get("retry-after")).toBe("10");
  expect(errors).toMatchObject([{ extensions: { code: "UNAVAILABLE" } }]);
  expect(attacker.requests).toEqual([]);
  issuer.override = undefined;
  advance(10_000);
  expect((await send(await sign(rsa), fresh)).status).toBe(200);
});
