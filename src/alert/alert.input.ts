import { ArgsType, Field, InputType, Int } from "type-graphql";
import { z } from "zod";
import { DateTimeIso, Uuid } from "../platform/scalars.js";
import { maxInt32, maxPageSize, PageArguments, pageArguments } from "../reading/connection.js";
import { CountAggregate } from "./alert.type.js";

/** The maximum number of values in a list of a filter. */
const maxListLength = 1000;

const list = (item: z.ZodType) => z.array(item).max(maxListLength, `must list at most ${maxListLength}`).nullish();

/** The rules for an alert filter. */
export const alertFilter = z
  .object({
    start: z.date(),
    end: z.date(),
    facilityId: z.string().nullish(),
    cameraIds: list(z.string()),
    types: list(z.string()),
    severities: list(z.string()),
    bookmark: z.boolean().nullish(),
    falsePositive: list(z.boolean()),
    observation: z.boolean().nullish(),
    areaId: z.string().nullish(),
  })
  .refine(({ start, end }) => start <= end, { path: ["start"], error: "must not be after end" });

@InputType({ description: "Selects the alerts that match all given conditions. An empty list matches no alert." })
export class AlertFilter {
  @Field(() => DateTimeIso, { description: "The start of the period, inclusive." })
  start!: Date;

  @Field(() => DateTimeIso, { description: "The end of the period, exclusive." })
  end!: Date;

  @Field(() => Uuid, { nullable: true, description: "The facility of the alerts." })
  facilityId?: string | null;

  @Field(() => [Uuid], { nullable: true, description: "The cameras of the alerts, at most 1000." })
  cameraIds?: string[] | null;

  @Field(() => [String], { nullable: true, description: "Alert types, as in `Alert.name`, at most 1000." })
  types?: string[] | null;

  @Field(() => [String], { nullable: true, description: "Severities, as in `Alert.severity`, at most 1000." })
  severities?: string[] | null;

  @Field(() => Boolean, { nullable: true, description: "Whether the alerts are bookmarked." })
  bookmark?: boolean | null;

  @Field(() => [Boolean], { nullable: true, description: "Whether the alerts are marked as false positives; both values match all alerts." })
  falsePositive?: boolean[] | null;

  @Field(() => Boolean, { nullable: true, description: "Whether the alerts are observations only." })
  observation?: boolean | null;

  @Field(() => Uuid, { nullable: true, description: "A violated area, as in `Alert.areaIds`." })
  areaId?: string | null;
}

/** The rules for the arguments of a list of alerts. */
export const alertListArguments = pageArguments
  .extend({ filter: alertFilter.nullish(), offset: z.int().min(0, "must not be negative").nullish() })
  .refine(({ offset, first }) => (offset ?? 0) + (first ?? maxPageSize) <= maxInt32, {
    path: ["offset"],
    error: `must not exceed ${maxInt32} together with the page size`,
  });

@ArgsType()
class AlertPageArguments extends PageArguments {
  @Field(() => Int, {
    nullable: true,
    description: "The number of newest alerts to skip, for numbered pages. `after` is faster, and stable when alerts are added.",
  })
  offset?: number | null;
}

@ArgsType()
export class AlertListArguments extends AlertPageArguments {
  @Field(() => AlertFilter, { description: "The alerts to list." })
  filter!: AlertFilter;
}

@ArgsType()
export class NestedAlertListArguments extends AlertPageArguments {
  @Field(() => AlertFilter, { nullable: true, description: "The alerts to list; all by default." })
  filter?: AlertFilter | null;
}

/** The rules for the arguments of alert counts. */
export const alertCountArguments = z.object({ filter: alertFilter });

@ArgsType()
export class AlertCountArguments {
  @Field(() => AlertFilter, { description: "The alerts to count." })
  filter!: AlertFilter;

  @Field(() => CountAggregate, { description: "The period to group by. Periods without alerts are omitted." })
  aggregate!: CountAggregate;
}
