// Runs once: both kinds of databases run the same statements.
import { createAdmin, createCamera, createFacility } from "../support/factories.js";
import { type Call, refusal, run, sharedWorkspace } from "../support/harness.js";

const start = new Date(Math.floor(Date.now() / 1000) * 1000);
const at = (seconds: number) => new Date(start.getTime() + seconds * 1000);
let clock = start;
const { gateway, prisma, workspaceId } = await sharedWorkspace({
  now: () => clock,
  environment: { HEARTBEAT_TIMEOUT: "60" },
});
const admin = await createAdmin(prisma, workspaceId);

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
const newFacility = (name = "Depot") => createFacility(prisma, { workspaceId, name });
const stored = (id: string) => prisma.facility.findFirstOrThrow({ where: { id } });

describe("createFacility", () => {
  it("creates a facility in the workspace", async () => {
    const input = {
      name: "Quay 7 – İzmir",
      timeZoneId: "Europe/Istanbul",
      address: "Quay 7\nİzmir",
      geographicCoordinates: { lat: 38.42, lng: 27.14 },
    };
    expect(await run(gateway, admin, create(input))).toEqual({
      createFacility: {
        ...{ ...input, id: expect.any(String), workspaceId },
        ...{ cameraCount: 0, lastHeartbeatAt: null, online: false },
      },
    });
  });

  it("creates a facility without address and coordinates", async () => {
    expect(await run(gateway, admin, create({}))).toMatchObject({
      createFacility: { address: null, geographicCoordinates: null },
    });
    const nothing = { address: null, geographicCoordinates: null };
    expect(await run(gateway, admin, create(nothing))).toMatchObject({ createFacility: nothing });
  });
});

it("whom to call is kept of facilities and cameras, in its order, and checked", async () => {
  const contact = {
    name: "Ada",
    role: "Guard",
    phoneNumber: "0532 12",
    email: "ada@test.example",
    note: "By day",
  };
  const bare = { name: "Fire", role: null, phoneNumber: null, email: null, note: null };
  const shown = "contacts { name role phoneNumber email note }";
  const id = await newFacility();
  const cameraId = await createCamera(prisma, { workspaceId, facilityId: id });
  const set = (contacts: object[]): Call => [
    `mutation ($id: UUID!, $camera: UUID!, $contacts: [ContactInput!]!) {
      facility: updateFacility(id: $id, input: { contacts: $contacts }) { ${shown} }
      camera: updateCamera(id: $camera, input: { contacts: $contacts, note: "Left door" }) { ${shown} note }
    }`,
    { id, camera: cameraId, contacts },
  ];
  const contacts = [contact, bare];
  const expected = { facility: { contacts }, camera: { contacts, note: "Left door" } };
  expect(await run(gateway, admin, set([contact, { name: "Fire" }]))).toEqual(expected);
  const query = `query ($id: UUID!) { camera(id: $id) { ${shown} note facility { ${shown} } } }`;
  expect(await gateway.data(query, { ...admin, variables: { id: cameraId } })).toEqual({
    camera: { ...expected.camera, facility: { contacts } },
  });
  for (const wrong of [Array(6).fill(bare), [{ name: "" }], [{ ...bare, email: "ada" }]])
    expect(await refusal(gateway, admin, set(wrong))).toMatchObject({ code: "BAD_REQUEST" });
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
});

it("renameFacility renames the facility immediately and sets updatedAt", async () => {
  const id = await newFacility("Old");
  clock = at(5);
  expect(await run(gateway, admin, rename(id, "New"))).toEqual({ renameFacility: { id, name: "New" } });
  expect(await stored(id)).toMatchObject({ name: "New", updatedAt: at(5) });
});

describe("monitorFacility", () => {
  const monitor = (id: string, monitored: boolean): Call => [
    "mutation ($id: UUID!, $monitored: Boolean!) { monitorFacility(id: $id, monitored: $monitored) { monitored online } }",
    { id, monitored },
  ];

  it("decides whether silence counts, which it does from the first heartbeat on", async () => {
    const id = await newFacility();
    const cameraId = await createCamera(prisma, { workspaceId, facilityId: id });
    const stateOf = async () => {
      const query =
        "query ($id: UUID!) { camera(id: $id) { state facility { monitored } } searchCameras(filter: { states: [FACILITY_OFFLINE] }) { nodes { id } } }";
      const { camera, searchCameras } = await gateway.data<{
        camera: { state: string; facility: { monitored: boolean } };
        searchCameras: { nodes: { id: string }[] };
      }>(query, { ...admin, variables: { id: cameraId } });
      expect(searchCameras.nodes.some((each) => each.id === cameraId)).toBe(
        camera.state === "FACILITY_OFFLINE",
      );
      return [camera.state, camera.facility.monitored];
    };
    clock = at(0);
    expect(await stateOf()).toEqual(["NEVER_CONNECTED", false]);
    expect(await refusal(gateway, admin, monitor(id, true))).toMatchObject({ code: "CONFLICT" });
    await run(gateway, admin, heartbeat(id));
    clock = at(61);
    expect(await stateOf()).toEqual(["FACILITY_OFFLINE", true]);
    await run(gateway, admin, monitor(id, false));
    await run(gateway, admin, heartbeat(id));
    clock = at(122);
    expect(await stateOf()).toEqual(["NEVER_CONNECTED", false]);
    const shown = { monitorFacility: { monitored: true, online: false } };
    expect(await run(gateway, admin, monitor(id, true))).toEqual(shown);
    expect(await stateOf()).toEqual(["FACILITY_OFFLINE", true]);
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
    const entries = await prisma.auditEntry.findMany({
      where: { targetId: facilityId },
      orderBy: { createdAt: "asc" },
    });
    const changes = { online: { from: false, to: true } };
    expect(entries).toMatchObject(
      [400, 551].map((seconds) => ({ action: "recordHeartbeat", createdAt: at(seconds), changes })),
    );
  });
});
