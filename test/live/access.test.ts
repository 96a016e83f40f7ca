import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { signToken } from "../../src/access/jwt.js";
import { type Permission, permissions } from "../../src/access/permissions.js";
import { testSecrets } from "../support/environment.js";
import { createApiKey, createCamera, createFacility, createWorkspace } from "../support/factories.js";
import { type Gateway, type Sender, startGateway } from "../support/harness.js";
import { type Call, newWriter, run, type Writer } from "../writes/writer.js";
import { openSocket, subscriber } from "./live-socket.js";

const start = new Date(Math.floor(Date.now() / 1000) * 1000);
const later = (seconds: number) => new Date(start.getTime() + seconds * 1000);

let clock = start;
let gateway: Gateway;
let workspaceId: string;
let here: string;
let cameraId: string;
let admin: Writer;
beforeAll(async () => {
  gateway = await startGateway({ seed: "none", now: () => clock });
  workspaceId = await createWorkspace(gateway.prisma, {});
  here = await createFacility(gateway.prisma, { workspaceId });
  cameraId = await createCamera(gateway.prisma, { workspaceId, facilityId: here });
  admin = await newWriter(gateway.prisma, { workspaceId, roles: permissions });
});
afterAll(() => gateway.close());
beforeEach(() => {
  clock = start;
});

const newUser = (roles: readonly Permission[], at: Record<string, Permission[]> = {}) => newWriter(gateway.prisma, { workspaceId, roles, at });
const tokenOf = async ({ authId }: Writer, lifetime: number): Promise<Sender> => ({
  authorization: `Bearer ${await signToken(testSecrets.AUTH_JWT_SECRET, authId, lifetime, start)}`,
});
const heartbeats = "subscription { facilityHeartbeat { id } }";
const heartbeat = (): Call => ["mutation ($id: UUID!) { recordHeartbeat(facilityId: $id) { id } }", { id: here }];
const revoke = (id: string): Call => ["mutation ($id: UUID!) { revokeApiKey(id: $id) { id } }", { id }];
const remove = (userId: string): Call => ["mutation ($userId: UUID!) { removeUser(userId: $userId) { id } }", { userId }];
const takeAway = (userId: string, facilityId: string): Call => [
  `mutation ($facilityId: UUID!, $userId: UUID) { removeFacilityAccess(facilityId: $facilityId, actions: ["alerts:read"], userId: $userId) { actions } }`,
  { facilityId, userId },
];

describe("closes sockets with 4403 when", () => {
  it("the token expires, and not before: the tolerance is that of HTTP", async () => {
    const user = await newUser(permissions);
    const [short, long] = [
      await openSocket(gateway, { as: await tokenOf(user, 60) }),
      await subscriber(gateway, await tokenOf(user, 3600), heartbeats),
    ];
    clock = later(89);
    await run(gateway, admin, heartbeat());
    await expect.poll(() => long.results()).toHaveLength(1);
    expect(short.ended).toBeUndefined();
    clock = later(90);
    expect(await short.closed()).toEqual({ code: 4403, reason: "The credentials have expired" });
    await run(gateway, admin, heartbeat());
    await expect.poll(() => long.results()).toHaveLength(2);
  });

  it("the API key expires", async () => {
    const key = await createApiKey(gateway.prisma, { workspaceId, permissions: ["facilities:read"], expiresAt: later(60) });
    const live = await subscriber(gateway, key, heartbeats);
    clock = later(60);
    expect(await live.closed()).toMatchObject({ code: 4403 });
  });

  it("a subscription is asked for with a token that expired meanwhile", async () => {
    const live = await openSocket(gateway, { as: await tokenOf(await newUser(permissions), 60) });
    clock = later(90);
    live.subscribe(heartbeats);
    expect(await live.closed()).toMatchObject({ code: 4403 });
    expect(live.results()).toEqual([]);
  });

  it("an event comes after the token expired: nothing more is shown", async () => {
    const user = await newUser(permissions);
    const [short, long] = [
      await subscriber(gateway, await tokenOf(user, 60), heartbeats),
      await subscriber(gateway, await tokenOf(user, 3600), heartbeats),
    ];
    clock = later(90);
    await run(gateway, admin, heartbeat());
    await expect.poll(() => long.results()).toHaveLength(1);
    await short.closed();
    expect(short.results()).toEqual([]);
  });
});

describe("closes sockets with 4401 at once when", () => {
  const ended = { code: 4401, reason: "The caller's access has ended" };

  it("the API key is revoked, and leaves those of others", async () => {
    const [key, other] = [await createApiKey(gateway.prisma, { workspaceId, permissions: ["facilities:read"] }), await newUser(permissions)];
    const [live, silent, another] = [
      await subscriber(gateway, key, heartbeats),
      await openSocket(gateway, { as: key }),
      await openSocket(gateway, { as: other.as }),
    ];
    await run(gateway, admin, revoke(key.id));
    expect([await live.closed(), await silent.closed()]).toEqual([ended, ended]);
    another.send({ type: "ping" });
    await another.received("pong");
  });

  it("the user is removed", async () => {
    const user = await newUser(permissions);
    const live = await openSocket(gateway, { as: user.as });
    await run(gateway, admin, remove(user.id));
    expect(await live.closed()).toEqual(ended);
  });

  it("an event finds that the user is gone, whoever removed them", async () => {
    const user = await newUser(permissions);
    const live = await subscriber(gateway, user.as, heartbeats);
    await gateway.prisma.user.delete({ where: { id: user.id } });
    await run(gateway, admin, heartbeat());
    expect(await live.closed()).toEqual(ended);
    expect(live.results()).toEqual([]);
  });
});

describe("ends a subscription with NOT_FOUND at once, and leaves the socket open, when", () => {
  it.each<[string, string, () => object]>([
    ["alertRaised", "subscription ($id: UUID) { alertRaised(facilityId: $id) { id } }", () => ({ id: here })],
    ["alertRaised of a camera", "subscription ($id: UUID) { alertRaised(cameraId: $id) { id } }", () => ({ id: cameraId })],
    ["cameraStatusChanged", "subscription ($id: UUID) { cameraStatusChanged(facilityId: $id) { id } }", () => ({ id: here })],
  ])("the caller sees no more what it is about: %s", async (_field, query, variables) => {
    const user = await newUser([], { [here]: ["alerts:read"] });
    const live = await subscriber(gateway, user.as, query, variables());
    live.subscribe(heartbeats, { id: "2" });
    await run(gateway, admin, takeAway(user.id, here));
    await expect.poll(() => live.errors()).toEqual(["NOT_FOUND"]);
    live.send({ type: "ping" });
    await live.received("pong");
    expect(live.errors("2")).toBeUndefined();
  });

  it("a role that made it visible is taken away", async () => {
    const user = await newUser(["alerts:read"]);
    const live = await subscriber(gateway, user.as, `subscription { alertRaised(facilityId: "${here}") { id } }`);
    await run(gateway, admin, ["mutation ($userId: UUID!) { setUserRoles(userId: $userId, roles: []) { id } }", { userId: user.id }]);
    await expect.poll(() => live.errors()).toEqual(["NOT_FOUND"]);
  });
});

it("leaves subscriptions of who keeps what they need", async () => {
  const user = await newUser([], { [here]: ["alerts:read", "cameras:read"] });
  const live = await subscriber(gateway, user.as, `subscription { cameraStatusChanged(facilityId: "${here}") { id } }`);
  await run(gateway, admin, takeAway(user.id, here));
  await gateway.app.idle();
  await run(gateway, admin, [
    "mutation ($id: UUID!, $input: StatusDetailInput!) { setCameraStatusDetail(id: $id, input: $input) { id } }",
    { id: cameraId, input: { statusDetail: "BLURRED", source: "CLIENT" } },
  ]);
  await expect.poll(() => live.results()).toEqual([{ data: { cameraStatusChanged: { id: cameraId } } }]);
});
