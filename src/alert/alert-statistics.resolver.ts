import { Ctx, FieldResolver, Query, Resolver, Root } from "type-graphql";
import { type AlertRuleRow, alertRuleById } from "../alert-rule/alert-rule.loader.js";
import { AlertRule } from "../alert-rule/alert-rule.type.js";
import { type CameraRow, cameraById } from "../camera/camera.loader.js";
import { Camera } from "../camera/camera.type.js";
import { type FacilityRow, facilityById } from "../facility/facility.loader.js";
import { Facility } from "../facility/facility.type.js";
import { CheckedArgs } from "../platform/input-type.js";
import { Costs, RequiresColumns } from "../reading/annotations.js";
import { Selected, type Selection } from "../reading/selection.js";
import type { RequestContext } from "../request/request-context.js";
import { AlertStatistic } from "./alert-statistic.type.js";
import { AlertStatisticsArguments } from "./alert-statistics.input.js";
import { type AlertStatisticRow, alertStatistics, costOfStatistics } from "./alert-statistics.js";

@Resolver(() => AlertStatistic)
export class AlertStatisticsResolver {
  @Costs(costOfStatistics)
  @Query(() => [AlertStatistic], {
    description:
      "The number of alerts that are visible to the caller, by one to three dimensions; ordered by the calendar, then by count, largest first, then by name. Costs 100, also for periods of less than three days, or 5000 where the alerts of long periods have to be counted one by one: by HOUR_OF_DAY and ALERT_RULE, and with a filter on more than period, facilities, cameras, types and severities.",
  })
  alertStatistics(
    @Ctx() context: RequestContext,
    @CheckedArgs(AlertStatisticsArguments) { filter, groupBy, fillGaps }: AlertStatisticsArguments,
  ): Promise<AlertStatisticRow[]> {
    return alertStatistics(context, context.caller.workspaceId, { filter, groupBy, fillGaps: fillGaps ?? false });
  }

  @RequiresColumns()
  @FieldResolver(() => Facility, { nullable: true, description: "The facility; null without FACILITY." })
  facility(
    @Ctx() context: RequestContext,
    @Selected() selection: Selection,
    @Root() { facilityId }: AlertStatisticRow,
  ): Promise<FacilityRow | null> | null {
    return facilityId ? facilityById(context, selection).load(facilityId) : null;
  }

  @RequiresColumns()
  @FieldResolver(() => Camera, {
    nullable: true,
    description: "The camera; null without CAMERA, and where it is at another facility now that the caller may not see.",
  })
  camera(
    @Ctx() context: RequestContext,
    @Selected() selection: Selection,
    @Root() { cameraId }: AlertStatisticRow,
  ): Promise<CameraRow | null> | null {
    return cameraId ? cameraById(context, selection).load(cameraId) : null;
  }

  @RequiresColumns()
  @FieldResolver(() => AlertRule, {
    nullable: true,
    description: "The rule; null without ALERT_RULE, for alerts without one, and if it has been deleted.",
  })
  alertRule(
    @Ctx() context: RequestContext,
    @Selected() selection: Selection,
    @Root() { alertRuleId }: AlertStatisticRow,
  ): Promise<AlertRuleRow | null> | null {
    return alertRuleId ? alertRuleById(context, selection).load(alertRuleId) : null;
  }
}
