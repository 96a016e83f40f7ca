import { contactsOf } from "../../facility/contact.js";
import type { NotificationContent } from "../outbox/delivery-content.js";
import type { OutageNotification } from "./notification.js";

export function outageNotification(
  { delivery, facility, camera, readersTimeZone }: NotificationContent,
  publicUrl: string,
): OutageNotification {
  const { id, name, effectiveTimeZoneId: timeZoneId } = facility;
  const kind = delivery.kind as OutageNotification["kind"];
  return {
    kind,
    facility: { id, name, timeZoneId },
    camera: camera && { id: camera.id, name: camera.name },
    contacts: [...contactsOf(camera?.contacts ?? []), ...contactsOf(facility.contacts)],
    note: camera?.note ?? null,
    at:
      kind === "FACILITY_OFFLINE"
        ? lastHeartbeatBefore(delivery.createdAt, facility.lastHeartbeatAt)
        : delivery.createdAt,
    consoleUrl: camera ? `${publicUrl}/?camera=${camera.id}` : `${publicUrl}/?view=fleet&facility=${id}`,
    readersTimeZone: readersTimeZone ?? timeZoneId,
  };
}

/** After a facility came back, its heartbeat is newer: the outage then began when it was found offline. */
const lastHeartbeatBefore = (foundAt: Date, lastHeartbeatAt: Date | null) =>
  lastHeartbeatAt && lastHeartbeatAt < foundAt ? lastHeartbeatAt : foundAt;
