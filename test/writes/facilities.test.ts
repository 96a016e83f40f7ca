// Runs once: both kinds of databases run the same statements.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Permission, permissions } from "../../src/access/permissions.js";
import { createApiKey, createFacility, createWorkspace } from "../support/factories.js";
import { type Gateway, type Sender, startGateway } from "../support/harness.js";
import { type Call, createTestUser, refusal, run, type TestUser, unknownId } from "../support/test-user.js";

const start = new Date(Math.floor(Date.now() / 1000) * 1000);
const at = (seconds: number) => new Date(start.getTime() + seconds * 1000);

let gateway: Gateway;
let clock = start;
let workspaceId: string;
let elsewhere: string;
let admin: TestUser;
beforeAll(async () => {
  gateway = await startGateway({ seed: "none", now: () => clock, environment: { HEARTBEAT_TIMEOUT: "60" } });
  const { prisma } = gateway;
  workspaceId = await createWorkspace(prisma, {});
  elsewhere = await createFacility(prisma, {
    workspaceId: await createWorkspace(prisma, {}),
    name: "Elsewhere",
  });
  admin = await createTestUser(prisma, { workspaceId, roles: permissions });
});
afterAll(() => gateway.close());

const fields =
  "id name address timeZoneId geographicCoordinates { lat lng } cameraCount lastHeartbeatAt online workspaceId";
const create = (input: object): Call => [
  `mutation ($input: CreateFacilityInput!) { createFacility(input: $input) { ${fields} } }`,
  { input: { name: "Depot", timeZoneId: "Europe/Istanbul", ...input } },
];
const rename = (id: string, name: string): Call => [
  `mutation ($id: UUID!, $name: String!) { renameFacility(id: $id, name: $name) { id name } }`,
  { id, name },
];
const update = (id: string, input: object): Call => [
  `mutation ($id: UUID!, $input: UpdateFacilityInput!) { updateFacility(id: $id, input: $input) { ${fields} updatedAt } }`,
  { id, input },
];
const heartbeat = (facilityId: string): Call => [
  "mutation ($facilityId: UUID!) { recordHeartbeat(facilityId: $facilityId) { id lastHeartbeatAt online } }",
  { facilityId },
];
const newUser = (roles: readonly Permission[], at: Record<string, Permission[]> = {}) =>
  createTestUser(gateway.prisma, { workspaceId, roles, at });
const newFacility = (name = "Depot") => createFacility(gateway.prisma, { workspaceId, name });
const stored = (id: string) => gateway.prisma.facility.findFirstOrThrow({ where: { id } });

describe("createFacility", () => {
  it("creates a facility in the workspace that is visible immediately", async () => {
    const input = {
      name: "Quay 7 – İzmir",
      timeZoneId: "Europe/Istanbul",
      address: "Quay 7\nİzmir",
      geographicCoordinates: { lat: 38.42, lng: 27.14 },
    };
    const { createFacility } = await run<{ createFacility: { id: string } }>(gateway, admin, create(input));
    const expected = {
      ...input,
      id: expect.any(String),
      cameraCount: 0,
      lastHeartbeatAt: null,
      online: false,
      workspaceId,
    };
    expect(createFacility).toEqual(expected);
    const query = `query ($id: UUID!) { facility(id: $id) { ${fields} } }`;
    expect(await gateway.data(query, { ...admin, variables: { id: createFacility.id } })).toEqual({
      facility: expected,
    });
  });

  it("creates a facility without address and coordinates", async () => {
    expect(await run(gateway, admin, create({}))).toMatchObject({
      createFacility: { address: null, geographicCoordinates: null },
    });
    const nothing = { address: null, geographicCoordinates: null };
    expect(await run(gateway, admin, create(nothing))).toMatchObject({ createFacility: nothing });
  });

  it.each([
    "UTC",
    "Asia/Kathmandu",
    "America/Argentina/Buenos_Aires",
    "Etc/GMT+5",
    "Asia/Calcutta",
    "Asia/Kolkata",
    "Europe/Kyiv",
  ])("accepts the time zone %s, in which alerts can be counted", async (timeZoneId) => {
    const { createFacility } = await run<{ createFacility: { id: string; timeZoneId: string } }>(
      gateway,
      admin,
      create({ timeZoneId }),
    );
    expect(createFacility.timeZoneId).toBe(timeZoneId);
    const query = `query ($id: UUID!) { facility(id: $id) {
        alertCounts(filter: { start: "2026-01-01T00:00:00Z", end: "2027-01-01T00:00:00Z" }, aggregate: DAY) { key }
      } }`;
    expect(await gateway.data(query, { ...admin, variables: { id: createFacility.id } })).toEqual({
      facility: { alertCounts: [] },
    });
  });

  it.each([
    "",
    "Istanbul",
    "Europe/Atlantis",
    "europe/istanbul",
    "+03:00",
    "GMT+3",
    "Factory",
    "localtime",
    "posix/Europe/Istanbul",
    "Europe/Istanbul ",
    "a\0b",
  ])("rejects the time zone %j", async (timeZoneId) => {
    const count = await gateway.prisma.facility.count();
    expect(await refusal(gateway, admin, create({ timeZoneId }))).toMatchObject({
      code: "BAD_REQUEST",
      paths: ["input.timeZoneId"],
    });
    expect(await gateway.prisma.facility.count()).toBe(count);
  });

  it.each<[number, number]>([
    [90, 180],
    [-90, -180],
    [0, 0],
  ])("accepts the coordinates %d, %d", async (lat, lng) => {
    const geographicCoordinates = { lat, lng };
    expect(await run(gateway, admin, create({ geographicCoordinates }))).toMatchObject({
      createFacility: { geographicCoordinates },
    });
  });

  it.each<[string, object, string]>([
    [
      "a latitude above 90",
      { geographicCoordinates: { lat: 90.001, lng: 0 } },
      "input.geographicCoordinates.lat",
    ],
    [
      "a latitude below -90",
      { geographicCoordinates: { lat: -91, lng: 0 } },
      "input.geographicCoordinates.lat",
    ],
    [
      "a longitude above 180",
      { geographicCoordinates: { lat: 0, lng: 180.5 } },
      "input.geographicCoordinates.lng",
    ],
    [
      "a longitude below -180",
      { geographicCoordinates: { lat: 0, lng: -181 } },
      "input.geographicCoordinates.lng",
    ],
    [
      "a latitude without a longitude",
      { geographicCoordinates: { lat: 1 } },
      "input.geographicCoordinates.lng",
    ],
    ["an empty name", { name: "" }, "input.name"],
    ["a blank name", { name: "\t " }, "input.name"],
    ["a NUL in the name", { name: "a\0b" }, "input.name"],
    ["a lone surrogate in the name", { name: "a\ud800b" }, "input.name"],
    ["a name of 201 characters", { name: "a".repeat(201) }, "input.name"],
    ["an address of 501 characters", { address: "a".repeat(501) }, "input.address"],
    ["a lone surrogate in the address", { address: "a\ud800" }, "input.address"],
  ])("rejects %s", async (_what, input, path) => {
    expect(await refusal(gateway, admin, create(input))).toMatchObject({
      code: "BAD_REQUEST",
      paths: [path],
    });
  });

  it("requires facilities:write in the workspace", async () => {
    const others = permissions.filter((each) => each !== "facilities:write");
    const caller = await newUser(others, { [await newFacility()]: ["facilities:write"] });
    expect(await refusal(gateway, caller, create({}))).toEqual({
      code: "FORBIDDEN",
      message: "This needs the permission facilities:write in the workspace",
    });
    await run(gateway, await newUser(["facilities:write"]), create({}));
  });
});

describe("updateFacility", () => {
  const complete = {
    name: "Quay 7",
    timeZoneId: "America/Sao_Paulo",
    address: "Quay 7",
    geographicCoordinates: { lat: -23.5, lng: -46.6 },
  };

  it("changes the given fields immediately, sets updatedAt, and leaves all others", async () => {
    const id = await newFacility();
    clock = at(10);
    const changed = { ...complete, id, updatedAt: at(10).toISOString() };
    expect(await run(gateway, admin, update(id, complete))).toMatchObject({ updateFacility: changed });
    clock = at(11);
    const cleared = { address: null, geographicCoordinates: null };
    const next = { ...changed, ...cleared, updatedAt: at(11).toISOString() };
    expect(await run(gateway, admin, update(id, cleared))).toMatchObject({ updateFacility: next });
    const query = `query ($id: UUID!) { facility(id: $id) { ${fields} updatedAt } }`;
    expect(await gateway.data(query, { ...admin, variables: { id } })).toMatchObject({ facility: next });
  });

  it("keeps updatedAt if nothing changes", async () => {
    const id = await newFacility();
    clock = at(10);
    await run(gateway, admin, update(id, complete));
    const before = await stored(id);
    clock = at(20);
    await run(gateway, admin, update(id, complete));
    await run(gateway, admin, update(id, {}));
    expect(await stored(id)).toEqual(before);
  });

  it.each<[string, object, string]>([
    ["an unknown time zone", { timeZoneId: "Europe/Atlantis" }, "input.timeZoneId"],
    ["null as time zone", { timeZoneId: null }, "input.timeZoneId"],
    ["null as name", { name: null }, "input.name"],
    ["a blank address", { address: " " }, "input.address"],
    [
      "a latitude without a longitude",
      { geographicCoordinates: { lat: 1 } },
      "input.geographicCoordinates.lng",
    ],
  ])("rejects %s", async (_what, input, path) => {
    const id = await newFacility();
    const before = await stored(id);
    expect(await refusal(gateway, admin, update(id, { name: "New", ...input }))).toMatchObject({
      code: "BAD_REQUEST",
      paths: [path],
    });
    expect(await stored(id)).toEqual(before);
  });

  it("requires facilities:write at the facility, and nothing else", async () => {
    const [here, there] = [await newFacility(), await newFacility()];
    const others = permissions.filter((each) => each !== "facilities:write");
    const caller = await newUser([], { [here]: ["facilities:write"], [there]: others });
    await run(gateway, caller, update(here, complete));
    expect(await refusal(gateway, caller, update(there, complete))).toEqual({
      code: "FORBIDDEN",
      message: "This needs the permission facilities:write at the facility",
    });
    expect(await stored(there)).toMatchObject({ name: "Depot" });
  });
});

describe("renameFacility", () => {
  it("renames the facility immediately and sets updatedAt", async () => {
    const id = await newFacility("Old");
    clock = at(5);
    expect(await run(gateway, admin, rename(id, "New"))).toEqual({ renameFacility: { id, name: "New" } });
    expect(await stored(id)).toMatchObject({ name: "New", updatedAt: at(5) });
  });

  it("accepts a name that another facility has", async () => {
    await newFacility("Twin");
    const id = await newFacility();
    expect(await run(gateway, admin, rename(id, "Twin"))).toMatchObject({ renameFacility: { name: "Twin" } });
  });

  it.each<[string, string]>([
    ["an empty name", ""],
    ["a blank name", "  "],
    ["a name of 201 characters", "a".repeat(201)],
    ["a NUL in the name", "\0"],
  ])("rejects %s", async (_what, name) => {
    const id = await newFacility();
    expect(await refusal(gateway, admin, rename(id, name))).toMatchObject({
      code: "BAD_REQUEST",
      paths: ["name"],
    });
    expect(await stored(id)).toMatchObject({ name: "Depot" });
  });

  it("requires facilities:read at the facility, and nothing else", async () => {
    const [here, there] = [await newFacility(), await newFacility()];
    const caller = await newUser([], { [here]: ["facilities:read"], [there]: ["facilities:write"] });
    await run(gateway, caller, rename(here, "New"));
    expect(await refusal(gateway, caller, rename(there, "New"))).toEqual({
      code: "FORBIDDEN",
      message: "This needs the permission facilities:read at the facility",
    });
    expect(await stored(there)).toMatchObject({ name: "Depot" });
  });
});

describe("recordHeartbeat", () => {
  it("stores the time, and the facility stays online until the heartbeat times out", async () => {
    const facilityId = await newFacility();
    clock = at(100);
    const beat = { id: facilityId, lastHeartbeatAt: at(100).toISOString(), online: true };
    expect(await run(gateway, admin, heartbeat(facilityId))).toEqual({ recordHeartbeat: beat });
    const query = "query ($id: UUID!) { facility(id: $id) { id lastHeartbeatAt online } }";
    const shown = () => gateway.data(query, { ...admin, variables: { id: facilityId } });
    clock = at(159);
    expect(await shown()).toEqual({ facility: beat });
    clock = at(161);
    expect(await shown()).toEqual({ facility: { ...beat, online: false } });
  });

  it("never moves lastHeartbeatAt backwards", async () => {
    const facilityId = await newFacility();
    clock = at(200);
    await run(gateway, admin, heartbeat(facilityId));
    clock = at(190);
    expect(await run(gateway, admin, heartbeat(facilityId))).toMatchObject({
      recordHeartbeat: { lastHeartbeatAt: at(200).toISOString() },
    });
  });

  it("changes no other field", async () => {
    const facilityId = await newFacility();
    const before = await stored(facilityId);
    clock = at(300);
    await run(gateway, admin, heartbeat(facilityId));
    expect(await stored(facilityId)).toEqual({ ...before, lastHeartbeatAt: at(300) });
  });

  it("is audited when the facility comes online, and not while it stays online", async () => {
    const facilityId = await newFacility();
    for (const seconds of [400, 430, 490, 551, 600]) {
      clock = at(seconds);
      await run(gateway, admin, heartbeat(facilityId));
    }
    const entries = await gateway.prisma.auditEntry.findMany({
      where: { targetId: facilityId },
      orderBy: { createdAt: "asc" },
    });
    const changes = { online: { from: false, to: true } };
    expect(entries).toMatchObject(
      [400, 551].map((seconds) => ({ action: "recordHeartbeat", createdAt: at(seconds), changes })),
    );
  });

  it.each<[string, (facilityId: string) => Promise<{ as: Sender }>]>([
    ["a user with any permission there", (facilityId) => newUser([], { [facilityId]: ["alerts:read"] })],
    [
      "an API key that is limited to it",
      async (facilityId) => ({
        as: await createApiKey(gateway.prisma, {
          workspaceId,
          permissions: ["cameras:read"],
          facilityIds: [facilityId],
        }),
      }),
    ],
  ])("requires visibility only: it is allowed for %s", async (_who, caller) => {
    const facilityId = await newFacility();
    expect(await run(gateway, await caller(facilityId), heartbeat(facilityId))).toMatchObject({
      recordHeartbeat: { id: facilityId },
    });
  });
});

describe.each<[string, (id: string) => Call]>([
  ["updateFacility", (id) => update(id, { name: "New", expectedUpdatedAt: at(0).toISOString() })],
  ["renameFacility", (id) => rename(id, "New")],
  ["recordHeartbeat", heartbeat],
])("%s", (_name, call) => {
  it("treats a facility the caller cannot see exactly like an unknown one, and does not change it", async () => {
    const [here, there] = [await newFacility(), await newFacility()];
    const caller = await newUser([], { [here]: [...permissions] });
    const notFound = await refusal(gateway, caller, call(unknownId));
    expect(notFound).toEqual({ code: "NOT_FOUND", message: "Not found" });
    for (const invisible of [there, elsewhere]) {
      const before = await stored(invisible);
      expect(await refusal(gateway, caller, call(invisible))).toEqual(notFound);
      expect(await stored(invisible)).toEqual(before);
    }
  });
});
