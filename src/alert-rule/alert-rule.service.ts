import { can } from "../access/permissions.js";
import type { RequestContext } from "../operation/request-context.js";
import type { AlertRuleRow } from "./alert-rule.loader.js";
import type { ApiNotification } from "./alert-rule.type.js";

/** The public part of a webhook's URL. The whole URL may grant access. */
export const originOf = (url: string): string => new URL(url).origin;

/**
 * The webhook of a rule. Callers without alert-rules:write at its facility see only the
 * origin of the URL.
 */
export function shownNotification(context: RequestContext, rule: AlertRuleRow): ApiNotification | null {
  const { notificationUrl, notificationEnabled, notificationSecret, facilityId } = rule;
  if (notificationUrl == null) return null;
  const url = can(context.caller, "alert-rules:write", facilityId)
    ? notificationUrl
    : originOf(notificationUrl);
  return { url, enabled: notificationEnabled ?? false, hasSecret: notificationSecret != null };
}
