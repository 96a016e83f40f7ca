import { Prisma } from "../generated/prisma/client.js";
import type { FeatureSettings } from "../operation/gateway-services.js";
import type { RecordedAlert } from "../operation/notifications.js";
import type { WriteAccess } from "../operation/write.js";
import { hostOf, lifetimeMs, queueIdOf, targetIdOf } from "./outbox/delivery-queue.js";

/**
 * The maximum age of an alert that anyone hears about. Older alerts are imported history.
 */
const maxAgeMs = 24 * 3_600_000;
/** The channels that are set up, besides webhooks. */
export type ConfiguredChannels = FeatureSettings["deliveryChannels"];

/**
 * Queues deliveries of the recorded alerts to everyone that their rules and cameras name,
 * in the same transaction. Each address receives each alert once, in the order in which
 * the alerts happened. Observations go only to webhooks. Nobody is told of what happened
 * while the camera or the rule was snoozed.
 */
export function queueAlertDeliveries(
  write: WriteAccess,
  alerts: readonly RecordedAlert[],
  channels: ConfiguredChannels,
): void {
  const { caller, now } = write;
  const since = now.getTime() - maxAgeMs;
  const recent = alerts
    .filter(({ createdAt }) => createdAt.getTime() > since)
    .sort((one, other) => Number(one.createdAt) - Number(other.createdAt));
  if (recent.length === 0) return;
  const ofWorkspace = Prisma.sql`"workspaceId" = ${caller.workspaceId}::uuid`;
  const given = recent.map((alert, position) => ({ ...alert, position }));
  const [channel, name] = [Prisma.sql`named."channel"`, Prisma.sql`named."name"`];
  const isActive = Prisma.sql`rule."status" = 'ACTIVE'`;
  const isSnoozed = (what: Prisma.Sql) =>
    Prisma.sql`(given."createdAt" >= ${what}."snoozedAt" AND given."createdAt" < ${what}."snoozedUntil") IS TRUE`;
  const subjectId = Prisma.sql`coalesce(given."alertRuleId", given."cameraId")`;
  // OFFSET makes PostgreSQL find the targets of a rule once for all of its alerts.
  write.send(Prisma.sql`
    INSERT INTO "Delivery" ("id", "workspaceId", "facilityId", "cameraId", "alertId", "alertRuleId", "kind", "channel", "target", "targetId", "queueId",
      "host", "queuedAt", "position", "createdAt", "expiresAt")
    SELECT gen_random_uuid(), ${caller.workspaceId}::uuid, camera."facilityId", camera."id", given."id", given."alertRuleId", 'ALERT',
      target."channel", target."name", target."id", ${queueIdOf(Prisma.sql`'ALERT'`, subjectId, Prisma.sql`target."id"`)}, target."host",
      (SELECT clock_timestamp()), given."position", ${now}::timestamptz, ${new Date(now.getTime() + lifetimeMs)}::timestamptz
    FROM jsonb_to_recordset(${JSON.stringify(given)}::jsonb) AS given("id" uuid, "cameraId" uuid, "alertRuleId" uuid, "createdAt" timestamptz, "position" int)
    JOIN "Camera" AS camera ON camera.${ofWorkspace} AND camera."id" = given."cameraId"
    LEFT JOIN "AlertRule" AS rule ON rule.${ofWorkspace} AND rule."id" = given."alertRuleId"
    CROSS JOIN LATERAL (SELECT ${channel}, ${name}, ${targetIdOf(channel, name)} AS "id", ${hostOf(channel, name)} AS "host" FROM (
      SELECT 'WEBHOOK' AS "channel", rule."notificationUrl" AS "name"
        WHERE ${isActive} AND rule."notificationEnabled" AND rule."notificationUrl" IS NOT NULL
      UNION ALL
      (SELECT DISTINCT ON (lower(address."name" COLLATE "C")) 'EMAIL', address."name"
        FROM unnest(CASE WHEN ${isActive} THEN rule."emails" ELSE '{}' END || camera."emailAddresses") AS address("name")
        WHERE ${channels.email} AND rule."observation" IS NOT TRUE ORDER BY lower(address."name" COLLATE "C"), address."name")
      UNION ALL
      SELECT DISTINCT 'SMS', number."name" FROM unnest(rule."phoneNumbers") AS number("name")
        WHERE ${channels.sms} AND ${isActive} AND NOT rule."observation"
    ) AS named OFFSET 0) AS target
    WHERE NOT ${isSnoozed(Prisma.sql`camera`)} AND NOT ${isSnoozed(Prisma.sql`rule`)}
    ORDER BY given."position"`);
}
