import type { SignedLinks } from "../../../engine/storage/signed-link.js";
import { annotatedUrl } from "../../alert/pictures/annotated-picture.service.js";
import { fullAlert } from "../../alert/recording/full-alert.js";
import { type NotificationContent, type NotifiedAlert, notifiedAlert } from "../outbox/delivery-content.js";

/**
 * The body of a request about an alert or a test: the alert as REST shows it, with its camera, facility and rule. That
 * about a clip has the link alone, which is null if there is none.
 */
export function webhookBody(content: NotificationContent, links: SignedLinks): string {
  const { delivery, facility, camera, alertRule } = content;
  const alert = notifiedAlert(content);
  if (delivery.kind === "CLIP")
    return JSON.stringify({
      type: "alert.clip",
      timestamp: delivery.createdAt,
      data: { alertId: alert.id, clipUrl: links.urlFor(alert.clipKey, "week") },
    });
  const isTest = delivery.kind === "TEST";
  return JSON.stringify({
    type: isTest ? "alert.test" : "alert.raised",
    timestamp: delivery.createdAt,
    data: {
      ...alertFields(alert, facility.effectiveTimeZoneId, links),
      camera: camera && { id: camera.id, name: camera.name },
      facility: { id: facility.id, name: facility.name, timeZoneId: facility.timeZoneId },
      alertRule: alertRule && {
        id: alertRule.id,
        name: alertRule.name,
        severity: alertRule.severity,
        pretty: alertRule.pretty,
      },
    },
  });
}

function alertFields(alert: NotifiedAlert, timeZoneId: string, links: SignedLinks) {
  return {
    ...fullAlert(alert, timeZoneId, links),
    severity: alert.severity,
    observation: alert.observation,
    alertRuleName: alert.alertRuleName,
    annotatedUrl: alert.isAnnotatable
      ? annotatedUrl(links, { workspaceId: alert.workspaceId, alertId: alert.id }, "week")
      : null,
  };
}
