import type { RequestContext } from "../../operation/request-context.js";
import { changedFields, isUnchanged } from "../../operation/write.js";
import { emitChange } from "./alert-changes.js";
import type { AlertMarksInput } from "./alert-marks.input.js";
import { lockAlerts } from "./alert-write.service.js";
import { givenMarks, setMarks } from "./mark-changes.js";

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
