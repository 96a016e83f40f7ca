import { Ctx, FieldResolver, Resolver, Root } from "type-graphql";
import { type CameraRow, cameraById } from "../camera/camera.loader.js";
import { Camera } from "../camera/camera.type.js";
import type { RequestContext } from "../operation/request-context.js";
import { DateTimeIso, Uuid } from "../platform/scalars.js";
import { ReadAhead, RequiresColumns, ReturnsLoaded } from "../reading/annotations.js";
import { computedColumn } from "../reading/computed-column.js";
import { loadReferenced } from "../reading/load-referenced.js";
import { Selected } from "../reading/selected-fields.js";
import type { Selection } from "../reading/selection.js";
import { type AlertRuleRow, alertRulesByCamera } from "./alert-rule.loader.js";
import { shownNotification } from "./alert-rule.service.js";
import { AlertRule, ApiNotification, RuleArea } from "./alert-rule.type.js";
import { areasOf, type RuleNode } from "./rule-tree.js";
import { timesAppliedBy } from "./rule-window.js";

@Resolver(() => AlertRule)
export class AlertRuleResolver {
  @RequiresColumns("timeRangeStart", "timeRangeEnd")
  @FieldResolver(() => [DateTimeIso], {
    nullable: true,
    description: `The start and end of the period in which the rule is active; null for no limit. ${timesAppliedBy}`,
  })
  timeRange(@Root() rule: AlertRuleRow): Date[] | null {
    return rule.timeRangeStart && rule.timeRangeEnd ? [rule.timeRangeStart, rule.timeRangeEnd] : null;
  }

  @RequiresColumns("notificationUrl", "notificationEnabled", "notificationSecret", "facilityId")
  @FieldResolver(() => ApiNotification, {
    nullable: true,
    description: "The webhook to which the rule's alerts are posted; null if there is none.",
  })
  apiNotification(@Ctx() context: RequestContext, @Root() rule: AlertRuleRow): ApiNotification | null {
    return shownNotification(context, rule);
  }

  @RequiresColumns("group")
  @FieldResolver(() => [RuleArea], {
    description: "The areas in the condition tree, in the order of the tree.",
  })
  areas(@Root() rule: AlertRuleRow): RuleArea[] {
    return areasOf(rule.group as unknown as RuleNode);
  }

  @ReturnsLoaded()
  @RequiresColumns("cameraId")
  @FieldResolver(() => Camera, { description: "The camera that the rule belongs to." })
  camera(
    @Ctx() context: RequestContext,
    @Selected() selection: Selection,
    @Root() rule: AlertRuleRow,
  ): Promise<CameraRow> {
    return loadReferenced(context, cameraById, selection, rule.cameraId as string);
  }
}

@Resolver(() => Camera)
export class CameraAlertRulesResolver {
  @RequiresColumns()
  @ReadAhead(alertRulesByCamera)
  @FieldResolver(() => [AlertRule], { description: "The camera's rules, ordered by name." })
  alertRules(
    @Ctx() context: RequestContext,
    @Selected() selection: Selection,
    @Root() camera: CameraRow,
  ): Promise<AlertRuleRow[]> {
    return alertRulesByCamera(context, selection).load(camera.id);
  }

  @RequiresColumns("alertRuleIds")
  @FieldResolver(() => [Uuid], {
    description: "The IDs of the camera's rules, in the order of `alertRules`.",
  })
  alertRuleIds(@Ctx() context: RequestContext, @Root() camera: CameraRow): string[] | Promise<string[]> {
    return computedColumn(context, cameraById, camera, "alertRuleIds");
  }
}
