import type { Prisma } from "../../generated/prisma/client.js";
import type { RequestContext } from "../../operation/request-context.js";
import { changedFields, isUnchanged } from "../../operation/write.js";
import { emitChange } from "./alert-changes.js";
import type { AlertMarksInput } from "./alert-marks.input.js";
import { lockAlerts } from "./alert-write.service.js";

type Mark = keyof AlertMarksInput;

/** The column values of a changed mark. */
const changeOf: Record<
  Mark,
  (value: boolean, changedById: string, changedAt: Date) => Prisma.AlertUpdateManyMutationInput
> = {
  bookmark: (bookmark, bookmarkChangedById, bookmarkChangedAt) => ({
    bookmark,
    bookmarkChangedById,
    bookmarkChangedAt,
  }),
  falsePositive: (falsePositive, falsePositiveChangedById, falsePositiveChangedAt) => ({
    ...{ falsePositive, falsePositiveChangedById, falsePositiveChangedAt },
  }),
  acknowledged: (acknowledged, acknowledgedById, acknowledgedAt) =>
    acknowledged ? { acknowledgedById, acknowledgedAt } : { acknowledgedById: null, acknowledgedAt: null },
};

/**
 * Sets or removes marks on alerts, all or none, and returns the IDs without duplicates.
 * Stores who changed a mark, and when. Requires alerts:write at the facility of every
 * alert.
 */
export async function markAlerts(
  context: RequestContext,
  action: "markAlerts" | "setAlertBookmark" | "setAlertFalsePositive",
  ids: readonly string[],
  marks: AlertMarksInput,
): Promise<string[]> {
  const uniqueIds = [...new Set(ids)];
  const given = Object.entries(marks).filter((entry): entry is [Mark, boolean] => entry[1] != null);
  const values = Object.fromEntries(given);
  await context.write(async (write) => {
    const alerts = await lockAlerts(write, uniqueIds, "alerts:write");
    const { transaction, caller, now } = write;
    for (const [mark, value] of given) {
      const changed = alerts.filter((alert) => alert[mark] !== value).map(({ id }) => id);
      if (changed.length === 0) continue;
      const where = { workspaceId: caller.workspaceId, id: { in: changed } };
      await transaction.alert.updateMany({ where, data: changeOf[mark](value, caller.id, now) });
    }
    const changes = alerts.map((alert) => ({ alert, changes: changedFields<object>(alert, values) }));
    const changed = changes.filter((each) => !isUnchanged(each.changes));
    if (changed.length === 0) return;
    write.audit(
      ...changed.map(({ alert: { id, facilityId }, changes }) => ({
        action,
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
