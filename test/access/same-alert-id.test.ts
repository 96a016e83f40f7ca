// Runs once: both kinds of databases run the same statements.
import { randomUUID } from "node:crypto";
import { beforeAll, expect, it } from "vitest";
import {
  createAlerts,
  createCamera,
  createFacility,
  createUser,
  createWorkspace,
} from "../support/factories.js";
import { type Gateway, sharedGateway } from "../support/harness.js";

const alertId = randomUUID();
const tenants = ["same-id|one", "same-id|two"];

let gateway: Gateway;
beforeAll(async () => {
  gateway = await sharedGateway();
  const { prisma } = gateway;
  for (const authId of tenants) {
    const workspaceId = await createWorkspace(prisma, { name: authId });
    await createUser(prisma, { workspaceId, authId, roles: ["alerts:read"] });
    const facilityId = await createFacility(prisma, { workspaceId, name: authId });
    const cameraId = await createCamera(prisma, { workspaceId, facilityId, name: authId });
    await createAlerts(prisma, [{ id: alertId, workspaceId, facilityId, cameraId, name: authId }]);
  }
});

const filter = '{ start: "2026-11-01T00:00:00Z", end: "2026-12-01T00:00:00Z" }';

it.each(tenants)("separates alerts with the same id in two workspaces: %s", async (authId) => {
  const fields = "{ id name camera { name } facility { name } }";
  const query = `{ alert(id: "${alertId}") ${fields} alerts(filter: ${filter}) { nodes ${fields} totalCount } cameras { lastAlert(type: "${authId}") { id } } }`;
  const own = { id: alertId, name: authId, camera: { name: authId }, facility: { name: authId } };
  const data = await gateway.data(query, { as: { user: authId } });
  expect(data).toEqual({
    alert: own,
    alerts: { nodes: [own], totalCount: 1 },
    cameras: [{ lastAlert: { id: alertId } }],
  });
});
