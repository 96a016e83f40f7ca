import { Field, Int, ObjectType } from "type-graphql";
import { FoundBy, Node } from "../../engine/nodes/node.type.js";
import { BackedBy } from "../../engine/reading/annotations.js";
import { connectionOf } from "../../engine/reading/connection.js";
import { DateTimeIso, JsonObject, Uuid } from "../../platform/input/scalars.js";
import { alertTypes, severities } from "../alert-rule/alert-kind.js";
import { ImageDimensions, Point } from "../camera/camera.type.js";
import { alertById, alerts } from "./alert.loader.js";

@BackedBy(() => alerts)
@FoundBy((context, selection, id) => alertById(context, selection).load(id), { shared: true })
@ObjectType({
  implements: Node,
  description:
    "A detected event. It keeps the severity that its rule had at the time, even if the rule changes later.",
  simpleResolvers: true,
})
export class Alert {
  @Field(() => Uuid, { description: "Chosen by the detector and unique in the workspace; it never changes." })
  id!: string;

  @Field(() => Uuid, { description: "The ID of the workspace, which is the caller's own." })
  workspaceId!: string;

  @Field(() => Uuid, { description: "The ID of the facility at which the alert was raised." })
  facilityId!: string;

  @Field(() => Uuid, { description: "The ID of the camera that raised the alert." })
  cameraId!: string;

  @Field(() => Uuid, {
    nullable: true,
    description:
      "The ID of the rule that raised the alert, even if the rule has been deleted; null if no rule did.",
  })
  alertRuleId!: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      "The rule's own name at the time, which its `group` has as `name`; null if it had none, or no rule raised the alert.",
  })
  alertRuleName!: string | null;

  @Field(() => String, { description: `The alert type, ${alertTypes}.` })
  name!: string;

  @Field(() => String, {
    nullable: true,
    description: `The severity of the rule at the time, ${severities}; null if no rule raised the alert.`,
  })
  severity!: string | null;

  @Field(() => Boolean, {
    description:
      "Whether the alert is only an observation. Copied from the rule when the alert was recorded.",
  })
  observation!: boolean;

  @Field(() => Int, { description: "The number of objects involved, as reported by the detector." })
  count!: number;

  @Field(() => DateTimeIso, {
    description: "When the event happened, by the clock of the detector. Lists are ordered by this time.",
  })
  createdAt!: Date;

  @Field(() => DateTimeIso, {
    nullable: true,
    description:
      "When the gateway took the picture: from the camera's live view, or by its feed for this alert, some seconds after it. Null for pictures that were sent, and without one.",
  })
  pictureAt!: Date | null;

  @Field(() => ImageDimensions, { nullable: true, description: "The size of the picture; null if unknown." })
  imageDimensions!: ImageDimensions | null;

  @Field(() => ImageDimensions, {
    nullable: true,
    description:
      "The size of the canvas to which `area` and `violatingCoordinates` refer: scale them if the picture has another size. Null if the detector gave none.",
  })
  canvasDimensions!: ImageDimensions | null;

  @Field(() => [Point], {
    nullable: true,
    description: "The positions of the objects on the canvas; null if the detector gave none.",
  })
  violatingCoordinates!: Point[] | null;

  @Field(() => [Point], {
    nullable: true,
    description: "The violated polygon on the canvas; null if the detector gave none.",
  })
  area!: Point[] | null;

  @Field(() => [Uuid], {
    description: "The IDs of the rule's areas that were violated; empty if the detector gave none.",
  })
  areaIds!: string[];

  @Field(() => String, {
    description: "The kind of storage of the picture: local, s3, or the kind that the detector gave.",
  })
  storageClass!: string;

  @Field(() => JsonObject, {
    nullable: true,
    description: "Additional data from the detector, of any structure; null if there is none.",
  })
  info!: object | null;

  @Field(() => Boolean, {
    description: "Whether the alert is bookmarked. Everyone who sees the alert shares the bookmark.",
  })
  bookmark!: boolean;

  @Field(() => Uuid, {
    nullable: true,
    description: "The ID of the user or API key that last changed the bookmark; null if nobody has.",
  })
  bookmarkChangedById!: string | null;

  @Field(() => DateTimeIso, {
    nullable: true,
    description: "When the bookmark was last changed; null if never.",
  })
  bookmarkChangedAt!: Date | null;

  @Field(() => Boolean, {
    description:
      "Whether the alert is marked as a false positive. Everyone who sees the alert shares the mark. Lists and counts still include the alert, unless a filter leaves it out.",
  })
  falsePositive!: boolean;

  @Field(() => Uuid, {
    nullable: true,
    description:
      "The ID of the user or API key that last changed the false positive mark; null if nobody has.",
  })
  falsePositiveChangedById!: string | null;

  @Field(() => DateTimeIso, {
    nullable: true,
    description: "When the false positive mark was last changed; null if never.",
  })
  falsePositiveChangedAt!: Date | null;

  @Field(() => DateTimeIso, {
    nullable: true,
    description:
      "When somebody acknowledged the alert; null unless it is acknowledged. Everyone who sees the alert shares the acknowledgement.",
  })
  acknowledgedAt!: Date | null;

  @Field(() => Uuid, {
    nullable: true,
    description: "The ID of the user or API key that acknowledged the alert; null unless it is acknowledged.",
  })
  acknowledgedById!: string | null;
}

export const AlertConnection = connectionOf(Alert, "Alert", "alerts");
