import { Field, Float, Int, ObjectType, registerEnumType } from "type-graphql";
import type { RequestContext } from "../../../engine/operation/request-context.js";
import { BackedBy } from "../../../engine/reading/annotations.js";
import { fieldsOf } from "../../../engine/reading/selection/fields.js";
import { linkTo } from "../../../platform/input/descriptions.js";
import { DateTimeIso } from "../../../platform/input/scalars.js";
import { type AlertClipRow, alertClips } from "./alert-clip.loader.js";

/** Whether the clip of an alert is there. */
export enum AlertClipState {
  PENDING = "PENDING",
  READY = "READY",
  FAILED = "FAILED",
}

registerEnumType(AlertClipState, {
  name: "AlertClipState",
  description: "Whether the clip of an alert can be played.",
  valuesConfig: {
    PENDING: { description: "The gateway makes it: it ends 20 seconds after the alert." },
    READY: { description: "It can be played." },
    FAILED: { description: "It could not be made or kept." },
  },
});

const unlessReady = "null unless the clip is READY.";

@BackedBy(() => alertClips)
@ObjectType({
  description:
    "A film of an alert without sound, an MP4: from the camera's ring, from 10 seconds before to 20 seconds after the alert, or as it was sent.",
  simpleResolvers: true,
})
export class AlertClip {
  @Field(() => AlertClipState, { description: "Whether it can be played." })
  state!: AlertClipState;

  @Field(() => String, { nullable: true, description: `Always video/mp4; ${unlessReady}` })
  contentType!: string | null;

  @Field(() => Float, { nullable: true, description: `The length in seconds; ${unlessReady}` })
  duration!: number | null;

  @Field(() => Int, { nullable: true, description: `The width in pixels; ${unlessReady}` })
  width!: number | null;

  @Field(() => Int, { nullable: true, description: `The height in pixels; ${unlessReady}` })
  height!: number | null;

  @Field(() => DateTimeIso, {
    nullable: true,
    description: "When its first frame was taken, by the clock of the gateway; null if that is not known.",
  })
  startsAt!: Date | null;

  @Field(() => Int, { nullable: true, description: `The size in bytes; ${unlessReady}` })
  size!: number | null;
}

export const AlertClipFields = fieldsOf<AlertClipRow>(AlertClip, {
  url: {
    type: () => String,
    nullable: true,
    description: `${linkTo("the clip")} Players may ask for ranges of it.`,
    columns: ["key"],
    resolve: ({ key }, { services }: RequestContext) => services.links.urlFor(key),
  },
});
