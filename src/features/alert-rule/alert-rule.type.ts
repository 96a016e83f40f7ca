import { Field, Int, ObjectType } from "type-graphql";
import { FoundBy, Node } from "../../engine/nodes/node.type.js";
import { BackedBy } from "../../engine/reading/annotations.js";
import { assignedId } from "../../platform/input/descriptions.js";
import { DateTimeIso, JsonObject, Uuid } from "../../platform/input/scalars.js";
import { Point } from "../camera/camera.type.js";
import { alertTypes, severities } from "./alert-kind.js";
import { alertRuleById, alertRules } from "./alert-rule.loader.js";
import { daysAppliedBy, nodesOfTrees, notifiedWhen } from "./rule-texts.js";

@ObjectType({ description: "A polygon that a rule monitors.", simpleResolvers: true })
export class RuleArea {
  @Field(() => Uuid, {
    description: "The ID of the AREA node in the rule's condition tree, as in `areaIds` of alerts.",
  })
  id!: string;

  @Field(() => String, {
    nullable: true,
    description: "A name for people, 1 to 200 characters; null if the area has none.",
  })
  name!: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      "The color in which to draw the area, in hexadecimal notation such as #ff8800; null if none was chosen.",
  })
  color!: string | null;

  @Field(() => [Point], {
    description: "The corners of the polygon in order, at least three; the last one is joined to the first.",
  })
  points!: Point[];
}

@ObjectType({
  description: "The webhook to which a rule's alerts are posted. The secret is never returned.",
  simpleResolvers: true,
})
export class ApiNotification {
  @Field(() => String, {
    description:
      "The http(s) URL to which alerts and observations are posted, without credentials. Callers without alert-rules:write at the facility get only its origin, such as https://hooks.example.",
  })
  url!: string;

  @Field(() => Boolean, {
    description:
      "Whether alerts are posted while the rule is ACTIVE; false keeps the settings without using them.",
  })
  enabled!: boolean;

  @Field(() => Boolean, {
    description: "Whether there is a secret for signing the requests. The secret itself is never returned.",
  })
  hasSecret!: boolean;
}

@BackedBy(() => alertRules)
@FoundBy((context, selection, id) => alertRuleById(context, selection).load(id))
@ObjectType({
  implements: Node,
  description: "A rule by which a camera raises alerts.",
  simpleResolvers: true,
})
export class AlertRule {
  @Field(() => Uuid, { description: assignedId })
  id!: string;

  @Field(() => Uuid, { description: "The ID of the camera that the rule belongs to." })
  cameraId!: string;

  @Field(() => String, { description: `The type of the rule's alerts, ${alertTypes}.` })
  name!: string;

  @Field(() => String, {
    description: `The severity that the rule's alerts get when they are recorded, ${severities}.`,
  })
  severity!: string;

  @Field(() => String, {
    description:
      "The status of the rule, such as ACTIVE for a new rule. With any other status, none of the rule's targets is notified of alerts.",
  })
  status!: string;

  @Field(() => [Int], {
    description: `The days of the week on which the rule is active, 0 to 6, ascending. ${daysAppliedBy}`,
  })
  dayRange!: number[];

  @Field(() => [String], {
    description: `The email addresses to which the rule's alerts are mailed. ${notifiedWhen("EMAIL")}`,
  })
  emails!: string[];

  @Field(() => [String], {
    description: `The phone numbers, in international format, that get the rule's alerts as text messages. ${notifiedWhen("SMS")}`,
  })
  phoneNumbers!: string[];

  @Field(() => Boolean, {
    description:
      "Whether the rule's alerts are recorded as observations. Filters can tell observations from other alerts, and only the webhook is notified of observations.",
  })
  observation!: boolean;

  @Field(() => Boolean, {
    description:
      "Whether the gateway evaluates the rule, and raises its alerts from what `recordDetections` is given. Otherwise its detector raises them by `recordAlerts`.",
  })
  evaluated!: boolean;

  @Field(() => DateTimeIso, {
    nullable: true,
    description:
      "The time of the frame for which the gateway last raised an alert by this rule; null if it never did.",
  })
  lastFiredAt!: Date | null;

  @Field(() => String, {
    nullable: true,
    description:
      "The condition tree as an English sentence, written by the gateway when the tree changes; null for a rule that has none.",
  })
  pretty!: string | null;

  @Field(() => JsonObject, {
    description: `The condition tree: ${nodesOfTrees} Every node has an \`id\`.`,
  })
  group!: object;

  @Field(() => DateTimeIso, { description: "When the rule last changed." })
  updatedAt!: Date;
}
