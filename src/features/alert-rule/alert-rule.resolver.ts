import { can } from "../../engine/access/permissions.js";
import type { RequestContext } from "../../engine/operation/request-context.js";
import { ReadAhead } from "../../engine/reading/annotations.js";
import { computed, fieldsOf, reference } from "../../engine/reading/selection/fields.js";
import { DateTimeIso, Uuid } from "../../platform/input/scalars.js";
import { cameraById } from "../camera/camera.loader.js";
import { Camera } from "../camera/camera.type.js";
import { type AlertRuleRow, alertRulesByCamera } from "./alert-rule.loader.js";
import { AlertRule, ApiNotification, RuleArea } from "./alert-rule.type.js";
import { originOf } from "./alert-rule-write.service.js";
import { timesAppliedBy } from "./rule-texts.js";
import { areasOf, ruleNode } from "./rule-tree.js";

export const AlertRuleFields = fieldsOf<AlertRuleRow>(AlertRule, {
  timeRange: {
    type: () => [DateTimeIso],
    nullable: true,
    description: `The start and end of the period in which the rule is active; null for no limit. ${timesAppliedBy}`,
    columns: ["timeRangeStart", "timeRangeEnd"],
    resolve: ({ timeRangeStart: start, timeRangeEnd: end }) => (start && end ? [start, end] : null),
  },
  apiNotification: {
    type: () => ApiNotification,
    nullable: true,
    description: "The webhook to which the rule's alerts are posted; null if there is none.",
    columns: ["notificationUrl", "notificationEnabled", "notificationSecret", "facilityId"],
    resolve: (
      { notificationUrl, notificationEnabled, notificationSecret, facilityId },
      { caller }: RequestContext,
    ) =>
      notificationUrl == null
        ? null
        : {
            url: can(caller, "alert-rules:write", facilityId) ? notificationUrl : originOf(notificationUrl),
            enabled: notificationEnabled ?? false,
            hasSecret: notificationSecret != null,
          },
  },
  areas: {
    type: () => [RuleArea],
    description: "The areas in the condition tree, in the order of the tree.",
    columns: ["group"],
    resolve: ({ group }) => areasOf(ruleNode(group)),
  },
  camera: {
    type: () => Camera,
    description: "The camera that the rule belongs to.",
    ...reference("cameraId", cameraById),
  },
});

export const CameraAlertRuleFields = fieldsOf<{ id: string }>(Camera, {
  alertRules: {
    type: () => [AlertRule],
    description: "The camera's rules, ordered by name.",
    readAhead: ReadAhead(alertRulesByCamera),
    load: ({ id }, context, selection) => alertRulesByCamera(context, selection).load(id),
  },
  alertRuleIds: {
    type: () => [Uuid],
    description: "The IDs of the camera's rules, in the order of `alertRules`.",
    ...computed("alertRuleIds", cameraById),
  },
});
