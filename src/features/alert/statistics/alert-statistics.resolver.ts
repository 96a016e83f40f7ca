import type { GraphQLResolveInfo } from "graphql";
import { Ctx, Info, Query, Resolver } from "type-graphql";
import { z } from "zod";
import type { RequestContext } from "../../../engine/operation/request-context.js";
import { Costs } from "../../../engine/reading/annotations.js";
import { selectionBelow } from "../../../engine/reading/selection/selected-fields.js";
import { argumentsType, CheckedArgs, graphqlField } from "../../../platform/input/input-type.js";
import { alertRuleById } from "../../alert-rule/alert-rule.loader.js";
import { cameraById } from "../../camera/camera.loader.js";
import { facilityById } from "../../facility/facility.loader.js";
import { AlertFilter } from "../alert.input.js";
import { AlertDimension, AlertStatistic } from "./alert-statistic.type.js";
import {
  type AlertStatisticRow,
  alertStatistics,
  costOfStatistics,
  maxGroups,
  periodOf,
} from "./alert-statistics.js";

const maxDimensions = 3;

type AlertStatisticsArguments = InstanceType<typeof AlertStatisticsArguments>;
const AlertStatisticsArguments = argumentsType(
  z.object({
    filter: AlertFilter.rules.describe("The alerts to count."),
    groupBy: z
      .array(z.enum(AlertDimension))
      .min(1, "must not be empty")
      .max(maxDimensions, `must list at most ${maxDimensions}`)
      .refine((dimensions) => new Set(dimensions).size === dimensions.length, "must not repeat a dimension")
      .refine(
        (dimensions) => dimensions.filter(periodOf).length <= 1,
        "must have at most one of DAY, WEEK and MONTH",
      )
      .describe(
        `The dimensions to group by, 1 to ${maxDimensions}, at most one of them DAY, WEEK or MONTH. More than ${maxGroups} groups are refused.`,
      ),
    fillGaps: z
      .boolean()
      .nullish()
      .describe(
        "Whether to add a count of 0 for each day, week or month without alerts, between `start` and `end` or among the days of the filter. The counts are added to every combination of the other dimensions that occurs. Without other dimensions, they are added even if there is no alert at all, by the clocks of the facilities in the filter, or of all visible facilities.",
      )
      .register(graphqlField, { defaultValue: false }),
  }),
);

const namedFields = [
  { field: "facility", idColumn: "facilityId", byId: facilityById },
  { field: "camera", idColumn: "cameraId", byId: cameraById },
  { field: "alertRule", idColumn: "alertRuleId", byId: alertRuleById },
] as const;

@Resolver(() => AlertStatistic)
export class AlertStatisticsResolver {
  @Costs(costOfStatistics)
  @Query(() => [AlertStatistic], {
    description:
      "The number of alerts that are visible to the caller, by one to three dimensions. Ordered by the calendar, then by count, largest first, then by name. Costs 100, or 5000 if daily counts cannot answer: by HOUR_OF_DAY or ALERT_RULE, or with a filter on more than the period, local days, relative days and weeks, facilities, cameras, types and severities.",
  })
  async alertStatistics(
    @Ctx() context: RequestContext,
    @Info() info: GraphQLResolveInfo,
    @CheckedArgs(AlertStatisticsArguments) { filter, groupBy, fillGaps }: AlertStatisticsArguments,
  ): Promise<AlertStatisticRow[]> {
    const rows = await alertStatistics(context, context.caller.workspaceId, {
      filter,
      groupBy,
      fillGaps: fillGaps ?? false,
    });
    await nameGroups(context, info, rows);
    return rows;
  }
}

/** Adds the selected objects to thousands of groups. A resolver per field would take longer than the rest of a row. */
async function nameGroups(
  context: RequestContext,
  info: GraphQLResolveInfo,
  rows: readonly AlertStatisticRow[],
): Promise<void> {
  await Promise.all(
    namedFields.map(async ({ field, idColumn, byId }) => {
      const selection = selectionBelow(context, info, field);
      if (!selection) return;
      const ids = [...new Set(rows.map((row) => row[idColumn]))].filter((id) => id != null);
      const loader = byId(context, selection);
      const named = new Map(await Promise.all(ids.map(async (id) => [id, await loader.load(id)] as const)));
      for (const row of rows) Object.assign(row, { [field]: named.get(row[idColumn] ?? "") });
    }),
  );
}
