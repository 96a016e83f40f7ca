// Runs once: no database can influence what is tested here.
import { randomUUID } from "node:crypto";
import { createApiKey, createCamera, createFacility } from "../support/factories.js";
import { sharedWorkspace } from "../support/harness.js";

const start = new Date("2026-11-20T12:00:00.000Z");
let now = start;
const later = (milliseconds: number) => new Date(start.getTime() + milliseconds);
const { gateway, prisma, workspaceId } = await sharedWorkspace({ now: () => now });
const facilities = [
  await createFacility(prisma, { workspaceId, name: "A" }),
  await createFacility(prisma, { workspaceId, name: "B" }),
  await createFacility(prisma, { workspaceId, name: "C" }),
];
for (const facilityId of facilities) await createCamera(prisma, { workspaceId, facilityId });

type Data = { facilities: { id: string }[] };
const newKey = (values: Partial<Parameters<typeof createApiKey>[1]> = {}) =>
  createApiKey(prisma, { workspaceId, permissions: ["facilities:read"], ...values });
const send = (authorization: string) =>
  gateway.graphql<Data>("{ facilities { id } }", { as: { authorization } });
const base64 = (text: string) => Buffer.from(text).toString("base64");

it.each<[string, (key: string) => string]>([
  ["as the user name without a password", (key) => base64(`${key}:`)],
  ["as the password without a user name", (key) => base64(`:${key}`)],
  ["on its own in Base64", (key) => base64(key)],
  ["on its own in plain text", (key) => key],
])("accepts a key %s", async (_case, credentials) => {
  const { key } = await newKey();
  const { status, data } = await send(`Basic ${credentials(key)}`);
  expect(status).toBe(200);
  expect(data.facilities).toHaveLength(3);
});

const changed = (key: string, index: number) =>
  key.slice(0, index) + (key[index] === "0" ? "1" : "0") + key.slice(index + 1);

it.each<[string, (key: string) => string | Promise<string>]>([
  ["a key whose secret is wrong at its end", (key) => base64(changed(key, key.length - 1))],
  ["a key whose secret is wrong at its start", (key) => base64(changed(key, 37))],
  [
    "a key of an unknown id",
    (key) => base64(key.replace(/^cmk_[0-9a-f]{32}/, `cmk_${randomUUID().replaceAll("-", "")}`)),
  ],
  [
    "the id of one key with the secret of another",
    async (key) => base64(key.slice(0, 37) + (await newKey()).key.slice(37)),
  ],
  ["a key without its secret", (key) => base64(`${key.slice(0, 36)}:`)],
  ["a key in upper case", (key) => base64(key.toUpperCase())],
  ["a revoked key", async () => base64((await newKey({ revokedAt: start })).key)],
  ["a key that has just expired", async () => base64((await newKey({ expiresAt: start })).key)],
  ["a key with a password of 8,000 characters", (key) => base64(`${key}:${"x".repeat(8_000)}`)],
  ["only a colon", () => base64(":")],
])("rejects %s", async (name, credentials) => {
  const { key } = await newKey();
  const { status, headers, errors } = await send(`Basic ${await credentials(key)}`);
  expect(status).toBe(401);
  expect(headers.get("www-authenticate")).toContain('Basic realm="camera-monitoring"');
  const reason = /expired/.test(name) ? "EXPIRED" : "INVALID";
  expect(errors).toEqual([{ message: expect.any(String), extensions: { code: "UNAUTHENTICATED", reason } }]);
});

it("rejects a key as a Bearer token", async () => {
  expect((await send(`Bearer ${(await newKey()).key}`)).status).toBe(401);
});

it("accepts a key until it expires", async () => {
  const { authorization } = await newKey({ expiresAt: later(1000) });
  now = later(999);
  expect((await send(authorization)).status).toBe(200);
  now = later(1000);
  expect((await send(authorization)).status).toBe(401);
  now = start;
});

describe("the objects that a key can see", () => {
  it("is the whole workspace for a key with any permission", async () => {
    const { data } = await send((await newKey({ permissions: ["cameras:write"] })).authorization);
    expect(data.facilities.map(({ id }) => id)).toEqual(facilities);
  });

  it("is nothing for an empty list of facilities", async () => {
    const { authorization } = await newKey({ facilityIds: [] });
    const data = await gateway.data("{ facilities { id } cameras { id } workspace { id } }", {
      as: { authorization },
    });
    expect(data).toEqual({ facilities: [], cameras: [], workspace: { id: workspaceId } });
  });

  it("is nothing for a key without permissions", async () => {
    expect((await send((await newKey({ permissions: [] })).authorization)).data).toEqual({ facilities: [] });
    expect(
      (await send((await newKey({ permissions: [], facilityIds: facilities })).authorization)).data,
    ).toEqual({ facilities: [] });
  });

  it("follows changes to its facilities on the next request", async () => {
    const [first, second] = facilities as [string, string, string];
    const { id, authorization } = await newKey({ facilityIds: [first] });
    expect((await send(authorization)).data).toEqual({ facilities: [{ id: first }] });
    await prisma.apiKey.updateMany({ where: { id }, data: { facilityIds: [second] } });
    expect((await send(authorization)).data).toEqual({ facilities: [{ id: second }] });
  });

  it("does not include a user: me is FORBIDDEN", async () => {
    const { status, data, errors } = await gateway.graphql("{ me { id } }", {
      as: { authorization: (await newKey()).authorization },
    });
    expect(status).toBe(200);
    expect(data).toBeNull();
    expect(errors).toMatchObject([{ path: ["me"], extensions: { code: "FORBIDDEN" } }]);
  });
});

describe("a key's lastUsedAt", () => {
  const lastUse = async ({ id, authorization }: { id: string; authorization: string }) => {
    const query = "{ workspace { apiKeys { id lastUsedAt } } }";
    const { workspace } = await gateway.data<{
      workspace: { apiKeys: { id: string; lastUsedAt: string | null }[] };
    }>(query, {
      as: { authorization },
    });
    return workspace.apiKeys.find((key) => key.id === id)?.lastUsedAt;
  };

  it("is stored with minute precision", async () => {
    const key = await newKey({ permissions: ["api-keys:write"] });
    expect(await lastUse(key)).toBe("2026-11-20T12:00:00.000Z");
    now = later(59_999);
    expect(await lastUse(key)).toBe("2026-11-20T12:00:00.000Z");
    now = later(60_000);
    expect(await lastUse(key)).toBe("2026-11-20T12:01:00.000Z");
    now = start;
  });

  it("is not updated by a wrong secret", async () => {
    const { id, key } = await newKey();
    await send(`Basic ${base64(changed(key, key.length - 1))}`);
    const reader = await newKey({ permissions: ["api-keys:write"] });
    expect(await lastUse({ id, authorization: reader.authorization })).toBeNull();
  });
});
