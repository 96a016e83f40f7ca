import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createApiKey, createCamera, createFacility, createWorkspace } from "../support/factories.js";
import { type Gateway, startGateway } from "../support/harness.js";

const start = new Date("2026-11-20T12:00:00.000Z");
let now = start;
const later = (milliseconds: number) => new Date(start.getTime() + milliseconds);

let gateway: Gateway;
let workspaceId: string;
let facilities: string[];
beforeAll(async () => {
  gateway = await startGateway({ seed: "none", now: () => now });
  workspaceId = await createWorkspace(gateway.prisma, {});
  facilities = [
    await createFacility(gateway.prisma, { workspaceId, name: "A" }),
    await createFacility(gateway.prisma, { workspaceId, name: "B" }),
    await createFacility(gateway.prisma, { workspaceId, name: "C" }),
  ];
  for (const facilityId of facilities) await createCamera(gateway.prisma, { workspaceId, facilityId });
});
afterAll(() => gateway.close());

type Answer = { facilities: { id: string }[] };
const newKey = (values: Partial<Parameters<typeof createApiKey>[1]> = {}) =>
  createApiKey(gateway.prisma, { workspaceId, permissions: ["facilities:read"], ...values });
const ask = (authorization: string) => gateway.graphql<Answer>("{ facilities { id } }", { as: { authorization } });
const base64 = (text: string) => Buffer.from(text).toString("base64");

it.each<[string, (key: string) => string]>([
  ["as the user name without a password", (key) => base64(`${key}:`)],
  ["as the user name with a password", (key) => base64(`${key}:x`)],
  ["as the password without a user name", (key) => base64(`:${key}`)],
  ["as the password of a user", (key) => base64(`device:${key}`)],
  ["alone in Base64", (key) => base64(key)],
  ["alone as it is", (key) => key],
])("accepts a key %s", async (_case, credentials) => {
  const { key } = await newKey();
  const { status, data } = await ask(`Basic ${credentials(key)}`);
  expect(status).toBe(200);
  expect(data.facilities).toHaveLength(3);
});

const changed = (key: string, index: number) => key.slice(0, index) + (key[index] === "0" ? "1" : "0") + key.slice(index + 1);

it.each<[string, (key: string) => string | Promise<string>]>([
  ["a key whose secret is wrong at its end", (key) => base64(changed(key, key.length - 1))],
  ["a key whose secret is wrong at its start", (key) => base64(changed(key, 37))],
  ["a key of an unknown id", (key) => base64(key.replace(/^cmk_[0-9a-f]{32}/, `cmk_${randomUUID().replaceAll("-", "")}`))],
  ["the id of one key with the secret of another", async (key) => base64(key.slice(0, 37) + (await newKey()).key.slice(37))],
  ["a key without its secret", (key) => base64(`${key.slice(0, 36)}:`)],
  ["a key in capitals", (key) => base64(key.toUpperCase())],
  ["a key with more behind it", (key) => base64(`${key}0:`)],
  ["a revoked key", async () => base64((await newKey({ revokedAt: start })).key)],
  ["a key that expired just now", async () => base64((await newKey({ expiresAt: start })).key)],
  ["a user name and a password", () => base64("demo|admin:password")],
  ["garbage", () => "!!!"],
  ["nothing but a colon", () => base64(":")],
])("refuses %s", async (_case, credentials) => {
  const { key } = await newKey();
  const { status, headers, errors } = await ask(`Basic ${await credentials(key)}`);
  expect(status).toBe(401);
  expect(headers.get("www-authenticate")).toContain('Basic realm="camera-monitoring"');
  expect(errors).toEqual([{ message: "A valid Bearer token or API key is needed", extensions: { code: "UNAUTHENTICATED" } }]);
});

it("refuses a key as a Bearer token", async () => {
  expect((await ask(`Bearer ${(await newKey()).key}`)).status).toBe(401);
});

it("accepts a key until it expires", async () => {
  const { authorization } = await newKey({ expiresAt: later(1000) });
  now = later(999);
  expect((await ask(authorization)).status).toBe(200);
  now = later(1000);
  expect((await ask(authorization)).status).toBe(401);
  now = start;
});

it("counts a revocation from the next request on", async () => {
  const { id, authorization } = await newKey();
  expect((await ask(authorization)).status).toBe(200);
  await gateway.prisma.apiKey.update({ where: { id }, data: { revokedAt: start } });
  expect((await ask(authorization)).status).toBe(401);
});

describe("what a key sees", () => {
  it("is the workspace with a key of any permission", async () => {
    const { data } = await ask((await newKey({ permissions: ["cameras:write"] })).authorization);
    expect(data.facilities.map(({ id }) => id)).toEqual(facilities);
  });

  it("is the facilities that the key is limited to, with all below", async () => {
    const [, limit] = facilities as [string, string, string];
    const { authorization } = await newKey({ facilityIds: [limit] });
    const data = await gateway.data<Answer & { cameras: object[] }>("{ facilities { id } cameras { facilityId } }", { as: { authorization } });
    expect(data).toEqual({ facilities: [{ id: limit }], cameras: [{ facilityId: limit }] });
  });

  it("is nothing with an empty list of facilities", async () => {
    const { authorization } = await newKey({ facilityIds: [] });
    const data = await gateway.data("{ facilities { id } cameras { id } workspace { id } }", { as: { authorization } });
    expect(data).toEqual({ facilities: [], cameras: [], workspace: { id: workspaceId } });
  });

  it("is nothing with a key without permissions", async () => {
    expect((await ask((await newKey({ permissions: [] })).authorization)).data).toEqual({ facilities: [] });
    expect((await ask((await newKey({ permissions: [], facilityIds: facilities })).authorization)).data).toEqual({ facilities: [] });
  });

  it("is nothing of a facility of another workspace that its list names", async () => {
    const foreign = await createFacility(gateway.prisma, { workspaceId: await createWorkspace(gateway.prisma, {}) });
    expect((await ask((await newKey({ facilityIds: [foreign] })).authorization)).data).toEqual({ facilities: [] });
  });

  it("follows its list of facilities from the next request on", async () => {
    const [first, second] = facilities as [string, string, string];
    const { id, authorization } = await newKey({ facilityIds: [first] });
    expect((await ask(authorization)).data).toEqual({ facilities: [{ id: first }] });
    await gateway.prisma.apiKey.update({ where: { id }, data: { facilityIds: [second] } });
    expect((await ask(authorization)).data).toEqual({ facilities: [{ id: second }] });
  });

  it("is not a user: me is FORBIDDEN", async () => {
    const { status, data, errors } = await gateway.graphql("{ me { id } }", { as: { authorization: (await newKey()).authorization } });
    expect(status).toBe(200);
    expect(data).toBeNull();
    expect(errors).toMatchObject([{ path: ["me"], extensions: { code: "FORBIDDEN" } }]);
  });
});

describe("permissions of a key", () => {
  const apiKeys = (authorization: string) =>
    gateway.graphql<{ workspace: { apiKeys: object[] | null } }>("{ workspace { apiKeys { id } } }", { as: { authorization } });

  it("count workspace-wide when the key is not limited to facilities", async () => {
    const { id, authorization } = await newKey({ permissions: ["api-keys:write"] });
    expect((await apiKeys(authorization)).data.workspace.apiKeys).toContainEqual({ id });
  });

  it("count at its facilities alone when it is limited", async () => {
    const { authorization } = await newKey({ permissions: ["api-keys:write", "users:read"], facilityIds: facilities });
    const { data, errors } = await apiKeys(authorization);
    expect(data).toEqual({ workspace: { apiKeys: null } });
    expect(errors).toMatchObject([{ message: expect.stringContaining("api-keys:write"), extensions: { code: "FORBIDDEN" } }]);
    const access = await gateway.data("{ facilities { access { actions } } }", { as: { authorization } });
    expect(access).toEqual({ facilities: facilities.map(() => ({ access: [] })) });
  });
});

describe("the last use of a key", () => {
  const lastUse = async ({ id, authorization }: { id: string; authorization: string }) => {
    const query = "{ workspace { apiKeys { id lastUsedAt } } }";
    const { workspace } = await gateway.data<{ workspace: { apiKeys: { id: string; lastUsedAt: string | null }[] } }>(query, {
      as: { authorization },
    });
    return workspace.apiKeys.find((key) => key.id === id)?.lastUsedAt;
  };

  it("is kept, to the minute", async () => {
    const key = await newKey({ permissions: ["api-keys:write"] });
    expect(await lastUse(key)).toBe("2026-11-20T12:00:00.000Z");
    now = later(59_999);
    expect(await lastUse(key)).toBe("2026-11-20T12:00:00.000Z");
    now = later(60_000);
    expect(await lastUse(key)).toBe("2026-11-20T12:01:00.000Z");
    now = start;
  });

  it("is not that of a wrong secret", async () => {
    const { id, key } = await newKey();
    await ask(`Basic ${base64(changed(key, key.length - 1))}`);
    const reader = await newKey({ permissions: ["api-keys:write"] });
    expect(await lastUse({ id, authorization: reader.authorization })).toBeNull();
  });
});
