import { randomUUID } from "node:crypto";
import type { WriteAccess } from "../../engine/operation/write.js";
import { type AlertRule, Prisma } from "../../generated/prisma/client.js";
import { later } from "../../platform/time.js";
import {
  type ConfiguredChannels,
  channelNames,
  hostOf,
  targetIdOf,
  targetKey,
  targetsOfRule,
} from "./channels/delivery-channels.js";
import { lifetimeMs, queueIdOf } from "./outbox/delivery-queue.js";
import type { DeliveryChannel } from "./outbox/delivery-state.js";

interface RuleTarget {
  channel: DeliveryChannel;
  target: string;
}

/** The targets of a rule through channels that are set up, without duplicates. */
export const configuredTargets = (rule: AlertRule, channels: ConfiguredChannels): RuleTarget[] =>
  channelNames
    .filter((channel) => channels.has(channel))
    .flatMap((channel) => {
      const targets = targetsOfRule(channel, rule);
      const keys = targets.map((target) => targetKey(channel, target));
      return targets
        .filter((_, index) => keys.indexOf(keys[index] ?? "") === index)
        .map((target) => ({ channel, target }));
    });

/** Queues a test of a rule for each of its targets. Returns the ids of the deliveries in the same order. */
export async function queueTestDeliveries(
  { transaction, caller: { workspaceId }, now }: WriteAccess,
  { rule, facilityId, targets }: { rule: AlertRule; facilityId: string; targets: readonly RuleTarget[] },
): Promise<string[]> {
  const given = targets.map((target, position) => ({ ...target, id: randomUUID(), position }));
  const [channel, target] = [Prisma.sql`given."channel"`, Prisma.sql`given."target"`];
  const targetId = targetIdOf(channel, target);
  const ruleId = Prisma.sql`${rule.id}::uuid`;
  await transaction.$executeRaw(Prisma.sql`
    INSERT INTO "Delivery" ("id", "workspaceId", "facilityId", "cameraId", "alertRuleId", "kind", "channel", "target", "targetId", "queueId",
      "host", "queuedAt", "position", "createdAt", "expiresAt")
    SELECT given."id", ${workspaceId}::uuid, ${facilityId}::uuid, ${rule.cameraId}::uuid, ${ruleId}, 'TEST', ${channel}, ${target}, ${targetId},
      ${queueIdOf(Prisma.sql`'TEST'`, ruleId, targetId)}, ${hostOf(channel, target)},
      (SELECT clock_timestamp()), given."position", ${now}::timestamptz, ${later(now, lifetimeMs)}::timestamptz
    FROM jsonb_to_recordset(${JSON.stringify(given)}::jsonb) AS given("id" uuid, "channel" text, "target" text, "position" int)
    JOIN "AlertRule" AS rule ON rule."workspaceId" = ${workspaceId}::uuid AND rule."id" = ${rule.id}::uuid`);
  return given.map(({ id }) => id);
}
