import { Arg, Ctx, FieldResolver, Query, Resolver, Root } from "type-graphql";
import { type AlertRuleRow, alertRuleById } from "../alert-rule/alert-rule.loader.js";
import { AlertRule } from "../alert-rule/alert-rule.type.js";
import { type CameraRow, cameraById } from "../camera/camera.loader.js";
import { Camera } from "../camera/camera.type.js";
import { type FacilityRow, facilityById } from "../facility/facility.loader.js";
import { Facility } from "../facility/facility.type.js";
import type { RequestContext } from "../operation/request-context.js";
import { idToFind, linkTo } from "../platform/descriptions.js";
import { CheckedArgs } from "../platform/input-type.js";
import { Uuid } from "../platform/scalars.js";
import { localTime } from "../platform/time.js";
import { Costs, ReadAhead, RequiresColumns, ReturnsLoaded } from "../reading/annotations.js";
import type { Connection } from "../reading/connection.js";
import { loadReferenced } from "../reading/load-referenced.js";
import { Selected } from "../reading/selected-fields.js";
import type { Selection } from "../reading/selection.js";
import type { WorkspaceRow } from "../workspace/workspace.loader.js";
import { Workspace } from "../workspace/workspace.type.js";
import {
  AlertCountArguments,
  AlertListArguments,
  LastAlertArguments,
  NestedAlertListArguments,
} from "./alert.input.js";
import { type AlertRow, alertById, alertCounts, alertLists, lastAlertOfType } from "./alert.loader.js";
import { Alert, AlertConnection } from "./alert.type.js";
import { annotatedPictureText, annotatedUrl } from "./pictures/annotated-picture.service.js";
import { proxiedPictureText, proxiedUrl } from "./pictures/proxied-picture.service.js";
import { AlertCount } from "./statistics/alert-count.type.js";
import { alertKinds, maxKinds } from "./statistics/alert-kinds.js";
import { costOfDays } from "./statistics/alert-statistics.js";

type AlertPage = Promise<Connection<AlertRow>>;

@Resolver(() => Alert)
export class AlertResolver {
  @ReturnsLoaded(alertLists.workspace.pages)
  @Query(() => AlertConnection, { description: "The alerts that are visible to the caller, newest first." })
  alerts(
    @Ctx() context: RequestContext,
    @Selected() selection: Selection,
    @CheckedArgs(AlertListArguments) list: AlertListArguments,
  ): AlertPage {
    return alertLists.workspace(context, context.caller.workspaceId, selection, list);
  }

  @ReturnsLoaded()
  @Query(() => Alert, {
    nullable: true,
    description: "An alert by ID; null if there is none that the caller may see.",
  })
  alert(
    @Ctx() context: RequestContext,
    @Selected() selection: Selection,
    @Arg("id", () => Uuid, { description: idToFind("the alert") }) id: string,
  ): Promise<AlertRow | null> {
    return alertById(context, selection).load(id);
  }

  @Query(() => [AlertCount], {
    description:
      "The number of alerts that are visible to the caller per day, week or month, ascending. Each alert counts by the calendar of its own facility.",
  })
  alertCounts(
    @Ctx() context: RequestContext,
    @CheckedArgs(AlertCountArguments) counts: AlertCountArguments,
  ): Promise<AlertCount[]> {
    return alertCounts(context, { parent: "workspace", ...counts }).load(context.caller.workspaceId);
  }

  @RequiresColumns("timeZoneId")
  @FieldResolver(() => String, {
    description:
      "`createdAt` in the facility's local time with the UTC offset, such as 2026-11-20T12:30:00.000+03:00.",
  })
  localCreatedAt(@Root() alert: AlertRow): string {
    // A facility that someone removed by SQL has no time zone.
    return localTime(alert.createdAt, alert.timeZoneId ?? "UTC");
  }

  @RequiresColumns("url")
  @FieldResolver(() => String, {
    nullable: true,
    description: `${linkTo("the picture")} A URL from the detector is returned as is.`,
  })
  url(@Ctx() context: RequestContext, @Root() alert: AlertRow): string | null {
    return context.services.links.urlFor(alert.url);
  }

  @RequiresColumns("thumbnailUrl")
  @FieldResolver(() => String, {
    nullable: true,
    description: `${linkTo("a small version of the picture")} A URL from the detector is returned as is.`,
  })
  thumbnailUrl(@Ctx() context: RequestContext, @Root() alert: AlertRow): string | null {
    return context.services.links.urlFor(alert.thumbnailUrl);
  }

  @RequiresColumns("isAnnotatable")
  @FieldResolver(() => String, {
    nullable: true,
    description: `${linkTo("the picture with `area` and `violatingCoordinates` drawn on it")} ${annotatedPictureText} Also null if the picture is at a URL from the detector, or if there is nothing to draw.`,
  })
  annotatedUrl(
    @Ctx() { services, caller }: RequestContext,
    @Root() { id, isAnnotatable }: AlertRow,
  ): string | null {
    return isAnnotatable
      ? annotatedUrl(services.links, { workspaceId: caller.workspaceId, alertId: id })
      : null;
  }

  @RequiresColumns("url")
  @FieldResolver(() => String, {
    nullable: true,
    description: `${linkTo("the picture if it is at a URL from the detector")} ${proxiedPictureText} Null for pictures in the store, which \`url\` shows, and for addresses that the gateway is not configured to fetch from. A link may lead to nothing where the detector's server does not answer.`,
  })
  proxiedUrl(@Ctx() { services, caller }: RequestContext, @Root() { id, url }: AlertRow): string | null {
    return proxiedUrl(services, { workspaceId: caller.workspaceId, alertId: id }, url);
  }

  @ReturnsLoaded()
  @RequiresColumns("cameraId")
  @FieldResolver(() => Camera, { description: "The camera that raised the alert." })
  camera(
    @Ctx() context: RequestContext,
    @Selected() selection: Selection,
    @Root() alert: AlertRow,
  ): Promise<CameraRow> {
    return loadReferenced(context, cameraById, selection, alert.cameraId as string);
  }

  @ReturnsLoaded()
  @RequiresColumns("facilityId")
  @FieldResolver(() => Facility, { description: "The facility at which the alert was raised." })
  facility(
    @Ctx() context: RequestContext,
    @Selected() selection: Selection,
    @Root() alert: AlertRow,
  ): Promise<FacilityRow> {
    return loadReferenced(context, facilityById, selection, alert.facilityId as string);
  }

  @ReturnsLoaded()
  @RequiresColumns("alertRuleId")
  @FieldResolver(() => AlertRule, {
    nullable: true,
    description: "The rule that raised the alert; null if no rule did, or the rule has been deleted.",
  })
  alertRule(
    @Ctx() context: RequestContext,
    @Selected() selection: Selection,
    @Root() alert: AlertRow,
  ): Promise<AlertRuleRow | null> | null {
    return alert.alertRuleId ? alertRuleById(context, selection).load(alert.alertRuleId) : null;
  }
}

@Resolver(() => Workspace)
export class WorkspaceAlertsResolver {
  @RequiresColumns()
  @ReadAhead(alertLists.workspace.pages)
  @FieldResolver(() => AlertConnection, {
    description: "The alerts of all facilities that are visible to the caller, newest first.",
  })
  alerts(
    @Ctx() context: RequestContext,
    @Selected() selection: Selection,
    @Root() workspace: WorkspaceRow,
    @CheckedArgs(NestedAlertListArguments) list: NestedAlertListArguments,
  ): AlertPage {
    return alertLists.workspace(context, workspace.id, selection, list);
  }

  @RequiresColumns()
  @Costs(costOfDays)
  @FieldResolver(() => [String], {
    description: `The types of the alerts of all facilities that are visible to the caller, to choose from in \`AlertFilter.types\`; sorted, the first ${maxKinds} at most. Costs ${costOfDays}.`,
  })
  async alertTypes(@Ctx() context: RequestContext, @Root() workspace: WorkspaceRow): Promise<string[]> {
    return (await alertKinds(context, undefined).load(workspace.id)).types;
  }

  @RequiresColumns()
  @Costs(costOfDays)
  @FieldResolver(() => [String], {
    description: `The severities of the alerts of all facilities that are visible to the caller, to choose from in \`AlertFilter.severities\`; sorted, the first ${maxKinds} at most. Costs ${costOfDays}.`,
  })
  async alertSeverities(@Ctx() context: RequestContext, @Root() workspace: WorkspaceRow): Promise<string[]> {
    return (await alertKinds(context, undefined).load(workspace.id)).severities;
  }
}

@Resolver(() => Facility)
export class FacilityAlertsResolver {
  @RequiresColumns()
  @ReadAhead(alertLists.facility.pages)
  @FieldResolver(() => AlertConnection, { description: "The facility's alerts, newest first." })
  alerts(
    @Ctx() context: RequestContext,
    @Selected() selection: Selection,
    @Root() facility: FacilityRow,
    @CheckedArgs(NestedAlertListArguments) list: NestedAlertListArguments,
  ): AlertPage {
    return alertLists.facility(context, facility.id, selection, list);
  }

  @RequiresColumns()
  @FieldResolver(() => [AlertCount], {
    description: "The number of the facility's alerts per day, week or month, ascending.",
  })
  alertCounts(
    @Ctx() context: RequestContext,
    @Root() facility: FacilityRow,
    @CheckedArgs(AlertCountArguments) counts: AlertCountArguments,
  ): Promise<AlertCount[]> {
    return alertCounts(context, { parent: "facility", ...counts }).load(facility.id);
  }
}

@Resolver(() => Camera)
export class CameraAlertsResolver {
  @RequiresColumns()
  @ReadAhead(alertLists.camera.pages)
  @FieldResolver(() => AlertConnection, { description: "The camera's alerts, newest first." })
  alerts(
    @Ctx() context: RequestContext,
    @Selected() selection: Selection,
    @Root() camera: CameraRow,
    @CheckedArgs(NestedAlertListArguments) list: NestedAlertListArguments,
  ): AlertPage {
    return alertLists.camera(context, camera.id, selection, list);
  }

  @RequiresColumns()
  @ReadAhead(lastAlertOfType)
  @FieldResolver(() => Alert, {
    nullable: true,
    description: "The camera's newest alert of a type; null if there is none.",
  })
  lastAlert(
    @Ctx() context: RequestContext,
    @Selected() selection: Selection,
    @Root() camera: CameraRow,
    @CheckedArgs(LastAlertArguments) { type }: LastAlertArguments,
  ): Promise<AlertRow | null> {
    return lastAlertOfType(context, selection, type).load(camera.id);
  }

  @RequiresColumns()
  @FieldResolver(() => [AlertCount], {
    description: "The number of the camera's alerts per day, week or month, ascending.",
  })
  alertCounts(
    @Ctx() context: RequestContext,
    @Root() camera: CameraRow,
    @CheckedArgs(AlertCountArguments) counts: AlertCountArguments,
  ): Promise<AlertCount[]> {
    return alertCounts(context, { parent: "camera", ...counts }).load(camera.id);
  }
}

@Resolver(() => AlertRule)
export class AlertRuleAlertsResolver {
  @RequiresColumns()
  @ReadAhead(alertLists.alertRule.pages)
  @FieldResolver(() => AlertConnection, { description: "The alerts raised by the rule, newest first." })
  alerts(
    @Ctx() context: RequestContext,
    @Selected() selection: Selection,
    @Root() rule: AlertRuleRow,
    @CheckedArgs(NestedAlertListArguments) list: NestedAlertListArguments,
  ): AlertPage {
    return alertLists.alertRule(context, rule.id, selection, list);
  }
}
