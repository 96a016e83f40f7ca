import { Field, Int, ObjectType, registerEnumType } from "type-graphql";
import { ImageDimensions, Point } from "../camera/camera.type.js";
import { connectionOf } from "../platform/connection.js";
import { DateTimeIso, JsonObject, Uuid } from "../platform/scalars.js";

@ObjectType({
  description: "A detected event, as it was at its time: it keeps its rule's severity even when the rule changes.",
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

  @Field(() => Uuid, { nullable: true, description: "The rule that raised it; the rule itself may be gone by now." })
  alertRuleId!: string | null;

  @Field(() => String, { description: "The type of alert, such as STATIC_DELIMITATION_AREA." })
  name!: string;

  @Field(() => String, { nullable: true, description: "The rule's severity at the time, such as MEDIUM; null without a rule." })
  severity!: string | null;

  @Field(() => Boolean, { description: "Whether it is an observation only." })
  observation!: boolean;

  @Field(() => Int, { description: "How many objects were involved." })
  count!: number;

  @Field(() => DateTimeIso, { description: "When it happened." })
  createdAt!: Date;

  @Field(() => ImageDimensions, { nullable: true, description: "The size of the picture." })
  imageDimensions!: ImageDimensions | null;

  @Field(() => ImageDimensions, { nullable: true, description: "The size of the canvas that the coordinates refer to." })
  canvasDimensions!: ImageDimensions | null;

  @Field(() => [Point], { nullable: true, description: "Where the objects were." })
  violatingCoordinates!: Point[] | null;

  @Field(() => [Point], { nullable: true, description: "The polygon that was violated." })
  area!: Point[] | null;

  @Field(() => [Uuid], { description: "The rule's areas that were violated." })
  areaIds!: string[];

  @Field(() => String, { description: "Where the picture is kept, such as local or s3." })
  storageClass!: string;

  @Field(() => JsonObject, { nullable: true, description: "What the detector says besides." })
  info!: object | null;

  @Field(() => Boolean)
  bookmark!: boolean;

  @Field(() => Uuid, { nullable: true, description: "Who last changed the bookmark: a user or an API key." })
  bookmarkChangedById!: string | null;

  @Field(() => DateTimeIso, { nullable: true })
  bookmarkChangedAt!: Date | null;

  @Field(() => Boolean, { description: "Whether somebody marked it as no event at all." })
  falsePositive!: boolean;

  @Field(() => Uuid, { nullable: true, description: "Who last changed that mark: a user or an API key." })
  falsePositiveChangedById!: string | null;

  @Field(() => DateTimeIso, { nullable: true })
  falsePositiveChangedAt!: Date | null;
}

export const AlertConnection = connectionOf(Alert, "Alert", "alerts");

export enum CountAggregate {
  DAY = "DAY",
  WEEK = "WEEK",
  MONTH = "MONTH",
}

registerEnumType(CountAggregate, { name: "CountAggregate", description: "The stretch of local time that alerts are counted by." });

@ObjectType({ description: "How many alerts fell into one stretch of local time.", simpleResolvers: true })
export class AlertCount {
  @Field(() => String, { description: "The day 2026-11-20, the ISO week 2026-W47 or the month 2026-11, by the facility's calendar." })
  key!: string;

  @Field(() => Int)
  count!: number;
}
