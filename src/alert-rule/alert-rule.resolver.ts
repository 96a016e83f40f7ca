import type { GraphQLResolveInfo } from "graphql";
import { Ctx, FieldResolver, Info, Resolver, Root } from "type-graphql";
import type { RequestContext } from "../access/request-context.js";
import { type CameraRow, cameraById, cameraKeys } from "../camera/camera.loader.js";
import { Camera } from "../camera/camera.type.js";
import { found } from "../platform/errors.js";
import { DateTimeIso, Uuid } from "../platform/scalars.js";
import { columnsAlone, Follows, Reads, selectionOf } from "../platform/selection.js";
import { type AlertRuleRow, alertRuleKeys, alertRulesByCamera } from "./alert-rule.loader.js";
import { AlertRule, ApiNotification, RuleArea } from "./alert-rule.type.js";
import { areasOf, type RuleNode } from "./rule-tree.js";

@Resolver(() => AlertRule)
export class AlertRuleResolver {
  @Reads("timeRangeStart", "timeRangeEnd")
  @FieldResolver(() => [DateTimeIso], { nullable: true, description: "From when to when the rule is in force: two moments; null for always." })
  timeRange(@Root() rule: AlertRuleRow): Date[] | null {
    return rule.timeRangeStart && rule.timeRangeEnd ? [rule.timeRangeStart, rule.timeRangeEnd] : null;
  }

  @Reads("notificationUrl", "notificationEnabled", "notificationSecret")
  @FieldResolver(() => ApiNotification, { nullable: true, description: "Where alerts are posted; null for nowhere." })
  apiNotification(@Root() rule: AlertRuleRow): ApiNotification | null {
    if (rule.notificationUrl == null) return null;
    return { url: rule.notificationUrl, enabled: rule.notificationEnabled ?? false, hasSecret: rule.notificationSecret != null };
  }

  @Reads("group")
  @FieldResolver(() => [RuleArea], { description: "The polygons in the tree of conditions." })
  areas(@Root() rule: AlertRuleRow): RuleArea[] {
    return areasOf(rule.group as unknown as RuleNode);
  }

  @Reads("cameraId")
  @FieldResolver(() => Camera)
  async camera(@Ctx() context: RequestContext, @Info() info: GraphQLResolveInfo, @Root() rule: AlertRuleRow): Promise<CameraRow> {
    return found(await cameraById(context, selectionOf(info, cameraKeys)).load(rule.cameraId as string));
  }
}

const ruleIds = columnsAlone(alertRuleKeys);

@Resolver(() => Camera)
export class CameraAlertRulesResolver {
  @Reads()
  @Follows(alertRulesByCamera)
  @FieldResolver(() => [AlertRule], { description: "The camera's rules, by name." })
  alertRules(@Ctx() context: RequestContext, @Info() info: GraphQLResolveInfo, @Root() camera: CameraRow): Promise<AlertRuleRow[]> {
    return alertRulesByCamera(context, selectionOf(info, alertRuleKeys)).load(camera.id);
  }

  @Reads()
  @Follows(alertRulesByCamera)
  @FieldResolver(() => [Uuid], { description: "The ids of the camera's rules, in the order of `alertRules`." })
  async alertRuleIds(@Ctx() context: RequestContext, @Root() camera: CameraRow): Promise<string[]> {
    const rules = await alertRulesByCamera(context, ruleIds).load(camera.id);
    return rules.map((rule) => rule.id);
  }
}
