import type { SignedLinks } from "../../../engine/storage/signed-link.js";
import { defined } from "../../../platform/defined.js";
import { annotatedUrl } from "../../alert/pictures/annotated-picture.service.js";
import { type NotificationContent, notifiedAlert } from "../outbox/delivery-content.js";
import type { AlertNotification } from "./notification.js";

export function alertNotification(
  content: NotificationContent,
  links: SignedLinks,
  publicUrl: string,
): AlertNotification {
  const { delivery, facility, alertRule } = content;
  const {
    id,
    workspaceId,
    name,
    alertRuleName,
    severity,
    observation,
    count,
    createdAt,
    url,
    isAnnotatable,
    clipKey,
  } = notifiedAlert(content);
  const camera = defined(content.camera);
  const isTest = delivery.kind === "TEST";
  return {
    alert: { id, name, alertRuleName, severity, observation, count, createdAt },
    camera: { id: camera.id, name: camera.name },
    facility: { id: facility.id, name: facility.name, timeZoneId: facility.effectiveTimeZoneId },
    alertRule: alertRule && {
      id: alertRule.id,
      name: alertRule.name,
      severity: alertRule.severity,
      pretty: alertRule.pretty,
    },
    consoleUrl: isTest ? `${publicUrl}/` : `${publicUrl}/?alert=${id}`,
    pictureUrl: isAnnotatable
      ? annotatedUrl(links, { workspaceId, alertId: id }, "week")
      : links.urlFor(url, "week"),
    clipUrl: links.urlFor(clipKey, "week"),
    isTest,
    readersTimeZone: content.readersTimeZone ?? facility.effectiveTimeZoneId,
  };
}
