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

type Key = Awaited<ReturnType<typeof makeKey>>;
async function makeKey(alg: string, kid: string) {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return { alg, kid, privateKey, publicKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: "sig" } };
}

let rsa: Key;
let ec: Key;
let foreign: Key;
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
  rsa = await makeKey("RS256", "rsa");
  ec = await makeKey("ES256", "ec");
  foreign = await makeKey("RS256", "foreign");
  issuer = await startIssuer([rsa.jwk, ec.jwk]);
  attacker = await startLocalServer((_request, response) => response.end(JSON.stringify({ keys: [foreign.jwk], jwks_uri: `${attacker.url}/keys` })));
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
const ask = (token: string, at = gateway) =>
  at.graphql<{ me: { authId: string } }>("{ me { authId } }", { as: { authorization: `Bearer ${token}` } });

it.each<[string, () => Promise<string>]>([
  ["RS256", () => sign(rsa)],
  ["ES256", () => sign(ec)],
  ["a list of audiences with ours", () => sign(rsa, { aud: ["https://elsewhere.example", audience] })],
  ["an expiry 29 seconds ago", () => sign(rsa, { exp: now.getTime() / 1000 - 29 })],
])("accepts a token with %s", async (_case, token) => {
  const { status, data } = await ask(await token());
  expect(status).toBe(200);
  expect(data).toEqual({ me: { authId: user } });
});

const withSecret = (secret: string, header: Partial<JWTHeaderParameters> = {}) =>
  new SignJWT(claims()).setProtectedHeader({ alg: "HS256", ...header }).sign(new TextEncoder().encode(secret));

it.each<[string, () => string | Promise<string>]>([
  ["for another audience", () => sign(rsa, { aud: "https://elsewhere.example" })],
  ["for no audience", () => sign(rsa, { aud: undefined })],
  ["of another issuer", () => sign(rsa, { iss: "https://elsewhere.example" })],
  ["of our issuer with a slash more", () => sign(rsa, { iss: `${issuer.url}/` })],
  ["of no issuer", () => sign(rsa, { iss: undefined })],
  ["that expired 30 seconds ago", () => sign(rsa, { exp: now.getTime() / 1000 - 30 })],
  ["without exp", () => sign(rsa, { exp: undefined })],
  ["without sub", () => sign(rsa, { sub: undefined })],
  ["whose sub is no user", () => sign(rsa, { sub: "issuer|unknown" })],
  ["that becomes valid in 31 seconds", () => sign(rsa, { nbf: now.getTime() / 1000 + 31 })],
  ["of alg none", () => new UnsecuredJWT(claims()).encode()],
  ["of HS256 keyed with the public key's PEM", async () => withSecret(await exportSPKI(rsa.publicKey), { kid: "rsa" })],
  ["of HS256 keyed with the public key's trimmed PEM", async () => withSecret((await exportSPKI(rsa.publicKey)).trim(), { kid: "rsa" })],
  ["of HS256 keyed with the public key's JWK", () => withSecret(JSON.stringify(rsa.jwk), { kid: "rsa" })],
  ["of HS256 keyed with the public key's modulus", () => withSecret(String(rsa.jwk.n))],
  ["signed by another key under a known kid", () => sign(foreign, {}, { kid: "rsa" })],
  ["signed by another key without a kid", () => sign(foreign, {}, { kid: undefined })],
  ["of a known kid with another kind of key", () => sign(ec, {}, { kid: "rsa" })],
  ["of an unknown kid", () => sign(foreign)],
  ["of an empty kid", () => sign(foreign, {}, { kid: "" })],
  ["whose kid is a path", () => sign(foreign, {}, { kid: "../../etc/passwd" })],
  ["whose kid is an address", () => sign(foreign, {}, { kid: `${attacker.url}/keys` })],
  ["whose jku names the attacker's keys", () => sign(foreign, {}, { jku: `${attacker.url}/keys` })],
  ["whose jku names the attacker's keys under a known kid", () => sign(foreign, {}, { kid: "rsa", jku: `${attacker.url}/keys` })],
  ["whose x5u names the attacker's certificate", () => sign(foreign, {}, { x5u: `${attacker.url}/certificate` })],
  ["that brings its own key", () => sign(foreign, {}, { jwk: foreign.jwk })],
  ["whose iss names the attacker", () => sign(foreign, { iss: attacker.url })],
  ["that is garbage", () => "a.b.c"],
])("refuses a token %s, and fetches nothing for it", async (_case, token) => {
  expect((await ask(await sign(rsa))).status).toBe(200);
  const before = issuer.requests.length;
  const { status, headers, errors } = await ask(await token());
  expect(status).toBe(401);
  expect(headers.get("www-authenticate")).toContain('Bearer realm="camera-monitoring"');
  expect(errors).toEqual([{ message: "A valid Bearer token or API key is needed", extensions: { code: "UNAUTHENTICATED" } }]);
  expect(issuer.requests.slice(before)).toEqual([]);
  expect(attacker.requests).toEqual([]);
});

it("picks a rotation up within five minutes, and forgets the keys that are gone", async () => {
  const rotated = await makeKey("RS256", "rotated");
  expect((await ask(await sign(rsa))).status).toBe(200);
  const { keys } = issuer;
  onTestFinished(() => {
    issuer.keys = keys;
    advance(fiveMinutes);
  });
  issuer.keys = [rotated.jwk];
  expect((await ask(await sign(rotated))).status).toBe(401);
  advance(fiveMinutes);
  expect((await ask(await sign(rotated))).status).toBe(200);
  expect((await ask(await sign(rsa))).status).toBe(401);
});

it("fetches the keys once for many requests at the same time", async () => {
  advance(fiveMinutes);
  const before = issuer.requests.length;
  const token = await sign(rsa);
  const answers = await Promise.all(Array.from({ length: 10 }, () => ask(token)));
  expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
  expect(issuer.requests.slice(before)).toEqual(["/keys"]);
});

it("goes on with the keys that it knows while the issuer is down", async () => {
  expect((await ask(await sign(rsa))).status).toBe(200);
  onTestFinished(() => {
    issuer.fault = undefined;
    advance(fiveMinutes);
  });
  issuer.fault = (request) => request.socket.destroy();
  const before = issuer.requests.length;
  advance(10 * fiveMinutes);
  expect((await ask(await sign(rsa))).status).toBe(200);
  expect((await ask(await sign(foreign))).status).toBe(401);
  expect(issuer.requests.slice(before)).toEqual(["/keys"]);
});

it.each(["", "/"])("finds the keys by discovery where no address of them is set, of an issuer whose name ends in '%s'", async (end) => {
  const iss = `${issuer.url}${end}`;
  const discovering = await oidcGateway({ AUTH_ISSUER: iss });
  onTestFinished(() => discovering.close());
  const before = issuer.requests.length;
  expect((await ask(await sign(rsa, { iss }), discovering)).status).toBe(200);
  expect((await ask(await sign(foreign, { iss }), discovering)).status).toBe(401);
  expect(issuer.requests.slice(before)).toEqual(["/.well-known/openid-configuration", "/keys"]);
});

const faults: [string, RequestListener][] = [
  ["is down", (request) => void request.socket.destroy()],
  ["answers with an error", (_request, response) => void response.writeHead(500).end()],
  ["answers with no JSON", (_request, response) => void response.end("<html>")],
  [
    "names an address for its keys that is neither https nor loopback",
    (request, response) => {
      const keysUrl = `${issuer.url.replace("127.0.0.1", "0.0.0.0")}/keys`;
      response.end(JSON.stringify(request.url === "/keys" ? { keys: issuer.keys } : { jwks_uri: keysUrl }));
    },
  ],
  ["is silent about where its keys are", (_request, response) => void response.end("{}")],
  ["redirects", (_request, response) => void response.writeHead(302, { location: `${attacker.url}/keys` }).end()],
];

it.each(faults)("answers 503 while the issuer %s at first use, and is good again ten seconds later", async (_case, fault) => {
  const fresh = await oidcGateway();
  onTestFinished(async () => {
    issuer.fault = undefined;
    await fresh.close();
  });
  issuer.fault = fault;
  const { status, headers, errors } = await ask(await sign(rsa), fresh);
  expect(status).toBe(503);
  expect(headers.get("retry-after")).toBe("10");
  expect(errors).toMatchObject([{ extensions: { code: "UNAVAILABLE" } }]);
  expect(attacker.requests).toEqual([]);
  issuer.fault = undefined;
  advance(10_000);
  expect((await ask(await sign(rsa), fresh)).status).toBe(200);
});
