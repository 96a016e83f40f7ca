// Runs once: both kinds of databases run the same statements.
import { beforeAll, beforeEach, expect, it } from "vitest";
import { permissions } from "../../src/access/permissions.js";
import {
  alertType,
  allTime,
  type CompleteFacility,
  createCompleteFacility,
} from "../support/complete-facility.js";
import {
  createAlerts,
  createApiKey,
  createUser,
  createWorkspace,
  grantAccess,
} from "../support/factories.js";
import { type Gateway, type Sender, sharedGateway } from "../support/harness.js";

let gateway: Gateway;
let kept: CompleteFacility;
let removed: CompleteFacility;
const viewers: Record<string, Sender> = {};

beforeAll(async () => {
  gateway = await sharedGateway();
  const { prisma } = gateway;
  const workspaceId = await createWorkspace(prisma, {});
  kept = await createCompleteFacility(prisma, {
    workspaceId,
    name: "A",
    alerts: 2,
    newest: "2026-11-20T10:00:00Z",
  });
  removed = await createCompleteFacility(prisma, {
    workspaceId,
    name: "B",
    alerts: 3,
    newest: "2026-11-20T12:00:00Z",
    alertRuleId: kept.ruleId,
  });
  await createUser(prisma, { workspaceId, authId: "removed|admin", roles: [...permissions] });
  const userId = await createUser(prisma, { workspaceId, authId: "removed|site" });
  for (const { facilityId } of [kept, removed])
    await grantAccess(prisma, { userId, facilityId, workspaceId, actions: ["alerts:read"] });
  viewers.admin = { user: "removed|admin" };
  viewers.siteUser = { user: "removed|site" };
  viewers.key = await createApiKey(prisma, { workspaceId, permissions: ["cameras:read"] });
  viewers.limitedKey = await createApiKey(prisma, {
    workspaceId,
    permissions: ["cameras:read"],
    facilityIds: [kept.facilityId, removed.facilityId],
  });
});
beforeEach(() => setRemoved(null));

const setRemoved = (removedAt: Date | null) =>
  gateway.prisma.camera.updateMany({ where: { id: removed.cameraId }, data: { removedAt } });
const ids = (of: string[]) => of.map((id) => ({ id }));
const list = "{ nodes { id } totalCount }";

/** The expected results of both sites together. */
interface Expected {
  cameras: CompleteFacility[];
  alertIds: string[];
}

const cases: Record<string, { query: () => string; data: (expected: Expected) => object }> = {
  "the list of cameras": {
    query: () => "{ cameras { id } }",
    data: ({ cameras }) => ({ cameras: ids(cameras.map((site) => site.cameraId)) }),
  },
  "the cameras of the workspace": {
    query: () => "{ workspace { cameras { id } } }",
    data: ({ cameras }) => ({ workspace: { cameras: ids(cameras.map((site) => site.cameraId)) } }),
  },
  "the list of a facility's cameras": {
    query: () => `{ cameras(facilityId: "${removed.facilityId}") { id } }`,
    data: ({ cameras }) => ({ cameras: cameras.includes(removed) ? ids([removed.cameraId]) : [] }),
  },
  "the camera by its id": {
    query: () => `{ camera(id: "${removed.cameraId}") { id } }`,
    data: ({ cameras }) => ({ camera: cameras.includes(removed) ? { id: removed.cameraId } : null }),
  },
  "its facility's cameras and their count": {
    query: () => `{ facility(id: "${removed.facilityId}") { cameraCount cameras { id } } }`,
    data: ({ cameras }) => ({
      facility: cameras.includes(removed)
        ? { cameraCount: 1, cameras: ids([removed.cameraId]) }
        : { cameraCount: 0, cameras: [] },
    }),
  },
  "the list of alerts and its count": {
    query: () => `{ alerts(filter: ${allTime()}) ${list} }`,
    data: ({ alertIds }) => ({ alerts: { nodes: ids(alertIds), totalCount: alertIds.length } }),
  },
  "the alerts of the workspace": {
    query: () => `{ workspace { alerts ${list} } }`,
    data: ({ alertIds }) => ({
      workspace: { alerts: { nodes: ids(alertIds), totalCount: alertIds.length } },
    }),
  },
  "the alerts of its facility": {
    query: () => `{ facility(id: "${removed.facilityId}") { alerts ${list} } }`,
    data: ({ cameras }) => ({
      facility: {
        alerts: cameras.includes(removed)
          ? { nodes: ids(removed.alertIds), totalCount: 3 }
          : { nodes: [], totalCount: 0 },
      },
    }),
  },
  "the alerts filtered by it": {
    query: () => `{ alerts(filter: ${allTime(`cameraIds: ["${removed.cameraId}"]`)}) ${list} }`,
    data: ({ cameras }) => ({
      alerts: cameras.includes(removed)
        ? { nodes: ids(removed.alertIds), totalCount: 3 }
        : { nodes: [], totalCount: 0 },
    }),
  },
  "the alerts of a remaining rule": {
    query: () => `{ camera(id: "${kept.cameraId}") { alertRules { alerts ${list} } } }`,
    data: ({ alertIds }) => ({
      camera: { alertRules: [{ alerts: { nodes: ids(alertIds), totalCount: alertIds.length } }] },
    }),
  },
  "the counts of alerts": {
    query: () => `{ alertCounts(filter: ${allTime()}, aggregate: DAY) { key count } }`,
    data: ({ alertIds }) => ({ alertCounts: [{ key: "2026-11-20", count: alertIds.length }] }),
  },
  "the counts of its facility": {
    query: () =>
      `{ facility(id: "${removed.facilityId}") { alertCounts(filter: ${allTime()}, aggregate: DAY) { count } } }`,
    data: ({ cameras }) => ({ facility: { alertCounts: cameras.includes(removed) ? [{ count: 3 }] : [] } }),
  },
  "the last alerts of cameras": {
    query: () => `{ cameras { lastAlert(type: "${alertType}") { id } } }`,
    data: ({ cameras }) => ({ cameras: cameras.map((site) => ({ lastAlert: { id: site.alertIds[0] } })) }),
  },
  "an alert by its id": {
    query: () => `{ alert(id: "${removed.alertIds[0]}") { id camera { id } } }`,
    data: ({ cameras }) => ({
      alert: cameras.includes(removed) ? { id: removed.alertIds[0], camera: { id: removed.cameraId } } : null,
    }),
  },
};

const viewerNames = ["admin", "siteUser", "key", "limitedKey"];
const combinations = viewerNames.flatMap((viewer) =>
  Object.keys(cases).map((name) => [name, viewer] as const),
);

it.each(combinations)("immediately removes a deleted camera from %s, for %s", async (name, viewer) => {
  const { query, data } = cases[name] as (typeof cases)[string];
  const as = viewers[viewer] as Sender;
  const all = { cameras: [kept, removed], alertIds: [...removed.alertIds, ...kept.alertIds] };
  expect(await gateway.data(query(), { as })).toEqual(data(all));
  await setRemoved(new Date("2026-11-20T13:00:00Z"));
  expect(await gateway.data(query(), { as })).toEqual(data({ cameras: [kept], alertIds: kept.alertIds }));
});

it("excludes alerts that arrive after its deletion", async () => {
  await setRemoved(new Date("2026-11-20T13:00:00Z"));
  const { workspaceId } = await gateway.prisma.facility.findFirstOrThrow({
    where: { id: removed.facilityId },
  });
  const [late] = await createAlerts(
    gateway.prisma,
    [{ workspaceId, facilityId: removed.facilityId, cameraId: removed.cameraId }],
    new Date("2026-11-20T14:00:00Z"),
  );
  const query = `{ alert(id: "${late}") { id } alerts(filter: ${allTime()}) { totalCount } }`;
  expect(await gateway.data(query, { as: viewers.admin as Sender })).toEqual({
    alert: null,
    alerts: { totalCount: 2 },
  });
});
