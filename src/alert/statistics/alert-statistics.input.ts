import { z } from "zod";
import { argumentsType, graphqlField } from "../../platform/input-type.js";
import { AlertFilter } from "../alert.input.js";
import { AlertDimension } from "./alert-statistic.type.js";
import { maxGroups, periodOf } from "./alert-statistics.js";

const maxDimensions = 3;

export type AlertStatisticsArguments = InstanceType<typeof AlertStatisticsArguments>;
export const AlertStatisticsArguments = argumentsType(
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
