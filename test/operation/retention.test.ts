// Runs once: both kinds of databases run the same statements.

import { randomUUID } from "node:crypto";
import { bulkInsert } from "../../src/engine/database/bulk-insert.js";
import type { PrismaClient } from "../../src/generated/prisma/client.js";
import { subscriber } from "../live/live-socket.js";
import {
  createAdmin,
  createAlertComment,
  createAlerts,
  createApiKey,
  createConnector,
  createDelivery,
  createPlace,
  createStreamRequest,
  createWorkspace,
} from "../support/factories.js";
import { type Gateway, run } from "../support/harness.js";
import { listOf } from "../support/list-of.js";
import { TestSite } from "../support/test-site.js";
import { reportByRest } from "../writes/callbacks.js";

const minute = 60_000;
const day = 24 * 60 * minute;
const deleteAlerts = "mutation ($ids: [UUID!]!) { deleteAlerts(ids: $ids) { deletedIds } }";

let gateway: Gateway;
let time = Date.parse("2026-11-20T12:00:00Z");
const ago = (milliseconds: number) => new Date(time - milliseconds);
/** The capability of a stream request whose reports wake the workers. */
let requestId: string;

const testSite = await TestSite.open();

beforeAll(async () => {
  gateway = await startKeeping({ ALERT_RETENTION_DAYS: "30", AUDIT_RETENTION_DAYS: "90" });
  requestId = await newCapability(gateway.prisma);
});
afterAll(async () => {
  await gateway.close();
  await testSite.remove();
});

const startKeeping = (environment: Record<string, string>) =>
  testSite.start({ now: () => new Date(time), environment });

async function newCapability(prisma: PrismaClient): Promise<string> {
  const requestId = randomUUID();
  const { workspaceId, cameraId } = await newPlace(prisma);
  await createStreamRequest(prisma, { workspaceId, cameraId, requestId });
  return requestId;
}

/** A camera of a new workspace. */
async function newPlace(prisma = gateway.prisma) {
  return createPlace(prisma);
}

/** Moves the clock to the next round of purging, and waits for its end. */
async function nextRound(): Promise<void> {
  time += 15 * minute;
  await reportByRest(gateway, "thumbnail", requestId);
  await gateway.app.idle();
}

const alertsOf = (workspaceId: string) => gateway.prisma.alert.findMany({ where: { workspaceId } });
/** An age that an alert has just reached in the next round, and one that it has not. */
const [tooOld, youngEnough] = [30 * day, 30 * day - 20 * minute];

it("alerts that are older than ALERT_RETENTION_DAYS are deleted in every workspace, unless they are bookmarked", async () => {
  const [one, other] = [await newPlace(), await newPlace()];
  const [kept = "", bookmarked = ""] = await createAlerts(gateway.prisma, [
    { ...one, createdAt: ago(youngEnough) },
    { ...one, createdAt: ago(300 * day), bookmark: true },
    { ...one, createdAt: ago(tooOld) },
    { ...other, createdAt: ago(300 * day) },
  ]);
  await nextRound();
  expect((await alertsOf(one.workspaceId)).map(({ id }) => id).sort()).toEqual([kept, bookmarked].sort());
  expect(await alertsOf(other.workspaceId)).toEqual([]);
});

it("comments, deliveries and pictures of an alert, including drawn ones, are deleted with it", async () => {
  const { prisma } = gateway;
  const place = await newPlace();
  const pictures = async () => ({
    url: await testSite.storePicture(`alerts/${randomUUID()}.jpg`),
    thumbnailUrl: await testSite.storePicture(`alerts/${randomUUID()}-small.webp`),
  });
  const [old, recent] = [await pictures(), await pictures()];
  const [gone = "", kept = ""] = await createAlerts(prisma, [
    { ...place, ...old, createdAt: ago(tooOld) },
    { ...place, ...recent, createdAt: ago(youngEnough) },
  ]);
  const { workspaceId } = place;
  for (const alertId of [gone, kept]) {
    await createAlertComment(prisma, { ...place, alertId });
    await createDelivery(prisma, { ...place, alertId, createdAt: ago(minute) });
    const key = await testSite.storePicture(`annotated/${workspaceId}/${alertId}.jpg`);
    await prisma.objectRemoval.create({ data: { workspaceId, key, dueAt: ago(-day) } });
  }
  await nextRound();
  const keys = (alertId: string, { url, thumbnailUrl }: typeof old) => [
    url,
    thumbnailUrl,
    `annotated/${workspaceId}/${alertId}.jpg`,
  ];
  await expect
    .poll(() => keys(gone, old).map((key) => testSite.isStored(key)))
    .toEqual([false, false, false]);
  expect(keys(kept, recent).map((key) => testSite.isStored(key))).toEqual([true, true, true]);
  const where = { workspaceId };
  expect(await prisma.alertComment.findMany({ where })).toMatchObject([{ alertId: kept }]);
  expect(await prisma.delivery.findMany({ where })).toMatchObject([{ alertId: kept }]);
});

it("any number of alerts is deleted, past any number of bookmarked ones, and the kept counts stay right", async () => {
  const { prisma } = gateway;
  const [place, other] = [await newPlace(), await newPlace()];
  const bookmarked = listOf(1_500, () => ({
    ...place,
    createdAt: ago(200 * day),
    bookmark: true,
  }));
  const expired = listOf(2_500, (n) => ({
    ...place,
    createdAt: ago(100 * day - n * minute),
    bookmark: n % 10 === 0,
  }));
  await createAlerts(prisma, [
    ...bookmarked,
    ...expired,
    { ...place, createdAt: ago(day) },
    { ...other, createdAt: ago(100 * day) },
  ]);
  await nextRound();
  const left = await alertsOf(place.workspaceId);
  expect([left.length, left.filter(({ bookmark }) => bookmark).length]).toEqual([1_751, 1_750]);
  expect(await alertsOf(other.workspaceId)).toEqual([]);
  expect(await prisma.$queryRaw`SELECT * FROM "alertCountDifferences"()`).toEqual([]);
});

it("an alert that has lost its bookmark is deleted in the next round", async () => {
  const place = await newPlace();
  const [id = ""] = await createAlerts(gateway.prisma, [
    { ...place, createdAt: ago(100 * day), bookmark: true },
  ]);
  const { as } = await createAdmin(gateway.prisma, place.workspaceId);
  await nextRound();
  await gateway.data("mutation ($id: UUID!) { setAlertBookmark(id: $id, bookmark: false) { id } }", {
    as,
    variables: { id },
  });
  await nextRound();
  expect(
    await gateway.data("query ($id: UUID!) { alert(id: $id) { id } }", { as, variables: { id } }),
  ).toEqual({ alert: null });
});

it("the deletion of old alerts is neither sent to subscribers nor audited", async () => {
  const { prisma } = gateway;
  const place = await newPlace();
  const admin = await createAdmin(prisma, place.workspaceId);
  const live = await subscriber(gateway, admin.as, "subscription { alertChanged { alertId } }");
  const [, deleted = ""] = await createAlerts(prisma, [
    { ...place, createdAt: ago(tooOld) },
    { ...place, createdAt: ago(day) },
  ]);
  await nextRound();
  await run(gateway, admin, [deleteAlerts, { ids: [deleted] }]);
  await expect.poll(() => live.results()).toEqual([{ data: { alertChanged: { alertId: deleted } } }]);
  expect(await prisma.auditEntry.findMany({ where: { workspaceId: place.workspaceId } })).toMatchObject([
    { targetId: deleted },
  ]);
});

const auditEntry = (workspaceId: string, createdAt: Date) => ({
  id: randomUUID(),
  workspaceId,
  actorId: null,
  actorKind: "USER",
  action: "renameFacility",
  targetType: "Facility",
  targetId: null,
  facilityId: null,
  changes: null,
  createdAt,
});

it("audit entries that are older than AUDIT_RETENTION_DAYS are deleted in every workspace, however many", async () => {
  const { prisma } = gateway;
  const [one, other] = [await createWorkspace(prisma), await createWorkspace(prisma)];
  const kept = auditEntry(one, ago(90 * day - 20 * minute));
  const expired = listOf(2_001, () => auditEntry(one, ago(90 * day)));
  await bulkInsert(prisma, "AuditEntry", [kept, ...expired, auditEntry(other, ago(91 * day))]);
  await nextRound();
  expect(await prisma.auditEntry.findMany({ where: { workspaceId: { in: [one, other] } } })).toMatchObject([
    { id: kept.id },
  ]);
});

it("audit entries of permissions that were taken from a user are kept for 30 days, also with a shorter AUDIT_RETENTION_DAYS", async () => {
  await gateway.close();
  gateway = await startKeeping({ AUDIT_RETENTION_DAYS: "1" });
  const { prisma } = gateway;
  const workspaceId = await createWorkspace(prisma);
  const entries = ["setUserRoles", "removeFacilityAccess", "renameFacility"].flatMap((action) =>
    [29, 31].map((days) => ({ ...auditEntry(workspaceId, ago(days * day)), action })),
  );
  await bulkInsert(prisma, "AuditEntry", entries);
  await nextRound();
  const kept = await prisma.auditEntry.findMany({ where: { workspaceId } });
  const [rolesTaken, , accessTaken] = entries;
  expect(new Set(kept.map(({ id }) => id))).toEqual(new Set([rolesTaken?.id, accessTaken?.id]));
});

it("the first round begins within a minute of the start, and the next a quarter of an hour later", async () => {
  await gateway.close();
  gateway = await startKeeping({ ALERT_RETENTION_DAYS: "30" });
  const place = await newPlace();
  const add = () => createAlerts(gateway.prisma, [{ ...place, createdAt: ago(31 * day) }]);
  const leftAfter = async (milliseconds: number) => {
    time += milliseconds;
    await reportByRest(gateway, "thumbnail", requestId);
    await gateway.app.idle();
    return (await alertsOf(place.workspaceId)).length;
  };
  await add();
  expect(await leftAfter(0)).toBe(1);
  expect(await leftAfter(minute - 1)).toBe(0);
  await add();
  expect(await leftAfter(14 * minute)).toBe(1);
  expect(await leftAfter(minute)).toBe(0);
});

it("without these settings everything is kept", async () => {
  await gateway.close();
  gateway = await startKeeping({});
  const place = await newPlace();
  await createAlerts(gateway.prisma, [{ ...place, createdAt: ago(3_000 * day) }]);
  await bulkInsert(gateway.prisma, "AuditEntry", [auditEntry(place.workspaceId, ago(3_000 * day))]);
  await nextRound();
  expect(await alertsOf(place.workspaceId)).toHaveLength(1);
  expect(
    await gateway.prisma.auditEntry.findMany({ where: { workspaceId: place.workspaceId } }),
  ).toHaveLength(1);
});

it("connectors are deleted 30 days after they were last heard", async () => {
  const { prisma } = gateway;
  const { workspaceId } = await newPlace();
  const { id: apiKeyId } = await createApiKey(prisma, { workspaceId, permissions: [] });
  for (const [name, age] of [
    ["silent", tooOld],
    ["heard", youngEnough],
  ] as const)
    await createConnector(prisma, { workspaceId, apiKeyId, name, lastReportedAt: ago(age) });
  await nextRound();
  expect(await prisma.connector.findMany({ where: { workspaceId } })).toMatchObject([{ name: "heard" }]);
});
