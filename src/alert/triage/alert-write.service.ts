import { assertCan, type Permission } from "../../access/permissions.js";
import { type Alert, Prisma } from "../../generated/prisma/client.js";
import type { RequestContext } from "../../operation/request-context.js";
import type { WriteAccess } from "../../operation/write.js";
import { notFound } from "../../platform/errors.js";
import { scheduleAlertPictureRemoval } from "../pictures/annotated-picture.service.js";
import { emitChange } from "./alert-changes.js";

export type LockedAlert = Pick<
  Alert,
  "id" | "facilityId" | "cameraId" | "url" | "thumbnailUrl" | "bookmark" | "falsePositive"
> & { acknowledged: boolean };

/** The columns of {@link LockedAlert}, of the alias `item`. */
export const lockedColumns = Prisma.sql`
  item."id", item."facilityId", item."cameraId", item."url", item."thumbnailUrl", item."bookmark", item."falsePositive",
  item."acknowledgedAt" IS NOT NULL AS "acknowledged"`;

/**
 * Locks visible alerts in the order of their IDs, so that concurrent writers cannot
 * deadlock. Fails with NOT_FOUND if one is missing.
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
 * Deletes alerts with their pictures and comments, all or none. Requires alerts:delete at
 * the facility of every alert.
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
        action: "deleteAlerts",
        targetType: "Alert" as const,
        targetId: id,
        facilityId,
      })),
    );
    emitChange(write, "DELETED", alerts);
  });
  context.services.wakeWorkers();
  return uniqueIds;
}
