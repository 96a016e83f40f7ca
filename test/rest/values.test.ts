// Runs once: REST runs the statements of GraphQL, which are tested on every kind of
// database.
import { createHmac } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { permissions } from "../../src/access/permissions.js";
import { testSecrets } from "../support/environment.js";
import {
  createAlertRule,
  createCamera,
  createFacility,
  createUser,
  createWorkspace,
} from "../support/factories.js";
import {
  admin,
  bareFacilityId,
  createFixedFleet,
  elsewhere,
  empty,
  full,
  id,
  plain,
  ruleTree,
  site,
  sparse,
} from "../support/fixed-fleet.js";
import { type Gateway, type Sender, startGateway } from "../support/harness.js";
import { caseOf, requestOf } from "../support/route-cases.js";

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ seed: "none" });
  await createFixedFleet(gateway.prisma);
});
afterAll(() => gateway.close());

/** The response body of an endpoint, for the full camera by default. */
async function read<Body>(number: number, options: { as?: Sender; of?: object } = {}): Promise<Body> {
  const response = await gateway.fetch(requestOf(caseOf(number), { ...full, ...options.of }), {
    as: options.as ?? admin,
  });
  expect(response.status).toBe(200);
  return (await response.json()) as Body;
}

const fullCamera = {
  id: full.cameraId,
  name: "Yard",
  status: "IDLE",
  statusDetail: "OPERATIONAL",
  imageLink: "https://pictures.example/yard.jpg",
  dataCollectionEnabled: true,
  dataCollectionObjects: ["PERSON", "VEHICLE"],
  dataCollectionConfig: { minWidth: 10.5, minHeight: 20, interval: 30 },
  customDataCollectionConfigs: [{ type: "CLEAN_VEHICLE_ROADS", sensitivity: 0.5 }],
  facilityId: full.facilityId,
  imageDimensions: { width: 1280, height: 720 },
  streamType: "hostedserver",
  advancedSettings: { nested: { deep: [1, null, "x"] } },
  facilityNodeId: id(72),
};

const completeCamera = {
  ...fullCamera,
  createdAt: "2026-11-01T08:00:00.000Z",
  updatedAt: "2026-11-02T08:00:00.125Z",
  groundTruthKey: "truth",
  collectSampleVideos: true,
  alertRuleIds: [full.ruleId],
  url: "rtsp://camera.example/yard",
  streamProtocol: "rtmps",
  proxyHost: "proxy.example",
};

const fullFacility = {
  id: full.facilityId,
  name: "Zebra",
  address: "1 Quay",
  geographicCoordinates: { lat: 40.5, lng: 29.25 },
  workspaceId: id(1),
  timeZoneId: "Europe/Istanbul",
};

const fullJob = {
  id: full.jobId,
  cameraId: full.cameraId,
  configId: id(73),
  videoId: id(74),
  state: "VALIDATING",
  isTest: true,
  createdAt: "2026-11-01T08:00:00.000Z",
  updatedAt: "2026-11-02T08:00:00.125Z",
  startedAt: "2026-11-01T08:00:00.000Z",
  endedAt: "2026-11-02T08:00:00.125Z",
};

const lastAlert = {
  id: full.alertId,
  cameraId: full.cameraId,
  name: "STATIC_DELIMITATION_AREA",
  createdAt: "2026-11-20T09:30:00.000Z",
  alertRuleId: full.ruleId,
  localCreatedAt: "2026-11-20T12:30:00.000+03:00",
};

const fullAlert = {
  ...lastAlert,
  count: 3,
  url: "https://pictures.example/alert.jpg",
  imageDimensions: { width: 1280, height: 720 },
  canvasDimensions: { width: 640, height: 360.5 },
  violatingCoordinates: [{ x: 3, y: 4.5 }],
  area: [{ x: 1.5, y: 2 }],
  storageClass: "s3",
  info: { speed: 3.5, tags: ["a"] },
  bookmark: true,
  falsePositive: true,
};

describe("cameras", () => {
  it("are listed with all members", async () => {
    const { data } = await read<{ data: { id: string }[] }>(1);
    expect(data.find((camera) => camera.id === full.cameraId)).toEqual(completeCamera);
  });

  it("are listed for a facility with all members", async () => {
    const { data } = await read<{ data: object[] }>(13);
    expect(data[0]).toEqual(completeCamera);
  });

  it("are returned as a list of one with 14 members", async () => {
    expect(await read(2)).toEqual({ status: "ok", data: [fullCamera] });
  });

  it("have the types of their streams in lower case, and nothing else that reads like one", async () => {
    const { prisma } = gateway;
    const workspaceId = await createWorkspace(prisma, {});
    const as = { user: "values|stream types" };
    await createUser(prisma, { workspaceId, authId: as.user, roles: ["facilities:read", "cameras:read"] });
    const facilityId = await createFacility(prisma, { workspaceId });
    const name = '"streamType":"RTSP","streamProtocol":"RTSP"}\\';
    const advancedSettings = {
      streamType: "VPN",
      'x"streamProtocol': "RTSP",
      nested: [{ streamType: "VPN", text: name }],
    };
    const values = { name, advancedSettings, streamType: "VPN", streamProtocol: "RTSP" };
    const cameraId = await createCamera(prisma, { workspaceId, facilityId, ...values });
    const of = { facilityId, cameraId };
    const written = { ...values, streamType: "vpn" };
    for (const number of [1, 13])
      expect(await read(number, { as, of })).toMatchObject({
        data: [{ ...written, streamProtocol: "rtsp" }],
      });
    const { streamProtocol: _notShown, ...subset } = written;
    expect(await read(2, { as, of })).toMatchObject({ data: [subset] });
  });

  it("are sorted by code point of the name, then by id, without deleted ones", async () => {
    const { data } = await read<{ data: { id: string }[] }>(1);
    expect(data.map((camera) => camera.id)).toEqual([
      full.cameraId,
      sparse.cameraId,
      elsewhere.cameraId,
      empty.cameraId,
    ]);
  });

  it("are sorted for a facility by code point of the name, then by id, without deleted ones", async () => {
    const { data } = await read<{ data: { id: string }[] }>(13);
    expect(data.map((camera) => camera.id)).toEqual([full.cameraId, sparse.cameraId]);
  });

  it("show the password in their URL only to callers with write permission", async () => {
    const facilityId = elsewhere.facilityId;
    await gateway.prisma.camera.updateMany({
      where: { id: elsewhere.cameraId },
      data: { url: "rtsp://ada:secret@camera.example/1" },
    });
    await gateway.prisma.facilityAccess.create({
      data: { userId: id(64), facilityId, workspaceId: id(1), actions: ["facilities:read", "cameras:read"] },
    });
    const urls = async (as: Sender) =>
      (await read<{ data: { url: string }[] }>(13, { as, of: { facilityId } })).data.map(({ url }) => url);
    expect(await urls(admin)).toEqual(["rtsp://ada:secret@camera.example/1"]);
    expect(await urls(site)).toEqual(["rtsp://***@camera.example/***"]);
  });
});

describe("a camera has", () => {
  it("a calibration, returned without an envelope", async () => {
    expect(await read(8)).toEqual({
      id: id(5021),
      cameraId: full.cameraId,
      pixelLength: 0.25,
      width: 1280,
      height: 720,
      homographyMatrix: [1, 0, 0, 0, 1, 0, 0, 0, 0.5],
      points: [{ x: 1, y: 2.5 }],
      calibratedImage: "https://pictures.example/calibrated.png",
      croppedImage: "https://pictures.example/cropped.png",
      gridImage: "https://pictures.example/grid.png",
      updatedAt: "2026-11-02T08:00:00.125Z",
    });
  });

  it("no calibration if none is stored (404)", async () => {
    const response = await gateway.fetch(`/cameras/${empty.cameraId}/calibration`, { as: admin });
    expect(response.status).toBe(404);
  });

  it("analysis jobs, readable one by one", async () => {
    expect(await read(10)).toEqual({ status: "ok", data: fullJob });
  });

  it("analysis jobs, newest first, then by descending id", async () => {
    const { workspaceId, cameraId } = elsewhere;
    const job = { workspaceId, cameraId, configId: id(73), state: "QUEUED" };
    const times = {
      1101: "2026-11-05T00:00:00Z",
      1103: "2026-11-04T00:00:00Z",
      1102: "2026-11-05T00:00:00Z",
      1104: "2026-10-05T00:00:00Z",
    };
    await gateway.prisma.analysisJob.createMany({
      data: Object.entries(times).map(([n, createdAt]) => ({
        ...job,
        id: id(Number(n)),
        createdAt: new Date(createdAt),
      })),
    });
    const { data } = await read<{ data: { id: string }[] }>(9, { of: { cameraId } });
    expect(data.map((each) => each.id)).toEqual([id(1102), id(1101), id(1103), elsewhere.jobId, id(1104)]);
  });

  it("rules with the stored tree and without the secret", async () => {
    expect(await read(11)).toEqual({
      status: "ok",
      data: [
        {
          id: full.ruleId,
          cameraId: full.cameraId,
          name: "STATIC_DELIMITATION_AREA",
          severity: "MEDIUM",
          status: "ACTIVE",
          dayRange: [0, 6],
          timeRange: ["2026-11-01T08:00:00.000Z", "2026-11-02T08:00:00.125Z"],
          emails: ["ada@test.example"],
          phoneNumbers: ["+4915123456789"],
          observation: true,
          apiNotification: { url: "https://hooks.example/alerts", enabled: true, hasSecret: true },
          pretty: "A person is in the zone",
          group: ruleTree(full),
        },
      ],
    });
  });

  it("rules sorted by code point of the name, then by id", async () => {
    const { cameraId } = sparse;
    const named = { 2203: "a", 2202: "a", 2201: "Ä", 2204: "Z" };
    for (const [n, name] of Object.entries(named))
      await createAlertRule(gateway.prisma, { id: id(Number(n)), cameraId, name });
    const { data } = await read<{ data: { id: string }[] }>(11, { of: { cameraId } });
    expect(data.map((rule) => rule.id)).toEqual([sparse.ruleId, id(2204), id(2202), id(2203), id(2201)]);
  });
});

describe("alerts", () => {
  it("are listed with 16 members", async () => {
    expect(await read(17)).toEqual({
      status: "ok",
      data: { page: 1, count: 20, total: 1, alerts: [fullAlert] },
    });
  });

  it("have 6 members as the last one of a camera", async () => {
    expect(await read(18)).toEqual({ status: "ok", data: lastAlert });
  });

  it("show a stored image as a signed link", async () => {
    const where = { workspaceId_id: { workspaceId: id(1), id: elsewhere.alertId } };
    await gateway.prisma.alert.update({ where, data: { url: "alerts/none.jpg" } });
    const { data } = await read<{ data: { alerts: { url: string }[] } }>(17, {
      of: { cameraId: elsewhere.cameraId },
    });
    const link = new URL(data.alerts[0]?.url ?? "");
    expect({ path: link.pathname, parameters: [...link.searchParams.keys()] }).toEqual({
      path: "/files/alerts/none.jpg",
      parameters: ["expires", "signature"],
    });
  });
});

describe("facilities", () => {
  it("are returned with their camera count, without deleted cameras", async () => {
    expect(await read(24)).toEqual({ status: "ok", data: { ...fullFacility, cameraCount: 2 } });
  });

  it("are returned without the camera count under the workspace", async () => {
    expect(await read(26)).toEqual({ status: "ok", data: fullFacility });
  });

  it.each([23, 27])(
    "are sorted by code point of the name, then by id, with their camera count, by endpoint %i",
    async (number) => {
      const { data } = await read<{ data: { id: string; cameraCount: number }[] }>(number);
      expect(data[0]).toEqual({ ...fullFacility, cameraCount: 2 });
      expect(data.map(({ id, cameraCount }) => [id, cameraCount])).toEqual([
        [full.facilityId, 2],
        [empty.facilityId, 1],
        [elsewhere.facilityId, 1],
        [bareFacilityId, 0],
      ]);
    },
  );
});

describe("the calling user", () => {
  const supportHash = (userId: string) =>
    createHmac("sha256", testSecrets.SUPPORT_HASH_SECRET).update(userId).digest("hex");

  it("is returned with 15 members", async () => {
    expect(await read(29)).toEqual({
      status: "ok",
      data: {
        id: id(61),
        email: "ada@test.example",
        firstName: "Ada",
        lastName: "Lovelace",
        fullName: "Ada Lovelace",
        emailVerified: true,
        roles: [...permissions],
        activeWorkspace: id(1),
        picture: "https://pictures.example/ada.webp",
        isSso: true,
        connection: "directory",
        groupId: id(71),
        phoneNumber: {
          nationalNumber: 15123456789,
          region: "DE",
          countryCode: 49,
          e164Format: "+4915123456789",
        },
        jobTitle: "Safety",
        supportHash: supportHash(id(61)),
      },
    });
  });

  it("is the authenticated user", async () => {
    const { data } = await read<{ data: object }>(29, { as: plain });
    expect(data).toMatchObject({ id: id(62), fullName: null, supportHash: supportHash(id(62)) });
  });
});
