// Runs once: both kinds of databases run the same statements.
import { createHash } from "node:crypto";
import type { Permission } from "../../src/engine/access/permissions.js";
import { createAdmin, createApiKey, createFacility, createTestUser } from "../support/factories.js";
import { type Call, refusal, run, type Sender, sharedWorkspace } from "../support/harness.js";

const now = new Date(Math.floor(Date.now() / 1000) * 1000);
const later = (seconds: number) => new Date(now.getTime() + seconds * 1000).toISOString();
let clock = now;
const { gateway, prisma, workspaceId } = await sharedWorkspace({ now: () => clock });
const here = await createFacility(prisma, { workspaceId, name: "A" });
const there = await createFacility(prisma, { workspaceId, name: "B" });
const admin = await createAdmin(prisma, workspaceId);

interface Created {
  createApiKey: { key: string; apiKey: { id: string } };
}

const fields = "id name permissions facilityIds expiresAt lastUsedAt revokedAt";
const create = (input: object): Call => [
  `mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { key apiKey { ${fields} } } }`,
  { input: { name: "Key", permissions: ["alerts:read"], ...input } },
];
const revoke = (id: string): Call => [
  `mutation ($id: UUID!) { revokeApiKey(id: $id) { ${fields} } }`,
  { id },
];
const sender = (key: string): Sender => ({
  authorization: `Basic ${Buffer.from(`${key}:`).toString("base64")}`,
});
const newUser = (roles: readonly Permission[], at: Record<string, Permission[]> = {}) =>
  createTestUser(prisma, { workspaceId, roles, at });
const keyWith = async (held: readonly Permission[], facilityIds?: string[]) => ({
  as: await createApiKey(prisma, {
    workspaceId,
    permissions: [...held],
    ...(facilityIds && { facilityIds }),
  }),
});
const namesSeenBy = async (as: Sender) =>
  (await gateway.data<{ facilities: { name: string }[] }>("{ facilities { name } }", { as })).facilities.map(
    ({ name }) => name,
  );
const statusOf = async (as: Sender) => (await gateway.graphql("{ facilities { id } }", { as })).status;
const created = (caller: { as: Sender }, input: object) =>
  run<Created>(gateway, caller, create(input)).then((data) => data.createApiKey);

describe("createApiKey", () => {
  it("creates a key that works immediately at the given facilities, and returns each permission once", async () => {
    const { key, apiKey } = await created(admin, {
      permissions: ["facilities:read", "alerts:read", "alerts:read"],
      facilityIds: [there, there],
    });
    expect(apiKey).toMatchObject({
      ...{ name: "Key", permissions: ["facilities:read", "alerts:read"], facilityIds: [there] },
      ...{ expiresAt: null, lastUsedAt: null, revokedAt: null },
    });
    expect(await namesSeenBy(sender(key))).toEqual(["B"]);
  });

  it("shows the key only once and stores only the SHA-256 of its secret", async () => {
    const { key, apiKey } = await created(admin, {});
    const secret = key.split("_")[2] as string;
    expect(secret).toMatch(/^[0-9a-f]{64}$/);
    const row = await prisma.apiKey.findFirstOrThrow({ where: { id: apiKey.id } });
    expect(Buffer.from(row.secretHash)).toEqual(createHash("sha256").update(secret).digest());
    expect(JSON.stringify({ ...row, secretHash: null })).not.toContain(secret);
    const shown = await gateway.data(
      `{ workspace { apiKeys { ${fields} } } auditLog { nodes { changes } } }`,
      admin,
    );
    expect(JSON.stringify(shown)).not.toContain(secret);
  });

  it("rejects an expiry at the current time, and creates no key", async () => {
    const count = await prisma.apiKey.count();
    expect(await refusal(gateway, admin, create({ expiresAt: later(0) }))).toMatchObject(expiryRefused);
    expect(await prisma.apiKey.count()).toBe(count);
  });
});

const expiryRefused = { code: "BAD_REQUEST", paths: ["input.expiresAt"] };

describe("a caller cannot create a key with more permissions than their own:", () => {
  it.each<[string, () => Promise<{ as: Sender }>, () => object]>([
    [
      "a permission that they do not hold",
      () => newUser(["api-keys:write", "alerts:read"]),
      () => ({ permissions: ["alerts:read", "alerts:write"] }),
    ],
    [
      "a permission for all facilities that they hold at one",
      () => newUser(["api-keys:write"], { [here]: ["alerts:read"] }),
      () => ({ permissions: ["alerts:read"] }),
    ],
    [
      "a permission for two facilities that they hold at one",
      () => newUser(["api-keys:write"], { [here]: ["alerts:read"] }),
      () => ({ permissions: ["alerts:read"], facilityIds: [here, there] }),
    ],
    [
      "an API key granting a permission it lacks",
      () => keyWith(["api-keys:write"]),
      () => ({ permissions: ["alerts:read"] }),
    ],
  ])("%s", async (_case, caller, input) => {
    const as = await caller();
    const count = await prisma.apiKey.count();
    expect(await refusal(gateway, as, create(input()))).toMatchObject({ code: "FORBIDDEN" });
    expect(await prisma.apiKey.count()).toBe(count);
  });

  it("but may grant a permission held at one facility to a key for that facility", async () => {
    const caller = await newUser(["api-keys:write"], { [here]: ["alerts:read"] });
    const { key } = await created(caller, { facilityIds: [here] });
    expect(await namesSeenBy(sender(key))).toEqual(["A"]);
  });
});

it("revokeApiKey is idempotent and keeps the first revocation time", async () => {
  const { apiKey } = await created(admin, { facilityIds: [here], expiresAt: later(90) });
  const first = await run(gateway, admin, revoke(apiKey.id));
  clock = new Date(later(30));
  const second = await run(gateway, admin, revoke(apiKey.id)).finally(() => {
    clock = now;
  });
  expect(first).toEqual({ revokeApiKey: { ...apiKey, revokedAt: now.toISOString() } });
  expect(second).toEqual(first);
});

const rotate = (id: string, keepOldHours?: number): Call => [
  `mutation ($id: UUID!, $hours: Int) { rotateApiKey(id: $id, keepOldHours: $hours) { key apiKey { ${fields} } } }`,
  { id, ...(keepOldHours !== undefined && { hours: keepOldHours }) },
];
const update = (id: string, input: object): Call => [
  `mutation ($id: UUID!, $input: UpdateApiKeyInput!) { updateApiKey(id: $id, input: $input) { ${fields} } }`,
  { id, input },
];
const rotated = async (id: string, keepOldHours?: number) =>
  (await run<{ rotateApiKey: { key: string; apiKey: object } }>(gateway, admin, rotate(id, keepOldHours)))
    .rotateApiKey;
/** The statuses of requests with these keys at a time. */
const statusesAt = async (seconds: number, ...keys: string[]) => {
  clock = new Date(later(seconds));
  try {
    return await Promise.all(keys.map((key) => statusOf(sender(key))));
  } finally {
    clock = now;
  }
};
const hour = 3600;

describe("rotateApiKey", () => {
  it("makes a new secret, and lets the old one work for 24 hours more", async () => {
    const { key, apiKey } = await created(admin, { facilityIds: [here] });
    const renewed = await rotated(apiKey.id);
    expect(renewed).toEqual({ key: expect.stringMatching(/^cmk_/), apiKey });
    expect(await statusesAt(0, key, renewed.key)).toEqual([200, 200]);
    expect(await namesSeenBy(sender(renewed.key))).toEqual(["A"]);
    expect(await statusesAt(24 * hour - 1, key, renewed.key)).toEqual([200, 200]);
    expect(await statusesAt(24 * hour, key, renewed.key)).toEqual([401, 200]);
  });

  it("ends the old secret at once if it is to be kept for 0 hours", async () => {
    const { key, apiKey } = await created(admin, {});
    expect(await statusOf(sender(key))).toBe(200);
    const renewed = await rotated(apiKey.id, 0);
    expect(await statusesAt(0, key, renewed.key)).toEqual([401, 200]);
  });

  it("ends the first of three secrets at once", async () => {
    const { key, apiKey } = await created(admin, {});
    const second = await rotated(apiKey.id);
    const third = await rotated(apiKey.id);
    expect(await statusesAt(0, key, second.key, third.key)).toEqual([401, 200, 200]);
  });

  it("does not let an old secret outlive its expiry, even if the key's expiry is put off", async () => {
    const { key, apiKey } = await created(admin, { expiresAt: later(hour) });
    const renewed = await rotated(apiKey.id);
    await run(gateway, admin, update(apiKey.id, { expiresAt: null }));
    expect(await statusesAt(hour - 1, key, renewed.key)).toEqual([200, 200]);
    expect(await statusesAt(hour, key, renewed.key)).toEqual([401, 200]);
  });

  it("leaves both secrets to be ended by revokeApiKey", async () => {
    const { key, apiKey } = await created(admin, {});
    const renewed = await rotated(apiKey.id);
    expect(await statusesAt(0, key, renewed.key)).toEqual([200, 200]);
    await run(gateway, admin, revoke(apiKey.id));
    expect(await statusesAt(0, key, renewed.key)).toEqual([401, 401]);
  });
});

describe("updateApiKey", () => {
  it("changes name and expiry, and what is given alone", async () => {
    const { apiKey } = await created(admin, { expiresAt: later(60) });
    expect(await run(gateway, admin, update(apiKey.id, { name: "Gate" }))).toEqual({
      updateApiKey: { ...apiKey, name: "Gate" },
    });
    expect(await run(gateway, admin, update(apiKey.id, { expiresAt: null }))).toEqual({
      updateApiKey: { ...apiKey, name: "Gate", expiresAt: null },
    });
  });

  it("ends a key at its new expiry, also for callers that the gateway knows", async () => {
    const { key, apiKey } = await created(admin, {});
    expect(await statusOf(sender(key))).toBe(200);
    await run(gateway, admin, update(apiKey.id, { expiresAt: later(60) }));
    expect(await statusesAt(59, key)).toEqual([200]);
    expect(await statusesAt(60, key)).toEqual([401]);
  });

  it("rejects an expiry at the current time", async () => {
    const { apiKey } = await created(admin, {});
    expect(await refusal(gateway, admin, update(apiKey.id, { expiresAt: later(0) }))).toMatchObject(
      expiryRefused,
    );
  });
});

describe.each<[string, (id: string) => Call]>([
  ["rotateApiKey", (id) => rotate(id)],
  ["updateApiKey", (id) => update(id, { expiresAt: null })],
])("%s", (_name, call) => {
  it("refuses a revoked key, and one that has expired: neither works again", async () => {
    const [revoked, expired] = [await created(admin, {}), await created(admin, { expiresAt: later(60) })];
    await run(gateway, admin, revoke(revoked.apiKey.id));
    clock = new Date(later(60));
    const refusals = [
      await refusal(gateway, admin, call(revoked.apiKey.id)),
      await refusal(gateway, admin, call(expired.apiKey.id)),
    ];
    clock = now;
    expect(refusals).toEqual([
      { code: "CONFLICT", message: "The API key is revoked" },
      { code: "CONFLICT", message: "The API key has expired" },
    ]);
    expect(await statusesAt(60, revoked.key, expired.key)).toEqual([401, 401]);
  });

  it("is for those alone who hold what the key may", async () => {
    const [everywhere, at] = [
      await created(admin, { permissions: ["alerts:write"] }),
      await created(admin, { permissions: ["alerts:write"], facilityIds: [here] }),
    ];
    const caller = await newUser(["api-keys:write"], { [here]: ["alerts:write"] });
    expect(await refusal(gateway, caller, call(everywhere.apiKey.id))).toMatchObject({ code: "FORBIDDEN" });
    await run(gateway, caller, call(at.apiKey.id));
  });
});
