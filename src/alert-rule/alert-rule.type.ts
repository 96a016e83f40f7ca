import { Field, Int, ObjectType } from "type-graphql";
import { Point } from "../camera/camera.type.js";
import { JsonObject, Uuid } from "../platform/scalars.js";

@ObjectType({ description: "A polygon that a rule watches.", simpleResolvers: true })
export class RuleArea {
  @Field(() => Uuid, { description: "What `Alert.areaIds` names." })
  id!: string;

  @Field(() => String, { nullable: true })
  name!: string | null;

  @Field(() => String, { nullable: true, description: "A hex colour such as #ff8800." })
  color!: string | null;

  @Field(() => [Point])
  points!: Point[];
}

@ObjectType({ description: "Where a rule's alerts are posted. The secret is never read back.", simpleResolvers: true })
export class ApiNotification {
  @Field(() => String)
  url!: string;

  @Field(() => Boolean)
  enabled!: boolean;

  @Field(() => Boolean, { description: "Whether posts are signed." })
  hasSecret!: boolean;
}

@ObjectType({ description: "What a camera raises alerts for.", simpleResolvers: true })
export class AlertRule {
  @Field(() => Uuid)
  id!: string;

  @Field(() => Uuid)
  cameraId!: string;

  @Field(() => String, { description: "The type of alert, such as STATIC_DELIMITATION_AREA." })
  name!: string;

  @Field(() => String, { description: "How grave its alerts are, such as MEDIUM." })
  severity!: string;

  @Field(() => String, { description: "Such as ACTIVE." })
  status!: string;

  @Field(() => [Int], { description: "The days of the week on which the rule is in force, 0 to 6." })
  dayRange!: number[];

  @Field(() => [String], { description: "Who is told by e-mail." })
  emails!: string[];

  @Field(() => [String], { description: "Who is told by text message." })
  phoneNumbers!: string[];

  @Field(() => Boolean, { description: "Whether its alerts are observations only." })
  observation!: boolean;

  @Field(() => String, { nullable: true, description: "The rule in plain words." })
  pretty!: string | null;

  @Field(() => JsonObject, { description: "The tree of conditions: GROUP nodes over AREA and detection leaves." })
  group!: object;
}
