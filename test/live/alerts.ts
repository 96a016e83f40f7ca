import { runInTransaction } from "../../src/engine/operation/transaction.js";
import type { CompleteFacility } from "../support/complete-facility.js";
import { createAlerts } from "../support/factories.js";
import type { Gateway } from "../support/harness.js";

/**
 * Creates alerts of a site's camera, emits their event as `recordAlerts` does, and
 * returns their ids.
 */
export async function raiseAlerts(
  gateway: Gateway,
  workspaceId: string,
  site: CompleteFacility,
  values: readonly object[],
): Promise<string[]> {
  const { facilityId, cameraId } = site;
  return runInTransaction(gateway.app, async (transaction, { emit }) => {
    const alerts = values.map((value) => ({ workspaceId, facilityId, cameraId, ...value }));
    const ids = await createAlerts(transaction as Gateway["prisma"], alerts);
    emit({ topic: "alertRaised", facilityId, cameraId, ids, subject: [] }, { workspaceId, now: new Date() });
    return ids;
  });
}
