import { Field, Float, Int, ObjectType } from "type-graphql";
import { BackedBy } from "../../engine/reading/annotations.js";
import { connectionOf } from "../../engine/reading/connection.js";
import { assignedId, pixelsFromLeft, pixelsFromTop } from "../../platform/input/descriptions.js";
import { JsonObject, Uuid } from "../../platform/input/scalars.js";
import { keptFrames } from "./kept-frame.loader.js";

@ObjectType({
  description: "A rectangle in an image, in pixels from its top left corner.",
  simpleResolvers: true,
})
class Box {
  @Field(() => Float, { description: `The left edge: ${pixelsFromLeft}` })
  x!: number;

  @Field(() => Float, { description: `The upper edge: ${pixelsFromTop}` })
  y!: number;

  @Field(() => Float, { description: "Greater than 0." })
  width!: number;

  @Field(() => Float, { description: "Greater than 0." })
  height!: number;
}

@ObjectType({ description: "An object that a detector saw in a frame.", simpleResolvers: true })
class DetectedObject {
  @Field(() => String, { description: "What the object is, such as PERSON." })
  label!: string;

  @Field(() => Float, { description: "How sure the detector was, from 0 to 1." })
  confidence!: number;

  @Field(() => Box, { description: "Where the object was." })
  box!: Box;

  @Field(() => String, {
    nullable: true,
    description: "Identifies the object in all frames of the camera; null if the detector does not.",
  })
  trackId!: string | null;

  @Field(() => JsonObject, {
    nullable: true,
    description: "What else the detector knew of the object; null if nothing.",
  })
  attributes!: object | null;
}

@BackedBy(() => keptFrames)
@ObjectType({ description: "What a detector saw in one frame of a camera.", simpleResolvers: true })
export class DetectionFrame {
  @Field(() => Uuid, { description: assignedId })
  id!: string;

  @Field(() => Int, { description: "The width of the frame in pixels." })
  width!: number;

  @Field(() => Int, { description: "The height of the frame in pixels." })
  height!: number;

  @Field(() => [DetectedObject], {
    description: "The objects in the frame, at most 200, in the detector's order.",
  })
  objects!: DetectedObject[];
}

export const DetectionFrameConnection = connectionOf(
  DetectionFrame,
  "DetectionFrame",
  "the frames that a camera's detectors sent",
);
