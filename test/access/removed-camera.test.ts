// Runs once: both kinds of databases run the same statements.
import { alertType, createCompleteFacility } from "../support/complete-facility.js";
import { createAdmin, createAlerts, createApiKey, createTestUser } from "../support/factories.js";
import { type Sender, sharedWorkspace } from "../support/harness.js";

const viewers: Record<string, Sender> = {};

const { gateway, prisma, workspaceId } = await sharedWorkspace();
const newest = "2026-11-20T12:00:00Z";
const kept = await createCompleteFacility(prisma, { workspaceId, name: "Kept", alerts: 2, newest });
const { ruleId: alertRuleId } = kept;
const removed = await createCompleteFacility(prisma, {
  workspaceId,
  name: "Removed",
  alerts: 3,
  newest,
  alertRuleId,
});
const facilityIds = [kept.facilityId, removed.facilityId];
const at = Object.fromEntries(facilityIds.map((id) => [id, ["alerts:read" as const]]));
viewers.admin = (await createAdmin(prisma, workspaceId)).as;
viewers["a user of both facilities"] = (await createTestUser(prisma, { workspaceId, at })).as;
viewers["a key"] = await createApiKey(prisma, { workspaceId, permissions: ["cameras:read"] });
viewers["a key of both facilities"] = await createApiKey(prisma, {
  ...{ workspaceId, facilityIds },
  permissions: ["cameras:read"],
});
await prisma.camera.updateMany({ where: { id: removed.cameraId }, data: { removedAt: new Date(newest) } });
const { facilityId, cameraId } = removed;
const late = { workspaceId, facilityId, cameraId, name: alertType };
await createAlerts(prisma, [late], new Date("2026-11-20T14:00:00Z"));

const query = `query ($kept: UUID!, $camera: UUID!, $facility: UUID!, $alert: UUID!, $all: AlertFilter!, $ofCamera: AlertFilter!) {
  cameras { name lastAlert(type: "${alertType}") { camera { name } } }
  inFacility: cameras(facilityId: $facility) { name }
  camera(id: $camera) { name }
  facility(id: $facility) { cameraCount cameras { name } alerts { ...List } alertCounts(filter: $all, aggregate: DAY) { count } }
  workspace { cameras { name } alerts { ...List } }
  alerts(filter: $all) { ...List }
  filtered: alerts(filter: $ofCamera) { ...List }
  alertCounts(filter: $all, aggregate: DAY) { count }
  alert(id: $alert) { id }
  rule: camera(id: $kept) { alertRules { alerts { ...List } } }
}
fragment List on AlertConnection { nodes { camera { name } } totalCount }`;

it.each(["admin", "a user of both facilities", "a key", "a key of both facilities"])(
  "a deleted camera and its alerts, also later ones, are nowhere, for %s",
  async (viewer) => {
    const all = { start: "2026-11-01T00:00:00Z", end: "2026-12-01T00:00:00Z" };
    const variables = {
      ...{
        kept: kept.cameraId,
        camera: removed.cameraId,
        facility: removed.facilityId,
        alert: removed.alertIds[0],
      },
      ...{ all, ofCamera: { ...all, cameraIds: [removed.cameraId] } },
    };
    const camera = { name: "Kept" };
    const none = { nodes: [], totalCount: 0 };
    const two = { nodes: [{ camera }, { camera }], totalCount: 2 };
    expect(await gateway.data(query, { as: viewers[viewer] as Sender, variables })).toEqual({
      cameras: [{ ...camera, lastAlert: { camera } }],
      ...{ inFacility: [], camera: null, alert: null, filtered: none },
      facility: { cameraCount: 0, cameras: [], alerts: none, alertCounts: [] },
      workspace: { cameras: [camera], alerts: two },
      ...{ alerts: two, alertCounts: [{ count: 2 }] },
      rule: { alertRules: [{ alerts: two }] },
    });
  },
);
