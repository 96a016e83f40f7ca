import { assertCan } from "../../engine/access/permissions.js";
import type { RequestContext } from "../../engine/operation/request-context.js";
import { changedFields, type WriteAccess } from "../../engine/operation/write.js";
import type { Selection } from "../../engine/reading/selection/selection.js";
import { type Delivery, Prisma } from "../../generated/prisma/client.js";
import { notFound, ServiceError } from "../../platform/errors/errors.js";
import { later } from "../../platform/time.js";
import { lockRule } from "../alert-rule/alert-rule-write.service.js";
import { type DeliveryRow, deliveryById } from "./delivery.loader.js";
import { managingPermission } from "./delivery-access.js";
import { lifetimeMs, queueAgain, resumeTargets } from "./outbox/delivery-queue.js";
import { configuredTargets, queueTestDeliveries } from "./test-deliveries.js";

const testIntervalMs = 60_000;

type LockedDelivery = Pick<Delivery, "id" | "facilityId" | "state" | "targetId">;

/**
 * Sends deliveries again, all or none. Requires alert-rules:write at the facility of every delivery, and users:write in
 * the workspace for mails to people.
 */
export async function redeliver(
  context: RequestContext,
  ids: readonly string[],
  selection: Selection,
): Promise<DeliveryRow[]> {
  const uniqueIds = [...new Set(ids)];
  await context.write(async (write) => {
    const deliveries = await lockDeliveries(write, uniqueIds);
    const { transaction, now, caller } = write;
    const { workspaceId } = caller;
    const ended = deliveries.filter(({ state }) => state !== "PENDING").map(({ id }) => id);
    await queueAgain(transaction, {
      workspaceId,
      ids: ended,
      expiresAt: later(now, lifetimeMs),
    });
    await resumeTargets(transaction, {
      workspaceId,
      targetIds: [...new Set(deliveries.map(({ targetId }) => targetId))],
    });
    write.audit(
      ...deliveries.map(({ id, facilityId, state }) => ({
        targetType: "Delivery" as const,
        targetId: id,
        ...(facilityId !== null && { facilityId }),
        ...(state !== "PENDING" && { changes: changedFields({ state }, { state: "PENDING" }) }),
      })),
    );
  });
  return readThenSend(context, uniqueIds, selection);
}

/**
 * Locks visible deliveries in the order of their IDs, so that concurrent writers cannot deadlock. Fails with
 * NOT_FOUND if one is missing.
 */
async function lockDeliveries(write: WriteAccess, ids: readonly string[]): Promise<LockedDelivery[]> {
  const deliveries = await write.visible.query<LockedDelivery>(
    (visible) => Prisma.sql`
      SELECT item."id", item."facilityId", item."state", item."targetId"
      FROM ${visible.deliveries} AS item WHERE item."id" = ANY(${ids}::uuid[]) ORDER BY item."id" FOR UPDATE`,
  );
  if (deliveries.length !== ids.length) throw notFound();
  for (const facilityId of new Set(deliveries.map((delivery) => delivery.facilityId)))
    assertCan(write.caller, ...managingPermission(facilityId));
  return deliveries;
}

/**
 * Sends a test to each target of a rule, at most once a minute. Requires alert-rules:write at its camera's
 * facility.
 */
export async function sendTestDelivery(
  context: RequestContext,
  alertRuleId: string,
  selection: Selection,
): Promise<DeliveryRow[]> {
  const { deliveryChannels } = context.services.settings;
  const ids = await context.write(async (write) => {
    const { rule, facilityId } = await lockRule(write, alertRuleId);
    const targets = configuredTargets(rule, deliveryChannels);
    if (targets.length === 0) {
      throw new ServiceError(
        "CONFLICT",
        "The rule has no enabled webhook, and no address or number for a channel that is set up",
      );
    }
    await assertNotTested(write, rule.id);
    write.auditChange("AlertRule", { id: rule.id, facilityId });
    return queueTestDeliveries(write, { rule, facilityId, targets });
  });
  return readThenSend(context, ids, selection);
}

/** Fails if someone tested the rule less than a minute ago. The caller holds a lock on the rule. */
async function assertNotTested(
  { transaction, caller: { workspaceId }, now }: WriteAccess,
  alertRuleId: string,
): Promise<void> {
  const since = later(now, -testIntervalMs);
  const last = await transaction.delivery.findFirst({
    where: { workspaceId, alertRuleId, kind: "TEST", createdAt: { gt: since } },
    orderBy: { createdAt: "desc" },
    select: { createdAt: true },
  });
  if (!last) return;
  const retryAfter = Math.ceil((last.createdAt.getTime() - since.getTime()) / 1000);
  throw new ServiceError(
    "RATE_LIMITED",
    `The rule was tested less than a minute ago; try again in ${retryAfter} s`,
    { retryAfter },
  );
}

/** Reads deliveries as queued, and then has them sent. Another instance may already have dropped unwanted ones. */
async function readThenSend(
  context: RequestContext,
  ids: readonly string[],
  selection: Selection,
): Promise<DeliveryRow[]> {
  try {
    const deliveries = await Promise.all(ids.map((id) => deliveryById(context, selection).load(id)));
    return deliveries.filter((delivery) => delivery !== null);
  } finally {
    // Wakes the dispatcher, which remembers how long targets wait, and would not ask sooner on its own.
    context.services.events.announceWork(context.caller.workspaceId);
  }
}
