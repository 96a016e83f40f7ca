import type { GraphQLResolveInfo } from "graphql";
import { Arg, Args, Ctx, FieldResolver, Info, Query, Resolver, Root } from "type-graphql";
import type { RequestContext } from "../access/request-context.js";
import { type AlertRuleRow, alertRuleById, alertRuleKeys } from "../alert-rule/alert-rule.loader.js";
import { AlertRule } from "../alert-rule/alert-rule.type.js";
import { type CameraRow, cameraById, cameraKeys } from "../camera/camera.loader.js";
import { Camera } from "../camera/camera.type.js";
import { type FacilityRow, facilityById, facilityKeys } from "../facility/facility.loader.js";
import { Facility } from "../facility/facility.type.js";
import { ArgumentRules } from "../platform/argument-rules.js";
import type { Connection } from "../platform/connection.js";
import { found } from "../platform/errors.js";
import { Uuid } from "../platform/scalars.js";
import { Follows, Reads, selectionOf } from "../platform/selection.js";
import { localTime } from "../platform/time.js";
import type { WorkspaceRow } from "../workspace/workspace.service.js";
import { Workspace } from "../workspace/workspace.type.js";
import { AlertCountArguments, AlertListArguments, alertCountArguments, alertListArguments, NestedAlertListArguments } from "./alert.input.js";
import { type AlertParent, type AlertRow, alertById, alertCounts, alertKeys, alertLists, lastAlertOfType } from "./alert.loader.js";
import { Alert, AlertConnection, AlertCount } from "./alert.type.js";

type AlertPage = Promise<Connection<AlertRow>>;

function alertsBelow(
  context: RequestContext,
  info: GraphQLResolveInfo,
  [parent, id]: [AlertParent, string],
  list: NestedAlertListArguments,
): AlertPage {
  return alertLists[parent](context, id, selectionOf(info, alertKeys), list);
}

@Resolver(() => Alert)
export class AlertResolver {
  @ArgumentRules(alertListArguments)
  @Query(() => AlertConnection, { description: "The alerts that the caller sees, newest first." })
  alerts(@Ctx() context: RequestContext, @Info() info: GraphQLResolveInfo, @Args(() => AlertListArguments) list: AlertListArguments): AlertPage {
    return alertsBelow(context, info, ["workspace", context.caller.workspaceId], list);
  }

  @Query(() => Alert, { nullable: true, description: "One alert; null when there is none of this id that the caller sees." })
  alert(@Ctx() context: RequestContext, @Info() info: GraphQLResolveInfo, @Arg("id", () => Uuid) id: string): Promise<AlertRow | null> {
    return alertById(context, selectionOf(info, alertKeys)).load(id);
  }

  @ArgumentRules(alertCountArguments)
  @Query(() => [AlertCount], { description: "How many alerts the caller sees per day, week or month, ascending." })
  alertCounts(@Ctx() context: RequestContext, @Args(() => AlertCountArguments) counts: AlertCountArguments): Promise<AlertCount[]> {
    return alertCounts(context, { parent: "workspace", ...counts }).load(context.caller.workspaceId);
  }

  @Reads("timeZoneId")
  @FieldResolver(() => String, { description: "`createdAt` in the facility's local time with its offset, such as 2026-11-20T12:30:00.000+03:00." })
  localCreatedAt(@Root() alert: AlertRow): string {
    return localTime(alert.createdAt, alert.timeZoneId as string);
  }

  @Reads("url")
  @FieldResolver(() => String, { nullable: true, description: "A link to the picture, good for an hour at least; null without one." })
  url(@Ctx() context: RequestContext, @Root() alert: AlertRow): string | null {
    return context.services.links.show(alert.url);
  }

  @Reads("thumbnailUrl")
  @FieldResolver(() => String, { nullable: true, description: "A link to a small picture, good for an hour at least; null without one." })
  thumbnailUrl(@Ctx() context: RequestContext, @Root() alert: AlertRow): string | null {
    return context.services.links.show(alert.thumbnailUrl);
  }

  @Reads("cameraId")
  @FieldResolver(() => Camera)
  async camera(@Ctx() context: RequestContext, @Info() info: GraphQLResolveInfo, @Root() alert: AlertRow): Promise<CameraRow> {
    return found(await cameraById(context, selectionOf(info, cameraKeys)).load(alert.cameraId as string));
  }

  @Reads("facilityId")
  @FieldResolver(() => Facility)
  async facility(@Ctx() context: RequestContext, @Info() info: GraphQLResolveInfo, @Root() alert: AlertRow): Promise<FacilityRow> {
    return found(await facilityById(context, selectionOf(info, facilityKeys)).load(alert.facilityId as string));
  }

  @Reads("alertRuleId")
  @FieldResolver(() => AlertRule, { nullable: true, description: "The rule that raised it; null without one, and when it is gone." })
  alertRule(@Ctx() context: RequestContext, @Info() info: GraphQLResolveInfo, @Root() alert: AlertRow): Promise<AlertRuleRow | null> | null {
    return alert.alertRuleId ? alertRuleById(context, selectionOf(info, alertRuleKeys)).load(alert.alertRuleId) : null;
  }
}

@Resolver(() => Workspace)
export class WorkspaceAlertsResolver {
  @Reads()
  @Follows(alertLists.workspace.pages)
  @ArgumentRules(alertListArguments)
  @FieldResolver(() => AlertConnection, { description: "The alerts of all facilities that the caller sees, newest first." })
  alerts(
    @Ctx() context: RequestContext,
    @Info() info: GraphQLResolveInfo,
    @Root() workspace: WorkspaceRow,
    @Args(() => NestedAlertListArguments) list: NestedAlertListArguments,
  ): AlertPage {
    return alertsBelow(context, info, ["workspace", workspace.id], list);
  }
}

@Resolver(() => Facility)
export class FacilityAlertsResolver {
  @Reads()
  @Follows(alertLists.facility.pages)
  @ArgumentRules(alertListArguments)
  @FieldResolver(() => AlertConnection, { description: "The facility's alerts, newest first." })
  alerts(
    @Ctx() context: RequestContext,
    @Info() info: GraphQLResolveInfo,
    @Root() facility: FacilityRow,
    @Args(() => NestedAlertListArguments) list: NestedAlertListArguments,
  ): AlertPage {
    return alertsBelow(context, info, ["facility", facility.id], list);
  }

  @Reads()
  @ArgumentRules(alertCountArguments)
  @FieldResolver(() => [AlertCount], { description: "How many alerts the facility had per day, week or month, ascending." })
  alertCounts(
    @Ctx() context: RequestContext,
    @Root() facility: FacilityRow,
    @Args(() => AlertCountArguments) counts: AlertCountArguments,
  ): Promise<AlertCount[]> {
    return alertCounts(context, { parent: "facility", ...counts }).load(facility.id);
  }
}

@Resolver(() => Camera)
export class CameraAlertsResolver {
  @Reads()
  @Follows(alertLists.camera.pages)
  @ArgumentRules(alertListArguments)
  @FieldResolver(() => AlertConnection, { description: "The camera's alerts, newest first." })
  alerts(
    @Ctx() context: RequestContext,
    @Info() info: GraphQLResolveInfo,
    @Root() camera: CameraRow,
    @Args(() => NestedAlertListArguments) list: NestedAlertListArguments,
  ): AlertPage {
    return alertsBelow(context, info, ["camera", camera.id], list);
  }

  @Reads()
  @Follows(lastAlertOfType)
  @FieldResolver(() => Alert, { nullable: true, description: "The camera's newest alert of a type; null when there was none." })
  lastAlert(
    @Ctx() context: RequestContext,
    @Info() info: GraphQLResolveInfo,
    @Root() camera: CameraRow,
    @Arg("type", () => String, { description: "The type of alert, as in `Alert.name`." }) type: string,
  ): Promise<AlertRow | null> {
    return lastAlertOfType(context, selectionOf(info, alertKeys), type).load(camera.id);
  }

  @Reads()
  @ArgumentRules(alertCountArguments)
  @FieldResolver(() => [AlertCount], { description: "How many alerts the camera had per day, week or month, ascending." })
  alertCounts(
    @Ctx() context: RequestContext,
    @Root() camera: CameraRow,
    @Args(() => AlertCountArguments) counts: AlertCountArguments,
  ): Promise<AlertCount[]> {
    return alertCounts(context, { parent: "camera", ...counts }).load(camera.id);
  }
}

@Resolver(() => AlertRule)
export class AlertRuleAlertsResolver {
  @Reads()
  @Follows(alertLists.alertRule.pages)
  @ArgumentRules(alertListArguments)
  @FieldResolver(() => AlertConnection, { description: "The alerts that the rule raised, newest first." })
  alerts(
    @Ctx() context: RequestContext,
    @Info() info: GraphQLResolveInfo,
    @Root() rule: AlertRuleRow,
    @Args(() => NestedAlertListArguments) list: NestedAlertListArguments,
  ): AlertPage {
    return alertsBelow(context, info, ["alertRule", rule.id], list);
  }
}
