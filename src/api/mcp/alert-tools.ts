import { z } from "zod";
import {
  type AlertDimension,
  ToolAlertDetailsDocument,
  type ToolAlertFragment,
  ToolAlertsDocument,
  ToolStatisticsDocument,
} from "../../generated/operations.js";
import { notFound } from "../../platform/errors/errors.js";
import { keysOf } from "../../platform/record.js";
import { alertArguments, alertFilter, hintForNone, id } from "./alert-arguments.js";
import { plainJson, time, untrusted } from "./result-texts.js";
import { itemsFrom, itemsOf, maxItems, tool } from "./tool.js";

const alertItem = ({ facility, camera, ...alert }: ToolAlertFragment) => ({
  alert_id: alert.id,
  at: { local: alert.localCreatedAt, utc: alert.createdAt },
  camera_id: camera.id,
  facility_id: facility.id,
  alert_rule_id: alert.alertRuleId ?? undefined,
  objects: alert.count,
  acknowledged: time(alert.acknowledgedAt, facility.effectiveTimeZoneId),
  ...(alert.falsePositive && { is_false_positive: true }),
  ...(alert.observation && { is_observation: true }),
  ...(alert.bookmark && { is_bookmarked: true }),
  ...untrusted({
    type: alert.name,
    severity: alert.severity,
    camera: camera.name,
    facility: facility.name,
  }),
});

const listAlerts = tool({
  name: "list_alerts",
  title: "List alerts",
  description:
    "Lists what happened: the alerts of a period, newest first, with their total number, and for each the time, camera, facility, type, severity, and whether somebody has acknowledged it. get_alert shows the picture of one.",
  operation: ToolAlertsDocument,
  hasPages: true,
  input: alertArguments,
  variables: (given, circumstances) => ({
    filter: alertFilter(given, circumstances),
    first: maxItems,
    after: circumstances.position ?? null,
  }),
  toResult: ({ alerts }, given) => ({
    facts: { total: alerts.totalCount, ...hintForNone(alerts.totalCount, given) },
    ...itemsOf(alerts, alertItem),
  }),
});

const getAlert = tool({
  name: "get_alert",
  title: "Show an alert",
  description:
    "Shows one alert with its picture, on which the area and the objects are drawn, what the rule looks for, and the comments of users, newest first.",
  operation: ToolAlertDetailsDocument,
  hasPages: true,
  input: { alert_id: id("The alert; list_alerts tells ids") },
  variables: ({ alert_id }, { position }) => ({ id: alert_id, comments: maxItems, after: position ?? null }),
  toResult: ({ alert }, _given, { position }) => {
    if (!alert) throw notFound();
    const { comments, workspaceId, url, proxiedUrl, annotatedUrl, info, ...others } = alert;
    const zone = alert.facility.effectiveTimeZoneId;
    return {
      facts: {
        alert: alertItem(others),
        ...untrusted(
          {
            rule: alert.alertRule?.pretty,
            acknowledged_by: alert.acknowledgedBy?.fullName,
            details: info && plainJson(info),
          },
          2_000,
        ),
      },
      ...itemsOf(comments, (comment) => ({
        comment_id: comment.id,
        written: time(comment.createdAt, zone),
        ...untrusted({ author: comment.authorName, comment: comment.text }, 2_000),
      })),
      // The pages after the first are for more comments.
      ...(position === undefined && {
        pictured: { workspaceId, alertId: alert.id, url, proxiedUrl, annotatedUrl },
      }),
    };
  },
});

const dimensions = {
  facility: "FACILITY",
  camera: "CAMERA",
  type: "TYPE",
  severity: "SEVERITY",
  alert_rule: "ALERT_RULE",
  day: "DAY",
  week: "WEEK",
  month: "MONTH",
  day_of_week: "DAY_OF_WEEK",
  hour_of_day: "HOUR_OF_DAY",
} as const satisfies Record<string, AlertDimension>;
const dimensionNames = keysOf(dimensions);

const alertStatistics = tool({
  name: "alert_statistics",
  title: "Count alerts",
  description:
    "Counts alerts by one to three dimensions, such as type and day, instead of listing them. Days, weeks and hours are those of each facility's clock; day_of_week is 1, Monday, to 7, Sunday. Prefer it to list_alerts for “how many” and for long periods.",
  operation: ToolStatisticsDocument,
  hasPages: true,
  input: {
    ...alertArguments,
    group_by: z
      .array(z.enum(dimensionNames, `must be one of ${dimensionNames.join(", ")}`))
      .min(1, "must name a dimension")
      .max(3, "must name at most 3 dimensions")
      .describe("What to count by; at most one of day, week and month"),
  },
  variables: ({ group_by, ...given }, circumstances) => ({
    filter: alertFilter(given, circumstances),
    groupBy: group_by.map((dimension) => dimensions[dimension]),
  }),
  toResult: ({ alertStatistics }, given, circumstances) => ({
    facts: {
      total_alerts: alertStatistics.reduce((sum, { count }) => sum + count, 0),
      total: alertStatistics.length,
      ...hintForNone(alertStatistics.length, given),
    },
    ...itemsFrom(
      alertStatistics,
      (group) => ({
        count: group.count,
        period: group.period ?? undefined,
        day_of_week: group.dayOfWeek ?? undefined,
        hour_of_day: group.hourOfDay ?? undefined,
        alert_rule_id: group.alertRuleId ?? undefined,
        facility_id: group.facility?.id,
        camera_id: group.camera?.id,
        ...untrusted({
          type: group.type,
          severity: group.severity,
          facility: group.facility?.name,
          camera: group.camera?.name,
        }),
      }),
      circumstances,
    ),
  }),
});

export const alertTools = [listAlerts, getAlert, alertStatistics];
