import { Field, Int, ObjectType, registerEnumType } from "type-graphql";
import { ImageDimensions, Point } from "../camera/camera.type.js";
import { DateTimeIso, JsonObject, Uuid } from "../platform/scalars.js";
import { BackedBy } from "../reading/annotations.js";
import { connectionOf } from "../reading/connection.js";
import { alerts } from "./alert.loader.js";

@BackedBy(() => alerts)
@ObjectType({
  description: "A detected event. Its severity is that of its rule at the time, even if the rule changes later.",
  simpleResolvers: true,
})
export class Alert {
  @Field(() => Uuid)
  id!: string;

  @Field(() => Uuid)
  workspaceId!: string;

  @Field(() => Uuid)
  facilityId!: string;

  @Field(() => Uuid)
  cameraId!: string;

  @Field(() => Uuid, { nullable: true, description: "The ID of the rule that raised it, which may have been deleted." })
  alertRuleId!: string | null;

  @Field(() => String, { description: "The alert type, such as STATIC_DELIMITATION_AREA." })
  name!: string;

  @Field(() => String, { nullable: true, description: "The severity of the rule at the time, such as MEDIUM; null without a rule." })
  severity!: string | null;

  @Field(() => Boolean, { description: "Whether the alert is only an observation." })
  observation!: boolean;

  @Field(() => Int, { description: "The number of objects involved." })
  count!: number;

  @Field(() => DateTimeIso, { description: "When the event happened." })
  createdAt!: Date;

  @Field(() => ImageDimensions, { nullable: true, description: "The size of the picture." })
  imageDimensions!: ImageDimensions | null;

  @Field(() => ImageDimensions, { nullable: true, description: "The size of the canvas that the coordinates refer to." })
  canvasDimensions!: ImageDimensions | null;

  @Field(() => [Point], { nullable: true, description: "The positions of the objects." })
  violatingCoordinates!: Point[] | null;

  @Field(() => [Point], { nullable: true, description: "The violated polygon." })
  area!: Point[] | null;

  @Field(() => [Uuid], { description: "The violated areas of the rule." })
  areaIds!: string[];

  @Field(() => String, { description: "Where the picture is stored, such as local or s3." })
  storageClass!: string;

  @Field(() => JsonObject, { nullable: true, description: "Additional data from the detector." })
  info!: object | null;

  @Field(() => Boolean, { description: "Whether the alert is bookmarked." })
  bookmark!: boolean;

  @Field(() => Uuid, { nullable: true, description: "The user or API key that last changed the bookmark." })
  bookmarkChangedById!: string | null;

  @Field(() => DateTimeIso, { nullable: true, description: "When the bookmark was last changed." })
  bookmarkChangedAt!: Date | null;

  @Field(() => Boolean, { description: "Whether the alert is marked as a false positive." })
  falsePositive!: boolean;

  @Field(() => Uuid, { nullable: true, description: "The user or API key that last changed the false positive mark." })
  falsePositiveChangedById!: string | null;

  @Field(() => DateTimeIso, { nullable: true, description: "When the false positive mark was last changed." })
  falsePositiveChangedAt!: Date | null;
}

export const AlertConnection = connectionOf(Alert, "Alert", "alerts");

export enum CountAggregate {
  DAY = "DAY",
  WEEK = "WEEK",
  MONTH = "MONTH",
}

registerEnumType(CountAggregate, { name: "CountAggregate", description: "The period of local time by which alerts are counted." });

@ObjectType({ description: "The number of alerts in a period of local time.", simpleResolvers: true })
export class AlertCount {
  @Field(() => String, {
    description: "The day, such as 2026-11-20, the ISO week, such as 2026-W47, or the month, such as 2026-11, in the facility's time zone.",
  })
  key!: string;

  @Field(() => Int)
  count!: number;
}
