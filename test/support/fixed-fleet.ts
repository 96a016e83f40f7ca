import { type Permission, permissions } from "../../src/engine/access/permissions.js";
import type { PrismaClient } from "../../src/generated/prisma/client.js";
import {
  createAlertRule,
  createAlerts,
  createCamera,
  createFacility,
  createStreamRequest,
  createUser,
  createWorkspace,
  grantAccess,
} from "./factories.js";
import { type Gateway, type Sender, sharedGateway } from "./harness.js";
import type { RouteCase } from "./route-cases.js";

/** The n-th of the fixed ids. */
export const id = (n: number) => `a0000000-0000-4000-8000-${String(n).padStart(12, "0")}`;

/** The moment of the newest alert of every camera. */
export const newest = new Date("2026-11-20T09:30:00.000Z");
const created = new Date("2026-11-01T08:00:00.000Z");
const updated = new Date("2026-11-02T08:00:00.125Z");

/** The ids of a camera and of the objects around it. */
interface CameraIds {
  workspaceId: string;
  facilityId: string;
  cameraId: string;
  jobId: string;
  ruleId: string;
  alertId: string;
  areaId: string;
  /** The capability of its stream request. */
  requestId: string;
}

/** The ids of the n-th camera, in facility f of workspace w. */
const cameraIds = (w: number, f: number, n: number): CameraIds => ({
  workspaceId: id(w),
  facilityId: id(f),
  cameraId: id(n),
  jobId: id(n + 1000),
  ruleId: id(n + 2000),
  alertId: id(n + 3000),
  areaId: id(n + 4000),
  requestId: id(n + 6000),
});

/** Every value set. */
export const full = cameraIds(1, 11, 21);
/** All nullable fields are null. By name next to the full one. */
export const sparse = cameraIds(1, 11, 22);
/** A camera with nothing below it, in a facility of little. */
export const empty = cameraIds(1, 12, 23);
/** Like full, in a facility that the site user does not see. */
export const elsewhere = cameraIds(1, 13, 24);
/** Like full, in the other workspace. */
const otherTenant = cameraIds(2, 14, 25);
/** The facility without a camera. */
export const bareFacilityId = id(15);
/** Ids that nothing ever had. */
export const unknown = cameraIds(9, 91, 92);

export const admin: Sender = { user: "test|admin" };
/** Holds all that the admin holds, with an empty profile. */
export const plain: Sender = { user: "test|plain" };
export const nobodys: Sender = { user: "test|nobody" };
/** Sees the full facility, without facilities:read. */
export const site: Sender = { user: "test|site" };
/** Holds facilities:read at the full facility. */
export const reader: Sender = { user: "test|reader" };

/** Who sees the full facility and does not hold it there. */
export const lacking = ({ permission }: Pick<RouteCase, "permission">) =>
  permission === "alerts:read" ? reader : site;

let shared: Promise<unknown> | undefined;

/** The gateway of the worker with the fixed fleet, which has to stay as it is. */
export async function sharedFixedFleet(): Promise<Gateway> {
  const gateway = await sharedGateway();
  shared ??= createFixedFleet(gateway.prisma);
  await shared;
  return gateway;
}

/** One of everything: with all values, with as few as possible, and out of reach. */
export async function createFixedFleet(prisma: PrismaClient): Promise<void> {
  await createWorkspace(prisma, { id: id(1), name: "Ours" });
  await createWorkspace(prisma, { id: id(2), name: "Other" });
  await createFacilities(prisma);
  await createUsers(prisma);
  for (const ids of [full, elsewhere, otherTenant]) await createFullCamera(prisma, ids);
  await createSparseCamera(prisma);
  await createCamera(prisma, { ...place(empty), name: "yard" });
}

async function createFacilities(prisma: PrismaClient): Promise<void> {
  const located = { address: "1 Quay", latitude: 40.5, longitude: 29.25 };
  await createFacility(prisma, { id: bareFacilityId, workspaceId: id(1), name: "Ärger", timeZoneId: "UTC" });
  await createFacility(prisma, {
    id: elsewhere.facilityId,
    workspaceId: id(1),
    name: "apple",
    timeZoneId: "Asia/Kathmandu",
  });
  await createFacility(prisma, {
    id: empty.facilityId,
    workspaceId: id(1),
    name: "apple",
    timeZoneId: "Europe/Amsterdam",
  });
  await createFacility(prisma, { id: full.facilityId, workspaceId: id(1), name: "Zebra", ...located });
  await createFacility(prisma, { id: otherTenant.facilityId, workspaceId: id(2), name: "Zebra", ...located });
}

async function createUsers(prisma: PrismaClient): Promise<void> {
  const all: string[] = [...permissions];
  const profile = {
    email: "ada@test.example",
    emailVerified: true,
    firstName: "Ada",
    lastName: "Lovelace",
    picture: "https://pictures.example/ada.webp",
    isSso: true,
    connection: "directory",
    groupId: id(71),
    jobTitle: "Safety",
    phoneNumber: { nationalNumber: 15123456789, region: "DE", countryCode: 49, e164Format: "+4915123456789" },
  };
  await createUser(prisma, { id: id(61), workspaceId: id(1), authId: "test|admin", roles: all, ...profile });
  await createUser(prisma, { id: id(62), workspaceId: id(1), authId: "test|plain", roles: all });
  await createUser(prisma, { id: id(63), workspaceId: id(1), authId: "test|nobody" });
  await createUser(prisma, { id: id(64), workspaceId: id(1), authId: "test|site" });
  await createUser(prisma, { id: id(65), workspaceId: id(1), authId: "test|reader" });
  const access = (userId: string, actions: Permission[]) =>
    grantAccess(prisma, { userId, facilityId: full.facilityId, workspaceId: id(1), actions });
  await access(id(64), ["alerts:read"]);
  await access(id(65), ["facilities:read"]);
}

const place = ({ cameraId, workspaceId, facilityId }: CameraIds) => ({
  id: cameraId,
  workspaceId,
  facilityId,
  createdAt: created,
  updatedAt: updated,
});
const streamRequestOf = ({ workspaceId, cameraId, requestId }: CameraIds) => ({
  workspaceId,
  cameraId,
  requestId,
});
const alertPlace = ({ cameraId, workspaceId, facilityId }: CameraIds) => ({
  cameraId,
  workspaceId,
  facilityId,
});

/** The tree of the full rule. */
const ruleTree = ({ areaId }: CameraIds) => ({
  id: id(81),
  type: "GROUP",
  name: "All",
  operator: "AND",
  children: [
    { id: areaId, type: "AREA", name: "Zone", color: "#ff8800", points: [{ x: 1.5, y: 2 }] },
    { id: id(82), type: "STATIC_DELIMITATION_AREA", objects: ["PERSON"] },
  ],
});

async function createFullCamera(prisma: PrismaClient, ids: CameraIds): Promise<void> {
  const { workspaceId, cameraId } = ids;
  await createCamera(prisma, {
    ...place(ids),
    name: "Yard",
    imageLink: "https://pictures.example/yard.jpg",
    dataCollectionEnabled: true,
    dataCollectionObjects: ["PERSON", "VEHICLE"],
    dataCollectionConfig: { minWidth: 10.5, minHeight: 20, interval: 30 },
    customDataCollectionConfigs: [{ type: "CLEAN_VEHICLE_ROADS", sensitivity: 0.5 }],
    groundTruthKey: "truth",
    collectSampleVideos: true,
    imageDimensions: { width: 1280, height: 720 },
    url: "rtsp://camera.example/yard",
    streamType: "HOSTEDSERVER",
    streamProtocol: "RTMPS",
    advancedSettings: { nested: { deep: [1, null, "x"] } },
    proxyHost: "proxy.example",
    facilityNodeId: id(72),
  });
  await createStreamRequest(prisma, streamRequestOf(ids));
  await prisma.calibration.create({
    data: {
      id: id(5000 + Number(cameraId.slice(-4))),
      workspaceId,
      cameraId,
      pixelLength: 0.25,
      width: 1280,
      height: 720,
      homographyMatrix: [1, 0, 0, 0, 1, 0, 0, 0, 0.5],
      points: [{ x: 1, y: 2.5 }],
      calibratedImage: "https://pictures.example/calibrated.png",
      croppedImage: "https://pictures.example/cropped.png",
      gridImage: "https://pictures.example/grid.png",
      updatedAt: updated,
    },
  });
  const job = {
    id: ids.jobId,
    workspaceId,
    cameraId,
    configId: id(73),
    videoId: id(74),
    state: "VALIDATING",
    isTest: true,
  };
  await prisma.analysisJob.create({
    data: { ...job, createdAt: created, updatedAt: updated, startedAt: created, endedAt: updated },
  });
  await createAlertRule(prisma, {
    id: ids.ruleId,
    workspaceId,
    cameraId,
    dayRange: [0, 6],
    timeRangeStart: created,
    timeRangeEnd: updated,
    emails: ["ada@test.example"],
    phoneNumbers: ["+4915123456789"],
    observation: true,
    notificationUrl: "https://hooks.example/alerts",
    notificationSecret: "never shown",
    notificationEnabled: true,
    pretty: "A person is in the zone",
    group: ruleTree(ids),
  });
  const alert = {
    ...alertPlace(ids),
    id: ids.alertId,
    name: "STATIC_DELIMITATION_AREA",
    severity: "MEDIUM",
    observation: true,
    count: 3,
    alertRuleId: ids.ruleId,
    url: "https://pictures.example/alert.jpg",
    thumbnailUrl: "https://pictures.example/alert-small.jpg",
    imageDimensions: { width: 1280, height: 720 },
    canvasDimensions: { width: 640, height: 360.5 },
    violatingCoordinates: [{ x: 3, y: 4.5 }],
    area: [{ x: 1.5, y: 2 }],
    areaIds: [ids.areaId],
    storageClass: "s3",
    info: { speed: 3.5, tags: ["a"] },
    bookmark: true,
    falsePositive: true,
  };
  await createAlerts(prisma, [alert], newest);
}

async function createSparseCamera(prisma: PrismaClient): Promise<void> {
  const { workspaceId, cameraId, jobId, ruleId, alertId } = sparse;
  await createCamera(prisma, { ...place(sparse), name: "Yard" });
  await prisma.calibration.create({
    data: { workspaceId, cameraId, pixelLength: 1, width: 10, height: 10, points: [], updatedAt: updated },
  });
  await prisma.analysisJob.create({
    data: {
      id: jobId,
      workspaceId,
      cameraId,
      configId: id(75),
      state: "QUEUED",
      createdAt: created,
      updatedAt: updated,
    },
  });
  await createAlertRule(prisma, { id: ruleId, workspaceId, cameraId, name: "SPARSE", severity: "LOW" });
  await createAlerts(prisma, [{ ...alertPlace(sparse), id: alertId }], new Date(newest.getTime() - 60_000));
}
