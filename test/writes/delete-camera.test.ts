// Runs once: both kinds of databases run the same statements.
import { randomUUID } from "node:crypto";
import { createCompleteFacility } from "../support/complete-facility.js";
import {
  createAdmin,
  createAlerts,
  createCamera,
  createTestUser,
  createWorkspace,
  endKeeping,
  type TestUser,
} from "../support/factories.js";
import { type Call, type Gateway, refusal, run } from "../support/harness.js";
import { TestSite } from "../support/test-site.js";

let gateway: Gateway;
let workspaceId: string;
let admin: TestUser;

const testSite = await TestSite.open();

beforeAll(async () => {
  gateway = await testSite.start();
  workspaceId = await createWorkspace(gateway.prisma);
  admin = await createAdmin(gateway.prisma, workspaceId);
});
afterAll(async () => {
  await gateway.close();
  await testSite.remove();
});

const fields = `id name url status statusDetail imageLink createdAt updatedAt emailAddresses streamType streamProtocol facilityNodeId
  dataCollectionEnabled dataCollectionObjects dataCollectionConfig { interval minWidth minHeight } customDataCollectionConfigs { type sensitivity }
  imageDimensions { width height } advancedSettings proxyHost groundTruthKey collectSampleVideos facilityId state alertRuleIds openAlertCount`;
const remove = (id: string, selection = "id"): Call => [
  `mutation ($id: UUID!) { camera: deleteCamera(id: $id) { ${selection} } }`,
  { id },
];
const newSite = (owner = workspaceId) =>
  createCompleteFacility(gateway.prisma, {
    workspaceId: owner,
    name: "Site",
    alerts: 3,
    newest: "2026-11-20T12:00:00Z",
  });

/** Counts the camera's row and the rows that depend on it. */
async function rowsOf(cameraId: string): Promise<Record<string, number>> {
  const { prisma } = gateway;
  const where = { cameraId };
  const lookups = await prisma.$queryRaw<{ count: number }[]>`
    SELECT count(*)::int AS "count" FROM "StreamRequestLookup" WHERE "requestId" NOT IN (SELECT "requestId" FROM "StreamRequest")`;
  return {
    lookupsWithoutRequest: lookups[0]?.count ?? 0,
    cameras: await prisma.camera.count({ where: { id: cameraId } }),
    alerts: await prisma.alert.count({ where }),
    comments: await prisma.alertComment.count({ where }),
    rules: await prisma.alertRule.count({ where }),
    jobs: await prisma.analysisJob.count({ where }),
    calibrations: await prisma.calibration.count({ where }),
    statusChanges: await prisma.statusChange.count({ where }),
    streamRequests: await prisma.streamRequest.count({ where }),
  };
}
/** Whether the statement looks for a camera to purge. */
const isPurge = (sql: string) => sql.includes("FOR UPDATE SKIP LOCKED") && sql.includes('FROM "Camera"');
const counts = [
  "cameras",
  "alerts",
  "comments",
  "rules",
  "jobs",
  "calibrations",
  "statusChanges",
  "streamRequests",
];
const nothing = Object.fromEntries([...counts, "lookupsWithoutRequest"].map((name) => [name, 0]));
const oneSite = { ...nothing, ...Object.fromEntries(counts.map((name) => [name, 1])), alerts: 3 };

it("deleteCamera returns the camera's last state", async () => {
  const id = await createCamera(gateway.prisma, {
    workspaceId,
    facilityId: (await newSite()).facilityId,
    url: "rtsp://user:word@camera.example/1",
    emailAddresses: ["guard@test.example"],
    dataCollectionConfig: { interval: 5, minHeight: 10, minWidth: 20 },
  });
  const before = await gateway.data(`query ($id: UUID!) { camera(id: $id) { ${fields} } }`, {
    ...admin,
    variables: { id },
  });
  expect(await run(gateway, admin, remove(id, fields))).toEqual(before);
});

const restore = (id: string): Call => [
  "mutation ($id: UUID!) { restoreCamera(id: $id) { id alertRuleIds openAlertCount } }",
  { id },
];
const keptUntil = async (id: string) =>
  (await gateway.prisma.camera.findFirst({ where: { id } }))?.keptUntil ?? null;

const removeForGood = async (cameraId: string) => {
  await endKeeping(gateway.prisma, cameraId);
  await run(gateway, admin, remove(cameraId));
};

describe("restoreCamera", () => {
  it("brings back a camera with its rules and without its alerts, and requests its stream", async () => {
    const { cameraId } = await newSite();
    const url = "rtsp://camera.example/1";
    await gateway.prisma.camera.updateMany({ where: { id: cameraId }, data: { url } });
    await run(gateway, admin, remove(cameraId));
    await expect.poll(() => keptUntil(cameraId)).not.toBeNull();
    expect(await run(gateway, admin, restore(cameraId))).toEqual({
      restoreCamera: { id: cameraId, alertRuleIds: [expect.any(String)], openAlertCount: 0 },
    });
    expect(await rowsOf(cameraId)).toEqual({ ...oneSite, alerts: 0, comments: 0, streamRequests: 2 });
    expect(await refusal(gateway, admin, restore(cameraId))).toMatchObject({ code: "NOT_FOUND" });
  });

  it("does so for 30 days, not at a deleted facility, and requires cameras:write", async () => {
    const { cameraId, facilityId } = await newSite();
    const day = 86_400_000;
    const removedAt = (days: number) =>
      gateway.prisma.camera.updateMany({
        where: { id: cameraId },
        data: { removedAt: new Date(Date.now() - days * day), keptUntil: new Date(Date.now() + day) },
      });
    await removedAt(31);
    expect(await refusal(gateway, admin, restore(cameraId))).toMatchObject({ code: "NOT_FOUND" });
    await removedAt(29);
    const guest = await createTestUser(gateway.prisma, { workspaceId, roles: ["cameras:read"] });
    expect(await refusal(gateway, guest, restore(cameraId))).toMatchObject({ code: "FORBIDDEN" });
    await run(gateway, admin, [
      "mutation ($id: UUID!) { deleteFacility(id: $id) { id } }",
      { id: facilityId },
    ]);
    expect(await refusal(gateway, admin, restore(cameraId))).toMatchObject({ code: "NOT_FOUND" });
    await expect.poll(() => rowsOf(cameraId)).toEqual(nothing);
  });
});

describe("the purge", () => {
  it("deletes everything that belongs to the camera and leaves other cameras alone", async () => {
    const [site, other] = [await newSite(), await newSite()];
    await removeForGood(site.cameraId);
    await expect.poll(() => rowsOf(site.cameraId)).toEqual(nothing);
    expect(await rowsOf(other.cameraId)).toEqual(oneSite);
    expect(await gateway.prisma.facility.count({ where: { id: site.facilityId } })).toBe(1);
  });

  it("deletes the images of the camera, its calibration, and its alerts, and no others", async () => {
    const [site, other] = [await newSite(), await newSite()];
    const { facilityId, cameraId } = site;
    const picture = () => testSite.storePicture(`pictures/${randomUUID()}.jpg`);
    const keys = await Promise.all(Array.from({ length: 6 }, picture));
    const [
      imageLink = "",
      calibratedImage = "",
      croppedImage = "",
      gridImage = "",
      url = "",
      thumbnailUrl = "",
    ] = keys;
    const kept = await picture();
    await gateway.prisma.camera.updateMany({ where: { id: other.cameraId }, data: { imageLink: kept } });
    await gateway.prisma.camera.updateMany({ where: { id: cameraId }, data: { imageLink } });
    await gateway.prisma.calibration.updateMany({
      where: { cameraId },
      data: { calibratedImage, croppedImage, gridImage },
    });
    await createAlerts(gateway.prisma, [
      { workspaceId, facilityId, cameraId, url, thumbnailUrl },
      { workspaceId, facilityId, cameraId, url: "https://images.example/1.jpg" },
    ]);
    await removeForGood(cameraId);
    await expect.poll(() => keys.filter((key) => testSite.isStored(key))).toEqual([]);
    expect(testSite.isStored(kept)).toBe(true);
    await expect.poll(() => gateway.prisma.objectRemoval.count()).toBe(0);
  });

  it("sends no statements when idle", async () => {
    const { cameraId } = await newSite();
    await run(gateway, admin, remove(cameraId));
    await expect.poll(() => keptUntil(cameraId)).not.toBeNull();
    await gateway.app.idle();
    gateway.clearStatements();
    for (let time = 0; time < 50; time += 1) await gateway.data("{ me { id } }", admin);
    expect(gateway.workerStatements.filter((sql) => sql.includes("ObjectRemoval") || isPurge(sql))).toEqual(
      [],
    );
  });
});

describe("a restart", () => {
  const restart = async () => {
    await gateway.close();
    gateway = await testSite.start();
  };

  it("resumes a purge that the previous gateway left unfinished", async () => {
    // So that no write makes the gateway purge the prepared rows.
    await gateway.app.idle();
    const [site, other] = [await newSite(), await newSite()];
    const key = await testSite.storePicture(`pictures/${randomUUID()}.jpg`);
    await gateway.prisma.camera.updateMany({
      where: { id: site.cameraId },
      data: { imageLink: key, removedAt: new Date(), keptUntil: new Date() },
    });
    const orphan = await testSite.storePicture(`pictures/${randomUUID()}.jpg`);
    await gateway.prisma.objectRemoval.create({ data: { workspaceId, key: orphan } });
    expect(await rowsOf(site.cameraId)).toEqual(oneSite);
    await restart();
    await expect.poll(() => rowsOf(site.cameraId)).toEqual(nothing);
    await expect.poll(() => [key, orphan].filter((each) => testSite.isStored(each))).toEqual([]);
    expect(await rowsOf(other.cameraId)).toEqual(oneSite);
  });
});
