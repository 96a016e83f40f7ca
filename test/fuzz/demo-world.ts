import type { GatewayEvent } from "../../src/engine/events/gateway-event.js";
import { encodeNodeId } from "../../src/engine/nodes/node-id.js";
import type { PrismaClient } from "../../src/generated/prisma/client.js";
import { completeId } from "../support/complete-demo.js";
import type { World } from "./world.js";

/** The place of an event. */
export type Place = Pick<GatewayEvent, "workspaceId" | "facilityId" | "cameraId">;

/**
 * Everything in a workspace that documents can refer to, in an order that does not depend
 * on random ids.
 */
export async function demoWorld(
  prisma: PrismaClient,
  workspaceId: string,
  now: Date,
): Promise<{ world: World; places: Map<string, Place> }> {
  const where = { workspaceId };
  const facilities = await prisma.facility.findMany({ where, orderBy: { name: "asc" } });
  const cameras = await prisma.camera.findMany({ where, orderBy: { name: "asc" } });
  const rules = await prisma.alertRule.findMany({
    where,
    orderBy: [{ name: "asc" }, { createdAt: "asc" }, { cameraId: "asc" }],
  });
  const alerts = await prisma.alert.findMany({ where, take: 60, orderBy: { createdAt: "desc" } });
  const users = await prisma.user.findMany({ where, orderBy: { email: "asc" } });
  const deliveries = await prisma.delivery.findMany({ where, orderBy: { createdAt: "asc" } });
  const requests = await prisma.streamRequest.findMany({ where, orderBy: { createdAt: "asc" } });
  const idsOf = (rows: { id: string }[]) => rows.map(({ id }) => id);
  const nodeIds = (type: string, rows: { id: string }[]) =>
    idsOf(rows).map((id) => encodeNodeId({ type, workspaceId, id }));
  const world: World = {
    ids: {
      facilityId: idsOf(facilities),
      cameraId: idsOf(cameras),
      alertId: idsOf(alerts),
      alertRuleId: idsOf(rules),
      jobId: [completeId],
      analysisJobId: [completeId],
      areaId: [completeId, ...alerts.flatMap(({ areaIds }) => areaIds).slice(0, 5)],
      userId: idsOf(users),
      actorId: idsOf(users),
      targetId: idsOf(cameras),
      nodeId: [
        ...nodeIds("Workspace", [{ id: workspaceId }]),
        ...nodeIds("Facility", facilities),
        ...nodeIds("Camera", cameras.slice(0, 6)),
        ...nodeIds("AlertRule", rules.slice(0, 6)),
        ...nodeIds("Alert", alerts.slice(0, 6)),
        ...nodeIds("User", users),
        ...nodeIds("Delivery", deliveries.slice(0, 4)),
        ...nodeIds("StreamRequest", requests.slice(0, 4)),
      ],
    },
    callers: [],
    uploadUrls: [],
    now,
  };
  const places = new Map<string, Place>();
  for (const { id } of facilities) places.set(id, { workspaceId, facilityId: id });
  for (const { id, facilityId } of cameras) places.set(id, { workspaceId, facilityId, cameraId: id });
  for (const { id, facilityId, cameraId } of alerts) places.set(id, { workspaceId, facilityId, cameraId });
  return { world, places };
}
