import type { RecordedAlert } from "../../engine/events/gateway-event.js";
import { Prisma } from "../../generated/prisma/client.js";
import { later } from "../../platform/time.js";
import { snoozesOfRule } from "../alert-rule/snooze.service.js";
import { type ConfiguredChannels, hostOf, namedTargets, targetIdOf } from "./channels/delivery-channels.js";
import { lifetimeMs, queueIdOf } from "./outbox/delivery-queue.js";

/** The maximum age of an alert that anyone hears about, in milliseconds. Older alerts are imported history. */
const maxAgeMs = 24 * 3_600_000;

/**
 * Queues deliveries of the recorded alerts to everyone that their rules and cameras name. Each address receives each
 * alert once, in the order in which the alerts happened. Observations go only to webhooks. Nobody is told of what
 * happened while the rule, the camera or the facility was snoozed.
 */
export function alertDeliveries(
  alerts: readonly RecordedAlert[],
  { workspaceId, now }: { workspaceId: string; now: Date },
  channels: ConfiguredChannels,
): Prisma.Sql[] {
  const since = now.getTime() - maxAgeMs;
  const recent = alerts
    .filter(({ createdAt }) => createdAt.getTime() > since)
    .sort((one, other) => Number(one.createdAt) - Number(other.createdAt));
  if (recent.length === 0) return [];
  const ofWorkspace = Prisma.sql`"workspaceId" = ${workspaceId}::uuid`;
  const given = recent.map((alert, position) => ({ ...alert, position }));
  const [channel, name] = [Prisma.sql`named."channel"`, Prisma.sql`named."name"`];
  const subjectId = Prisma.sql`coalesce(given."alertRuleId", given."cameraId")`;
  // OFFSET makes PostgreSQL find the targets of a rule once for all of its alerts.
  return [
    Prisma.sql`
    INSERT INTO "Delivery" ("id", "workspaceId", "facilityId", "cameraId", "alertId", "alertRuleId", "kind", "channel", "target", "targetId", "queueId",
      "host", "queuedAt", "position", "createdAt", "expiresAt")
    SELECT gen_random_uuid(), ${workspaceId}::uuid, camera."facilityId", camera."id", given."id", given."alertRuleId", 'ALERT',
      target."channel", target."name", target."id", ${queueIdOf(Prisma.sql`'ALERT'`, subjectId, Prisma.sql`target."id"`)}, target."host",
      (SELECT clock_timestamp()), given."position", ${now}::timestamptz, ${later(now, lifetimeMs)}::timestamptz
    FROM jsonb_to_recordset(${JSON.stringify(given)}::jsonb) AS given("id" uuid, "cameraId" uuid, "alertRuleId" uuid, "createdAt" timestamptz, "position" int)
    JOIN "Camera" AS camera ON camera.${ofWorkspace} AND camera."id" = given."cameraId"
    JOIN "Facility" AS facility ON facility.${ofWorkspace} AND facility."id" = camera."facilityId"
    LEFT JOIN "AlertRule" AS rule ON rule.${ofWorkspace} AND rule."id" = given."alertRuleId"
    CROSS JOIN LATERAL (SELECT ${channel}, ${name}, ${targetIdOf(channel, name)} AS "id", ${hostOf(channel, name)} AS "host"
      FROM (${namedTargets(channels)}) AS named OFFSET 0) AS target
    WHERE NOT EXISTS (SELECT FROM ${snoozesOfRule} WHERE given."createdAt" >= snooze."from" AND given."createdAt" < snooze."until")
    ORDER BY given."position"`,
  ];
}

/** Queues deliveries of clips that are READY or FAILED to the webhooks that hear of their alerts, after these. */
export function clipDeliveries(
  alertIds: readonly string[],
  { workspaceId, now }: { workspaceId: string; now: Date },
): Prisma.Sql {
  const subjectId = Prisma.sql`coalesce("alertRuleId", "cameraId")`;
  const copied = Prisma.sql`"workspaceId", "facilityId", "cameraId", "alertId", "alertRuleId", "channel", "target", "targetId", "host"`;
  return Prisma.sql`
    INSERT INTO "Delivery" ("id", ${copied}, "kind", "queueId", "queuedAt", "createdAt", "expiresAt")
    SELECT gen_random_uuid(), ${copied}, 'CLIP', ${queueIdOf(Prisma.sql`'CLIP'`, subjectId, Prisma.sql`"targetId"`)},
      (SELECT clock_timestamp()), ${now}::timestamptz, ${later(now, lifetimeMs)}::timestamptz
    FROM "Delivery"
    WHERE "workspaceId" = ${workspaceId}::uuid AND "alertId" = ANY(${[...alertIds]}::uuid[]) AND "kind" = 'ALERT' AND "channel" = 'WEBHOOK'`;
}
