import { can } from "../access/permissions.js";
import type { RequestContext } from "../operation/request-context.js";
import type { AlertRuleRow } from "./alert-rule.loader.js";
import type { ApiNotification } from "./alert-rule.type.js";

/**
 * What everybody may know of a webhook's URL: whoever knows all of it may be let in by
 * it.
 */
export const originOf = (url: string): string => new URL(url).origin;

/**
 * The rule's webhook; callers without alert-rules:write at its facility see the origin of
 * the URL only.
 */
export function shownNotification(context: RequestContext, rule: AlertRuleRow): ApiNotification | null {
  const { notificationUrl, notificationEnabled, notificationSecret, facilityId } = rule;
  if (notificationUrl == null) return null;
  const url = can(context.caller, "alert-rules:write", facilityId)
    ? notificationUrl
    : originOf(notificationUrl);
  return { url, enabled: notificationEnabled ?? false, hasSecret: notificationSecret != null };
}
