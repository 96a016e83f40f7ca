import { randomUUID } from "node:crypto";
import type { PrismaClient } from "../../src/generated/prisma/client.js";
import { createAlertRule, createAlerts, createCamera, createFacility } from "../support/factories.js";

/** A facility with one of everything that hangs on it. */
export interface Site {
  facilityId: string;
  cameraId: string;
  ruleId: string;
  areaId: string;
  calibrationId: string;
  jobId: string;
  statusChangeId: string;
  streamRequestId: string;
  /** Newest first. */
  alertIds: string[];
  /** The rule that the alerts name. */
  alertRuleId: string;
}

export interface SiteValues {
  workspaceId: string;
  name: string;
  alerts: number;
  newest: string;
  /** The rule that the alerts name; the site's own without it. */
  alertRuleId?: string;
}

/** The type of all alerts of sites. */
export const alertType = "STATIC_DELIMITATION_AREA";

/** A filter that all alerts of sites meet, as GraphQL text, with more conditions. */
export const allTime = (conditions = "") => `{ start: "2026-11-01T00:00:00Z", end: "2026-12-01T00:00:00Z" ${conditions} }`;

export async function createSite(prisma: PrismaClient, values: SiteValues): Promise<Site> {
  const { workspaceId, name, newest } = values;
  const facilityId = await createFacility(prisma, { workspaceId, name });
  const cameraId = await createCamera(prisma, { workspaceId, facilityId, name });
  const areaId = randomUUID();
  const area = { id: areaId, type: "AREA", name, points: [{ x: 1, y: 2 }] };
  const ruleId = await createAlertRule(prisma, { cameraId, group: { id: randomUUID(), type: "GROUP", operator: "AND", children: [area] } });
  const calibration = await prisma.calibration.create({ data: { cameraId, pixelLength: 1, width: 10, height: 10, points: [] } });
  const job = await prisma.analysisJob.create({ data: { cameraId, configId: randomUUID(), state: "VALIDATING" } });
  const change = await prisma.statusChange.create({ data: { cameraId, statusDetail: "OPERATIONAL", source: "TRACKER" } });
  const request = await prisma.streamRequest.create({ data: { cameraId, url: "rtsp://camera.example/", expiresAt: new Date(newest) } });
  const alertRuleId = values.alertRuleId ?? ruleId;
  const alert = { workspaceId, facilityId, cameraId, alertRuleId, areaIds: [areaId], name: alertType };
  const alertIds = await createAlerts(prisma, Array(values.alerts).fill(alert), new Date(newest));
  return {
    facilityId,
    cameraId,
    ruleId,
    areaId,
    calibrationId: calibration.id,
    jobId: job.id,
    statusChangeId: change.id,
    streamRequestId: request.id,
    alertIds,
    alertRuleId,
  };
}
