import { ArgsType, Field, InputType, Int } from "type-graphql";
import { z } from "zod";
import { largestInteger, largestPage, PageArguments, pageArguments } from "../platform/connection.js";
import { DateTimeIso, Uuid } from "../platform/scalars.js";
import { CountAggregate } from "./alert.type.js";

/** The most values that one filter may list. */
const longestList = 1000;

const list = (item: z.ZodType) => z.array(item).max(longestList, `must list at most ${longestList}`).nullish();

/** The rules of an alert filter, of both doors. */
export const alertFilter = z
  .object({
    start: z.date(),
    end: z.date(),
    cameraIds: list(z.string()),
    types: list(z.string()),
    severities: list(z.string()),
    falsePositive: list(z.boolean()),
  })
  .refine(({ start, end }) => start <= end, { path: ["start"], error: "must not be after end" });

@InputType({ description: "Which alerts are meant: those that meet everything that is given. An empty list is met by no alert." })
export class AlertFilter {
  @Field(() => DateTimeIso, { description: "The earliest moment." })
  start!: Date;

  @Field(() => DateTimeIso, { description: "The moment before which the alerts lie." })
  end!: Date;

  @Field(() => Uuid, { nullable: true })
  facilityId?: string | null;

  @Field(() => [Uuid], { nullable: true, description: "At most 1000." })
  cameraIds?: string[] | null;

  @Field(() => [String], { nullable: true, description: "Types of alert, as in `Alert.name`." })
  types?: string[] | null;

  @Field(() => [String], { nullable: true })
  severities?: string[] | null;

  @Field(() => Boolean, { nullable: true })
  bookmark?: boolean | null;

  @Field(() => [Boolean], { nullable: true })
  falsePositive?: boolean[] | null;

  @Field(() => Boolean, { nullable: true })
  observation?: boolean | null;

  @Field(() => Uuid, { nullable: true, description: "An area of a rule that was violated." })
  areaId?: string | null;
}

/** The rules for the arguments of a list of alerts. */
export const alertListArguments = pageArguments
  .extend({ filter: alertFilter.nullish(), offset: z.int().min(0, "must not be negative").nullish() })
  .refine(({ offset, first }) => (offset ?? 0) + (first ?? largestPage) <= largestInteger, {
    path: ["offset"],
    error: `must lie, with the page, below ${largestInteger}`,
  });

@ArgsType()
class AlertPageArguments extends PageArguments {
  @Field(() => Int, { nullable: true, description: "How many of the newest to leave out, for numbered pages. `after` is faster and steadier." })
  offset?: number | null;
}

@ArgsType()
export class AlertListArguments extends AlertPageArguments {
  @Field(() => AlertFilter, { description: "Which alerts are meant." })
  filter!: AlertFilter;
}

@ArgsType()
export class NestedAlertListArguments extends AlertPageArguments {
  @Field(() => AlertFilter, { nullable: true, description: "Which alerts are meant; all of them without it." })
  filter?: AlertFilter | null;
}

/** The rules for the arguments of counts. */
export const alertCountArguments = z.object({ filter: alertFilter });

@ArgsType()
export class AlertCountArguments {
  @Field(() => AlertFilter, { description: "Which alerts are counted." })
  filter!: AlertFilter;

  @Field(() => CountAggregate, { description: "What they are counted by; stretches without an alert are left out." })
  aggregate!: CountAggregate;
}
