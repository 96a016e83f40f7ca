// Runs once: no database can influence what is tested here.
import { signToken } from "../../src/engine/access/jwt.js";
import { type Permission, permissions } from "../../src/engine/access/permissions.js";
import { testSecrets } from "../support/environment.js";
import {
  createAdmin,
  createApiKey,
  createCamera,
  createFacility,
  createTestUser,
  type TestUser,
} from "../support/factories.js";
import { type Call, run, type Sender, sharedWorkspace } from "../support/harness.js";
import { heartbeat, heartbeats, openSocket, subscriber } from "./live-socket.js";

const start = new Date(Math.floor(Date.now() / 1000) * 1000);
const later = (seconds: number) => new Date(start.getTime() + seconds * 1000);

let clock = start;
const { gateway, prisma, workspaceId } = await sharedWorkspace({ now: () => clock });
const facilityId = await createFacility(prisma, { workspaceId });
const cameraId = await createCamera(prisma, { workspaceId, facilityId: facilityId });
const admin = await createAdmin(prisma, workspaceId);
beforeEach(() => {
  clock = start;
});

const newUser = (roles: readonly Permission[], at: Record<string, Permission[]> = {}) =>
  createTestUser(prisma, { workspaceId, roles, at });
const tokenOf = async ({ authId }: TestUser, lifetime: number): Promise<Sender> => ({
  authorization: `Bearer ${await signToken(testSecrets.AUTH_JWT_SECRET, authId, lifetime, start)}`,
});
const beat = () => run(gateway, admin, heartbeat(facilityId));
const revoke = (id: string): Call => ["mutation ($id: UUID!) { revokeApiKey(id: $id) { id } }", { id }];
const remove = (userId: string): Call => [
  "mutation ($userId: UUID!) { removeUser(userId: $userId) { id } }",
  { userId },
];
const removeAccess = (userId: string, facilityId: string): Call => [
  `mutation ($facilityId: UUID!, $userId: UUID) { removeFacilityAccess(facilityId: $facilityId, actions: ["alerts:read"], userId: $userId) { actions } }`,
  { facilityId, userId },
];

describe("closes sockets with 4403 when", () => {
  it("the token expires, with the same tolerance as HTTP", async () => {
    const user = await newUser(permissions);
    const [short, long] = [
      await openSocket(gateway, { as: await tokenOf(user, 60) }),
      await subscriber(gateway, await tokenOf(user, 3600), heartbeats),
    ];
    clock = later(89);
    await beat();
    await expect.poll(() => long.results()).toHaveLength(1);
    expect(short.ended).toBeUndefined();
    clock = later(90);
    expect(await short.closed()).toEqual({ code: 4403, reason: "The credentials have expired" });
    await beat();
    await expect.poll(() => long.results()).toHaveLength(2);
  });

  it("the old secret of a rotated API key ends, but not those of the new one", async () => {
    const old = await createApiKey(prisma, { workspaceId, permissions: ["facilities:read"] });
    const [live, sameSecret] = [
      await subscriber(gateway, old, heartbeats),
      await openSocket(gateway, { as: old }),
    ];
    const { rotateApiKey } = await run<{ rotateApiKey: { key: string } }>(gateway, admin, [
      "mutation ($id: UUID!) { rotateApiKey(id: $id, keepOldHours: 1) { key } }",
      { id: old.id },
    ]);
    const as = { authorization: `Basic ${Buffer.from(`${rotateApiKey.key}:`).toString("base64")}` };
    const renewed = await subscriber(gateway, as, heartbeats);
    await beat();
    await expect.poll(() => [live.results().length, renewed.results().length]).toEqual([1, 1]);
    clock = later(3600);
    expect([await live.closed(), await sameSecret.closed()]).toMatchObject([{ code: 4403 }, { code: 4403 }]);
    await beat();
    await expect.poll(() => renewed.results()).toHaveLength(2);
  });

  it("an API key gets an earlier expiry, which then comes", async () => {
    const key = await createApiKey(prisma, { workspaceId, permissions: ["facilities:read"] });
    const live = await subscriber(gateway, key, heartbeats);
    await run(gateway, admin, [
      "mutation ($id: UUID!, $at: DateTimeISO) { updateApiKey(id: $id, input: { expiresAt: $at }) { id } }",
      { id: key.id, at: later(60).toISOString() },
    ]);
    clock = later(60);
    expect(await live.closed()).toMatchObject({ code: 4403 });
  });

  it("a subscription is started after the token has expired", async () => {
    const live = await openSocket(gateway, { as: await tokenOf(await newUser(permissions), 60) });
    clock = later(90);
    live.subscribe(heartbeats);
    expect(await live.closed()).toMatchObject({ code: 4403 });
    expect(live.results()).toEqual([]);
  });

  it("an event occurs after the token has expired, and does not send it", async () => {
    const user = await newUser(permissions);
    const [short, long] = [
      await subscriber(gateway, await tokenOf(user, 60), heartbeats),
      await subscriber(gateway, await tokenOf(user, 3600), heartbeats),
    ];
    clock = later(90);
    await beat();
    await expect.poll(() => long.results()).toHaveLength(1);
    await short.closed();
    expect(short.results()).toEqual([]);
  });
});

describe("closes sockets with 4401 immediately when", () => {
  const ended = { code: 4401, reason: "The caller's access has ended" };

  it("the API key is revoked, but no other key is", async () => {
    const [key, other] = [
      await createApiKey(prisma, { workspaceId, permissions: ["facilities:read"] }),
      await newUser(permissions),
    ];
    const [live, withoutSubscription, another] = [
      await subscriber(gateway, key, heartbeats),
      await openSocket(gateway, { as: key }),
      await openSocket(gateway, { as: other.as }),
    ];
    await run(gateway, admin, revoke(key.id));
    expect([await live.closed(), await withoutSubscription.closed()]).toEqual([ended, ended]);
    another.send({ type: "ping" });
    await another.received("pong");
  });

  it("the user is removed", async () => {
    const user = await newUser(permissions);
    const live = await openSocket(gateway, { as: user.as });
    await run(gateway, admin, remove(user.id));
    expect(await live.closed()).toEqual(ended);
  });

  it("an event finds that the user no longer exists", async () => {
    const user = await newUser(permissions);
    const live = await subscriber(gateway, user.as, heartbeats);
    await prisma.user.deleteMany({ where: { id: user.id } });
    await beat();
    expect(await live.closed()).toEqual(ended);
    expect(live.results()).toEqual([]);
  });
});

describe("immediately ends a subscription with NOT_FOUND, and keeps the socket open, when", () => {
  it.each<[string, string, () => object]>([
    [
      "alertRaised of a camera",
      "subscription ($id: UUID) { alertRaised(cameraId: $id) { id } }",
      () => ({ id: cameraId }),
    ],
    [
      "cameraStatusChanged",
      "subscription ($id: UUID) { cameraStatusChanged(facilityId: $id) { id } }",
      () => ({ id: facilityId }),
    ],
  ])("its subject is no longer visible to the caller: %s", async (_field, query, variables) => {
    const user = await newUser([], { [facilityId]: ["alerts:read"] });
    const live = await subscriber(gateway, user.as, query, variables());
    live.subscribe(heartbeats, { id: "2" });
    await run(gateway, admin, removeAccess(user.id, facilityId));
    await expect.poll(() => live.errors()).toEqual(["NOT_FOUND"]);
    live.send({ type: "ping" });
    await live.received("pong");
    expect(live.errors("2")).toBeUndefined();
  });

  it("the role that made it visible is revoked", async () => {
    const user = await newUser(["alerts:read"]);
    const live = await subscriber(
      gateway,
      user.as,
      `subscription { alertRaised(facilityId: "${facilityId}") { id } }`,
    );
    await run(gateway, admin, [
      "mutation ($userId: UUID!) { setUserRoles(userId: $userId, roles: []) { id } }",
      { userId: user.id },
    ]);
    await expect.poll(() => live.errors()).toEqual(["NOT_FOUND"]);
  });
});

it("keeps the subscriptions of a user who still has the required permissions", async () => {
  const user = await newUser([], { [facilityId]: ["alerts:read", "cameras:read"] });
  const live = await subscriber(
    gateway,
    user.as,
    `subscription { cameraStatusChanged(facilityId: "${facilityId}") { id } }`,
  );
  await run(gateway, admin, removeAccess(user.id, facilityId));
  await gateway.app.idle();
  await run(gateway, admin, [
    "mutation ($id: UUID!, $input: StatusDetailInput!) { setCameraStatusDetail(id: $id, input: $input) { id } }",
    { id: cameraId, input: { statusDetail: "BLURRED", source: "CLIENT" } },
  ]);
  await expect.poll(() => live.results()).toEqual([{ data: { cameraStatusChanged: { id: cameraId } } }]);
});
