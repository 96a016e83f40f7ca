import { createHash } from "node:crypto";
import type { Alert, AlertRule } from "../../generated/prisma/client.js";
import { later } from "../../platform/time.js";
import { webhookOfBadCrossing } from "./fleet-definition.js";
import type { FleetPlan } from "./fleet-plan.js";

const host = new URL(webhookOfBadCrossing).host;
const second = 1_000;
const day = 24 * 3600 * second;
/** The time for which the gateway keeps sent deliveries. */
const keptMs = 30 * day;

/** Plans the deliveries about the bad crossing. All arrived but one, given up after its receiver was away for a day. */
export function planDeliveries(fleet: FleetPlan): void {
  const { now } = fleet;
  const rule = (fleet.rows("AlertRule") as AlertRule[]).find(
    ({ notificationUrl }) => notificationUrl === webhookOfBadCrossing,
  );
  const alerts = (fleet.rows("Alert") as Alert[]).filter(
    ({ alertRuleId, createdAt }) =>
      rule && alertRuleId === rule.id && createdAt.getTime() > now.getTime() - keptMs,
  );
  const givenUp = alerts.findLast(({ createdAt }) => createdAt.getTime() < now.getTime() - 2 * day);
  for (const { id: alertId, workspaceId, facilityId, cameraId, alertRuleId, createdAt } of alerts) {
    const isGivenUp = alertId === givenUp?.id;
    fleet.add("Delivery", {
      id: fleet.id(createdAt).replace(/-7/, "-4"),
      workspaceId,
      facilityId,
      cameraId,
      alertId,
      alertRuleId,
      kind: "ALERT",
      channel: "WEBHOOK",
      target: webhookOfBadCrossing,
      targetId: createHash("md5").update(`WEBHOOK ${webhookOfBadCrossing}`).digest("hex"),
      host,
      state: isGivenUp ? "PARKED" : "SENT",
      queuedAt: createdAt,
      attempts: isGivenUp ? 31 : 1,
      lastError: isGivenUp ? "The webhook responded with status 503" : null,
      createdAt,
      expiresAt: later(createdAt, day),
      sentAt: isGivenUp ? null : later(createdAt, second),
    });
  }
}
