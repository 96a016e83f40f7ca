import { assertCan, type Permission } from "../access/permissions.js";
import { type Alert, Prisma } from "../generated/prisma/client.js";
import { notFound, orNotFound } from "../platform/errors.js";
import type { Selection } from "../reading/selection.js";
import type { RequestContext } from "../request/request-context.js";
import { changedFields, isUnchanged, type WriteAccess } from "../request/write.js";
import { scheduleRemoval } from "../storage/object-removal.js";
import { type AlertRow, alertById } from "./alert.loader.js";

type LockedAlert = Pick<Alert, "id" | "facilityId" | "url" | "thumbnailUrl" | "bookmark" | "falsePositive">;

/** Locks visible alerts ordered by ID, so that concurrent writers cannot deadlock; NOT_FOUND if one is missing. */
async function lockAlerts(write: WriteAccess, ids: readonly string[], needed: Permission): Promise<LockedAlert[]> {
  const alerts = await write.visible.query<LockedAlert>(
    (visible) => Prisma.sql`
      SELECT item."id", item."facilityId", item."url", item."thumbnailUrl", item."bookmark", item."falsePositive"
      FROM ${visible.alerts} AS item WHERE item."id" = ANY(${ids}::uuid[]) ORDER BY item."id" FOR UPDATE`,
  );
  if (alerts.length !== ids.length) throw notFound();
  for (const facilityId of new Set(alerts.map((alert) => alert.facilityId))) assertCan(write.caller, needed, facilityId);
  return alerts;
}

/** Deletes alerts with their pictures, all or none. Requires alerts:delete at the facility of every alert. */
export async function deleteAlerts(context: RequestContext, ids: readonly string[]): Promise<string[]> {
  const uniqueIds = [...new Set(ids)];
  await context.write(async (write) => {
    const alerts = await lockAlerts(write, uniqueIds, "alerts:delete");
    const { workspaceId } = write.caller;
    await write.transaction.alert.deleteMany({ where: { workspaceId, id: { in: uniqueIds } } });
    await scheduleRemoval(
      write.transaction,
      workspaceId,
      alerts.flatMap(({ url, thumbnailUrl }) => [url, thumbnailUrl]),
      write.now,
    );
    await write.audit(...alerts.map(({ id, facilityId }) => ({ action: "deleteAlerts", targetType: "Alert" as const, targetId: id, facilityId })));
  });
  context.services.wakeWorkers();
  return uniqueIds;
}

/** Sets or removes a mark on an alert. Requires alerts:write. */
export async function markAlert(
  context: RequestContext,
  [action, id]: ["setAlertBookmark" | "setAlertFalsePositive", string],
  mark: { bookmark: boolean } | { falsePositive: boolean },
  selection: Selection,
): Promise<AlertRow> {
  await context.write(async (write) => {
    const [before] = await lockAlerts(write, [id], "alerts:write");
    if (!before) throw notFound();
    const changes = changedFields<object>(before, mark);
    if (isUnchanged(changes)) return;
    const { now, caller } = write;
    const changedBy =
      "bookmark" in mark
        ? { bookmarkChangedById: caller.id, bookmarkChangedAt: now }
        : { falsePositiveChangedById: caller.id, falsePositiveChangedAt: now };
    await write.transaction.alert.update({ where: write.key(id), data: { ...mark, ...changedBy } });
    await write.audit({ action, targetType: "Alert", targetId: id, facilityId: before.facilityId, changes });
  });
  return orNotFound(await alertById(context, selection).load(id));
}
