import type { GatewayEvent } from "../../events/gateway-event.js";
import type { Alert } from "../../generated/prisma/client.js";
import type { WriteAccess } from "../../operation/write.js";

/**
 * Emits one event for alerts that changed together: one event per camera would be more
 * than subscribers can take.
 */
export function emitChange(
  write: WriteAccess,
  change: NonNullable<GatewayEvent["change"]>,
  alerts: readonly Pick<Alert, "id" | "facilityId" | "cameraId">[],
): void {
  const places = alerts.map(({ facilityId, cameraId }) => ({ facilityId, cameraId }));
  write.emit({ topic: "alertChanged", places, change, ids: alerts.map(({ id }) => id) });
}
