import { randomUUID } from "node:crypto";
import type { PrismaClient } from "../../src/generated/prisma/client.js";
import {
  createAlertClip,
  createAlertComment,
  createAlertRule,
  createAlerts,
  createCamera,
  createDelivery,
  createFacility,
  createStreamRequest,
} from "./factories.js";

/** A facility with a camera and one record of each kind that belongs to it. */
export interface CompleteFacility {
  facilityId: string;
  cameraId: string;
  ruleId: string;
  areaId: string;
  calibrationId: string;
  jobId: string;
  statusChangeId: string;
  streamRequestId: string;
  /** A sent delivery about the newest alert. */
  deliveryId: string;
  /** On the newest alert; empty without alerts. */
  commentId: string;
  /** Newest first. */
  alertIds: string[];
  /** The rule that the alerts name. */
  alertRuleId: string;
}

export interface CompleteFacilityValues {
  workspaceId: string;
  name: string;
  /** The number of alerts; 1 by default. */
  alerts?: number;
  /** The time of the newest alert; by default November 20th, 2026, at noon. */
  newest?: string;
  /** The rule that the alerts name; by default the facility's own. */
  alertRuleId?: string;
}

/** The type of all alerts of complete facilities. */
export const alertType = "STATIC_DELIMITATION_AREA";

/**
 * A filter that matches all alerts of complete facilities, as GraphQL text, with optional
 * conditions.
 */
export const allTime = (conditions = "") =>
  `{ start: "2026-11-01T00:00:00Z", end: "2026-12-01T00:00:00Z" ${conditions} }`;

export async function createCompleteFacility(
  prisma: PrismaClient,
  values: CompleteFacilityValues,
): Promise<CompleteFacility> {
  const { workspaceId, name, alerts: count = 1, newest = "2026-11-20T12:00:00Z" } = values;
  const facilityId = await createFacility(prisma, { workspaceId, name });
  const cameraId = await createCamera(prisma, { workspaceId, facilityId, name });
  const areaId = randomUUID();
  const area = { id: areaId, type: "AREA", name, points: [{ x: 1, y: 2 }] };
  const ruleId = await createAlertRule(prisma, {
    workspaceId,
    cameraId,
    group: { id: randomUUID(), type: "GROUP", operator: "AND", children: [area] },
  });
  const calibration = await prisma.calibration.create({
    data: { workspaceId, cameraId, pixelLength: 1, width: 10, height: 10, points: [] },
  });
  const job = await prisma.analysisJob.create({
    data: { workspaceId, cameraId, configId: randomUUID(), state: "VALIDATING" },
  });
  const change = await prisma.statusChange.create({
    data: { workspaceId, cameraId, statusDetail: "OPERATIONAL", source: "TRACKER" },
  });
  const streamRequestId = await createStreamRequest(prisma, {
    workspaceId,
    cameraId,
    expiresAt: new Date(newest),
  });
  await prisma.cameraFeed.create({
    data: {
      workspaceId,
      cameraId,
      streamRequestId,
      failures: 1,
      failingSince: new Date(newest),
      errorCode: "TIMEOUT",
    },
  });
  const alertRuleId = values.alertRuleId ?? ruleId;
  const alert = { workspaceId, facilityId, cameraId, alertRuleId, areaIds: [areaId], name: alertType };
  const alertIds = await createAlerts(prisma, Array(count).fill(alert), new Date(newest));
  const [alertId] = alertIds;
  const commentId = alertId
    ? await createAlertComment(prisma, { workspaceId, facilityId, cameraId, alertId })
    : "";
  if (alertId)
    await createAlertClip(prisma, {
      ...{ workspaceId, facilityId, cameraId, alertId },
      alertCreatedAt: new Date(newest),
    });
  const ofAlert = { workspaceId, facilityId, cameraId, alertId: alertId ?? null, alertRuleId };
  const deliveryId = await createDelivery(prisma, { ...ofAlert, createdAt: new Date(newest) });
  return {
    facilityId,
    cameraId,
    ruleId,
    areaId,
    calibrationId: calibration.id,
    jobId: job.id,
    statusChangeId: change.id,
    streamRequestId,
    deliveryId,
    commentId,
    alertIds,
    alertRuleId,
  };
}
