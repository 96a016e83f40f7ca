import { Field, Int, ObjectType } from "type-graphql";
import { Point } from "../camera/camera.type.js";
import { JsonObject, Uuid } from "../platform/scalars.js";
import { BackedBy } from "../reading/annotations.js";
import { alertRules } from "./alert-rule.loader.js";

@ObjectType({ description: "A polygon that a rule monitors.", simpleResolvers: true })
export class RuleArea {
  @Field(() => Uuid, { description: "The ID that `Alert.areaIds` refers to." })
  id!: string;

  @Field(() => String, { nullable: true })
  name!: string | null;

  @Field(() => String, { nullable: true, description: "A hex color such as #ff8800." })
  color!: string | null;

  @Field(() => [Point])
  points!: Point[];
}

@ObjectType({ description: "The webhook to which a rule's alerts are posted. The secret is never returned.", simpleResolvers: true })
export class ApiNotification {
  @Field(() => String)
  url!: string;

  @Field(() => Boolean)
  enabled!: boolean;

  @Field(() => Boolean, { description: "Whether requests are signed." })
  hasSecret!: boolean;
}

@BackedBy(() => alertRules)
@ObjectType({ description: "A rule by which a camera raises alerts.", simpleResolvers: true })
export class AlertRule {
  @Field(() => Uuid)
  id!: string;

  @Field(() => Uuid)
  cameraId!: string;

  @Field(() => String, { description: "The alert type, such as STATIC_DELIMITATION_AREA." })
  name!: string;

  @Field(() => String, { description: "The severity of its alerts, such as MEDIUM." })
  severity!: string;

  @Field(() => String, { description: "The status of the rule, such as ACTIVE." })
  status!: string;

  @Field(() => [Int], { description: "The days of the week on which the rule is active, 0 to 6." })
  dayRange!: number[];

  @Field(() => [String], { description: "The addresses that are notified by email." })
  emails!: string[];

  @Field(() => [String], { description: "The phone numbers that are notified by text message." })
  phoneNumbers!: string[];

  @Field(() => Boolean, { description: "Whether the rule's alerts are only observations." })
  observation!: boolean;

  @Field(() => String, { nullable: true, description: "A description of the rule in English." })
  pretty!: string | null;

  @Field(() => JsonObject, { description: "The condition tree: GROUP nodes with AREA and detection leaves." })
  group!: object;
}
