// Runs once: both kinds of databases run the same statements.
import sharp from "sharp";
import { permissions } from "../../src/engine/access/permissions.js";
import {
  createAdmin,
  createApiKey,
  createCamera,
  createFacility,
  createTestUser,
  createWorkspace,
  grantAccess,
} from "../support/factories.js";
import { uploadRequest } from "../support/forms.js";
import { type Sender, sharedGateway, sharedWorkspace } from "../support/harness.js";

const minute = 60_000;
const start = Math.floor(Date.now() / 1000) * 1000;
const ago = (milliseconds: number) => new Date(start - milliseconds);
let now = start;
const { gateway, workspaceId } = await sharedWorkspace({
  now: () => new Date(now),
  environment: { HEARTBEAT_TIMEOUT: "60" },
});
// A token would be used beyond its lifetime.
const admin = await createApiKey(gateway.prisma, { workspaceId, permissions: [...permissions] });

const newFacility = (lastHeartbeatAt: Date | null, name = "Plant") =>
  createFacility(gateway.prisma, { workspaceId, name, lastHeartbeatAt });

const fresh = { imageLink: "https://pictures.example/1.jpg", pictureAt: ago(0) };
const cases: [what: string, state: string, camera: object, lastHeartbeatAt?: Date | null][] = [
  ["has a picture that is ten minutes old", "WORKING", { ...fresh, pictureAt: ago(10 * minute) }],
  ["has a picture that is older", "PICTURE_OLD", { ...fresh, pictureAt: ago(10 * minute + 1) }],
  ["has a picture of unknown age", "PICTURE_OLD", { ...fresh, pictureAt: null }],
  [
    "has a picture that was uploaded, however old",
    "WORKING",
    { imageLink: "cameras/1", streamType: "CLIENT", pictureAt: ago(1000 * minute) },
  ],
  ["has no picture", "NEVER_CONNECTED", {}],
  ["has no picture, though others upload theirs", "NEVER_CONNECTED", { streamType: "CLIENT" }],
  ["has no stream", "NO_STREAM", { ...fresh, statusDetail: "STREAM_ERROR" }],
  ["has another status detail", "FAULT_REPORTED", { ...fresh, statusDetail: "Lens dirty" }],
  ["is at a facility that was silent for too long", "FACILITY_OFFLINE", fresh, ago(minute + 1)],
  ["is at a facility that never sent a heartbeat", "WORKING", fresh, null],
  ["has no stream there", "NO_STREAM", { ...fresh, statusDetail: "STREAM_ERROR" }, null],
  [
    "has no stream at a facility that is offline",
    "FACILITY_OFFLINE",
    { ...fresh, statusDetail: "STREAM_ERROR" },
    ago(minute + 1),
  ],
];

describe("the state of a camera", () => {
  it.each(cases)("that %s is %s", async (_what, state, camera, lastHeartbeatAt = ago(minute)) => {
    const facilityId = await newFacility(lastHeartbeatAt);
    const id = await createCamera(gateway.prisma, { workspaceId, facilityId, ...camera });
    const query = "query ($id: UUID!) { camera(id: $id) { state } }";
    expect(await gateway.data(query, { as: admin, variables: { id } })).toEqual({ camera: { state } });
  });

  it.each([
    ["60", 2 * minute],
    // Nobody takes another one.
    ["0", 10 * minute],
  ])("is PICTURE_OLD with CAMERA_REFRESH=%s when its picture is older than %i ms", async (refresh, age) => {
    const own = await sharedGateway({
      now: () => new Date(start),
      environment: { CAMERA_REFRESH: refresh },
    });
    const site = { workspaceId: await createWorkspace(own.prisma) };
    const facilityId = await createFacility(own.prisma, { ...site, lastHeartbeatAt: ago(0) });
    for (const [name, pictureAt] of [
      ["fresh", ago(age)],
      ["old", ago(age + 1)],
    ] as const)
      await createCamera(own.prisma, { ...site, facilityId, name, ...fresh, pictureAt });
    const as = await createApiKey(own.prisma, { ...site, permissions: [...permissions] });
    const query =
      "{ cameras { name state } searchCameras(filter: { states: [PICTURE_OLD] }) { nodes { name } } }";
    expect(await own.data(query, { as })).toEqual({
      cameras: [
        { name: "fresh", state: "WORKING" },
        { name: "old", state: "PICTURE_OLD" },
      ],
      searchCameras: { nodes: [{ name: "old" }] },
    });
  });

  it("is WORKING once a picture was uploaded, which is as old as its camera", async () => {
    const facilityId = await newFacility(ago(0));
    const upload = uploadRequest({
      query: `mutation ($facilityId: UUID!, $input: CreateClientCameraInput!) {
        createClientCamera(facilityId: $facilityId, input: $input) { state pictureAt }
      }`,
      variables: { facilityId, input: { name: "Yard" } },
      file: await sharp({ create: { width: 8, height: 6, channels: 3, background: "grey" } })
        .png()
        .toBuffer(),
      variable: "input.image",
    });
    const response = await gateway.fetch("/graphql", { ...upload, as: admin });
    expect(await response.json()).toEqual({
      data: { createClientCamera: { state: "WORKING", pictureAt: new Date(now).toISOString() } },
    });
  });

  // What reports of the feed server change is in ../writes/stream-callbacks.test.ts.
  it("is known to last since its status detail was another one", async () => {
    const facilityId = await newFacility(ago(0));
    const id = await createCamera(gateway.prisma, { workspaceId, facilityId });
    const set = () =>
      gateway.data(
        `mutation ($id: UUID!) { setCameraStatusDetail(id: $id, input: { source: DASHBOARD, statusDetail: "Lens dirty" }) { state statusDetailChangedAt } }`,
        { as: admin, variables: { id } },
      );
    const first = await set();
    expect(first).toEqual({
      setCameraStatusDetail: { state: "FAULT_REPORTED", statusDetailChangedAt: new Date(now).toISOString() },
    });
    now += 1000;
    expect(await set()).toEqual(first);
    now = start;
  });
});

describe("cameras by state", () => {
  interface Count {
    facilityId: string;
    state: string;
    count: number;
  }
  const counts = async (filter: object | null, as: Sender) => {
    const { cameraStateCounts } = await gateway.data<{ cameraStateCounts: Count[] }>(
      "query ($filter: CameraFilter) { cameraStateCounts(filter: $filter) { facilityId state count } }",
      { as, variables: { filter } },
    );
    return cameraStateCounts;
  };
  const listed = async (filter: object, as: Sender) => {
    const { searchCameras } = await gateway.data<{
      searchCameras: { nodes: { name: string; state: string }[]; totalCount: number };
    }>(
      "query ($filter: CameraFilter) { searchCameras(filter: $filter, first: 100) { nodes { name state } totalCount } }",
      { as, variables: { filter } },
    );
    expect(searchCameras.totalCount).toBe(searchCameras.nodes.length);
    return searchCameras.nodes;
  };

  it("are listed and counted alike, and only those that are visible", async () => {
    const { prisma } = gateway;
    const own = await createWorkspace(prisma);
    const facility = (name: string, lastHeartbeatAt: Date | null) =>
      createFacility(prisma, { workspaceId: own, name, lastHeartbeatAt });
    const [here, there] = [await facility("Here", ago(0)), await facility("There", ago(2 * minute))];
    const camera = (facilityId: string, name: string, values: object) =>
      createCamera(prisma, { workspaceId: own, facilityId, name, ...values });
    await camera(here, "Gate 1", fresh);
    await camera(here, "Gate 2", fresh);
    await camera(here, "Yard 1", { ...fresh, statusDetail: "STREAM_ERROR" });
    await camera(here, "Yard 2", {});
    await camera(there, "Gate 3", fresh);
    await camera(here, "Removed", { ...fresh, removedAt: ago(0) });
    const { as } = await createAdmin(prisma, own);
    const inOrder = (all: Count[]) =>
      all.toSorted((a, b) => (a.facilityId + a.state < b.facilityId + b.state ? -1 : 1));
    const ofHere = [
      { facilityId: here, state: "NEVER_CONNECTED", count: 1 },
      { facilityId: here, state: "NO_STREAM", count: 1 },
      { facilityId: here, state: "WORKING", count: 2 },
    ];
    const ofThere = { facilityId: there, state: "FACILITY_OFFLINE", count: 1 };
    expect(inOrder(await counts(null, as))).toEqual(inOrder([...ofHere, ofThere]));
    expect(await counts({ text: "yard", states: ["NO_STREAM", "WORKING"] }, as)).toEqual([ofHere[1]]);
    expect(await counts({ facilityIds: [there] }, as)).toEqual([ofThere]);
    expect(await counts({ states: [] }, as)).toEqual([]);
    for (const filter of [{}, { text: "gate" }, { facilityIds: [here] }])
      for (const state of ["FACILITY_OFFLINE", "NO_STREAM", "NEVER_CONNECTED", "WORKING", "PICTURE_OLD"]) {
        const found = await listed({ ...filter, states: [state] }, as);
        const counted = (await counts(filter, as)).filter((each) => each.state === state);
        expect(found.map((each) => each.state)).toEqual(found.map(() => state));
        expect(counted.reduce((sum, { count }) => sum + count, 0)).toBe(found.length);
      }

    const guest = await createTestUser(prisma, { workspaceId: own, roles: [] });
    expect(await counts(null, guest.as)).toEqual([]);
    await grantAccess(prisma, {
      workspaceId: own,
      facilityId: there,
      userId: guest.id,
      actions: ["cameras:read"],
    });
    expect(await counts(null, guest.as)).toEqual([ofThere]);
    expect(await listed({ states: ["WORKING", "FACILITY_OFFLINE"] }, guest.as)).toEqual([
      { name: "Gate 3", state: "FACILITY_OFFLINE" },
    ]);
  });
});
