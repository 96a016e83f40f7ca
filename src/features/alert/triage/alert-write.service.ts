import { assertCan, type Permission } from "../../../engine/access/permissions.js";
import type { GatewayEvent } from "../../../engine/events/gateway-event.js";
import type { RequestContext } from "../../../engine/operation/request-context.js";
import { changedFields, isUnchanged, type WriteAccess } from "../../../engine/operation/write.js";
import { type Alert, Prisma } from "../../../generated/prisma/client.js";
import { notFound } from "../../../platform/errors/errors.js";
import { scheduleAlertPictureRemoval } from "../pictures/annotated-picture.service.js";
import type { AlertMarksInput } from "./alert-triage.input.js";
import { givenMarks, setMarks } from "./mark-changes.js";

export type LockedAlert = Pick<
  Alert,
  "id" | "facilityId" | "cameraId" | "url" | "thumbnailUrl" | "bookmark" | "falsePositive"
> & { acknowledged: boolean };

export const lockedColumns = Prisma.sql`
  item."id", item."facilityId", item."cameraId", item."url", item."thumbnailUrl", item."bookmark", item."falsePositive",
  item."acknowledgedAt" IS NOT NULL AS "acknowledged"`;

/**
 * Locks visible alerts in the order of their IDs, so that concurrent writers cannot deadlock. Fails with
 * NOT_FOUND if one is missing.
 */
export async function lockAlerts(
  write: WriteAccess,
  ids: readonly string[],
  needed: Permission,
): Promise<LockedAlert[]> {
  const alerts = await write.visible.query<LockedAlert>(
    (visible) => Prisma.sql`
      SELECT ${lockedColumns}
      FROM ${visible.alerts} AS item WHERE item."id" = ANY(${ids}::uuid[]) ORDER BY item."id" FOR UPDATE`,
  );
  if (alerts.length !== ids.length) throw notFound();
  for (const facilityId of new Set(alerts.map((alert) => alert.facilityId)))
    assertCan(write.caller, needed, facilityId);
  return alerts;
}

/**
 * Deletes alerts with their pictures and comments, all or none. Requires alerts:delete at the facility of
 * every alert.
 */
export async function deleteAlerts(context: RequestContext, ids: readonly string[]): Promise<string[]> {
  const uniqueIds = [...new Set(ids)];
  await context.write(async (write) => {
    const alerts = await lockAlerts(write, uniqueIds, "alerts:delete");
    const { workspaceId } = write.caller;
    await write.transaction.alert.deleteMany({ where: { workspaceId, id: { in: uniqueIds } } });
    await scheduleAlertPictureRemoval(write.transaction, workspaceId, alerts, write.now);
    write.audit(
      ...alerts.map(({ id, facilityId }) => ({
        targetType: "Alert" as const,
        targetId: id,
        facilityId,
      })),
    );
    write.emit({ topic: "workQueued" });
    emitChange(write, "DELETED", alerts);
  });
  return uniqueIds;
}

/** Sets or removes marks, all or none; returns the IDs without duplicates. Requires alerts:write at every facility. */
export async function markAlerts(
  context: RequestContext,
  ids: readonly string[],
  marks: AlertMarksInput,
): Promise<string[]> {
  const uniqueIds = [...new Set(ids)];
  const given = givenMarks(marks);
  await context.write(async (write) => {
    const alerts = await lockAlerts(write, uniqueIds, "alerts:write");
    const changes = alerts.map((alert) => ({ alert, changes: changedFields<object>(alert, given) }));
    const changed = changes.filter((each) => !isUnchanged(each.changes));
    if (changed.length === 0) return;
    await setMarks(
      write,
      changed.map(({ alert }) => alert.id),
      given,
    );
    write.audit(
      ...changed.map(({ alert: { id, facilityId }, changes }) => ({
        targetType: "Alert" as const,
        targetId: id,
        facilityId,
        changes,
      })),
    );
    emitChange(
      write,
      "MARKED",
      changed.map(({ alert }) => alert),
    );
  });
  return uniqueIds;
}

/** Emits one event for alerts that changed together: one per camera would be more than subscribers can take. */
export function emitChange(
  write: WriteAccess,
  change: NonNullable<GatewayEvent["change"]>,
  alerts: readonly Pick<Alert, "id" | "facilityId" | "cameraId">[],
): void {
  const places = alerts.map(({ facilityId, cameraId }) => ({ facilityId, cameraId }));
  write.emit({ topic: "alertChanged", places, change, ids: alerts.map(({ id }) => id) });
}
