import { runAnnounced } from "../../src/access/announced-transaction.js";
import type { GatewayEvent } from "../../src/platform/topics.js";
import type { Site } from "../access/fleet.js";
import { createAlerts } from "../support/factories.js";
import type { Gateway } from "../support/harness.js";

/** Records alerts of a site's camera and announces them, as a detector would; answers their ids. */
export async function raiseAlerts(gateway: Gateway, workspaceId: string, site: Site, values: readonly object[]): Promise<string[]> {
  const { facilityId, cameraId } = site;
  return runAnnounced(gateway.app, async (transaction, announce) => {
    const alerts = values.map((value) => ({ workspaceId, facilityId, cameraId, ...value }));
    const ids = await createAlerts(transaction as Gateway["prisma"], alerts);
    const event: GatewayEvent = { topic: "alertRaised", workspaceId, facilityId, cameraId, ids };
    announce(event);
    return ids;
  });
}
