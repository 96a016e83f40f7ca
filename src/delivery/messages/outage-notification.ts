import type { DeliveryContent } from "../outbox/delivery-content.js";
import type { OutageNotification } from "./notification.js";

/** What a message about an outage, or its end, tells. */
export function outageNotification(
  { delivery, facility, camera }: DeliveryContent,
  publicUrl: string,
): OutageNotification {
  const { id, name, effectiveTimeZoneId: timeZoneId } = facility;
  const kind = delivery.kind as OutageNotification["kind"];
  return {
    kind,
    facility: { id, name, timeZoneId },
    camera: camera && { id: camera.id, name: camera.name },
    at:
      kind === "FACILITY_OFFLINE"
        ? lastHeartbeatBefore(delivery.createdAt, facility.lastHeartbeatAt)
        : delivery.createdAt,
    consoleUrl: camera ? `${publicUrl}/?camera=${camera.id}` : `${publicUrl}/?facility=${id}`,
  };
}

/**
 * If the facility is back before the message could be sent, its last heartbeat is
 * another: then the time when it was found offline.
 */
const lastHeartbeatBefore = (foundAt: Date, lastHeartbeatAt: Date | null) =>
  lastHeartbeatAt && lastHeartbeatAt < foundAt ? lastHeartbeatAt : foundAt;
