import { Field, Float, ObjectType } from "type-graphql";
import { BackedBy } from "../../../engine/reading/annotations.js";
import { assignedId, readOnly } from "../../../platform/input/descriptions.js";
import { DateTimeIso, Uuid } from "../../../platform/input/scalars.js";
import { Point } from "../camera.type.js";
import { calibrations } from "./calibration.loader.js";

@BackedBy(() => calibrations)
@ObjectType({
  description: `How the pixels of a camera's picture relate to the ground. ${readOnly}`,
  simpleResolvers: true,
})
export class Calibration {
  @Field(() => Uuid, { description: assignedId })
  id!: string;

  @Field(() => Uuid, { description: "The ID of the calibrated camera." })
  cameraId!: string;

  @Field(() => Float, {
    description: "The length on the ground covered by one pixel, in the unit of the measurement.",
  })
  pixelLength!: number;

  @Field(() => Float, { description: "The width of the calibrated picture in pixels." })
  width!: number;

  @Field(() => Float, { description: "The height of the calibrated picture in pixels." })
  height!: number;

  @Field(() => [Float], { description: "The 3×3 matrix from picture to ground: nine numbers, row by row." })
  homographyMatrix!: number[];

  @Field(() => [Point], { description: "The measured points in the picture." })
  points!: Point[];

  @Field(() => DateTimeIso, { description: "When the calibration last changed." })
  updatedAt!: Date;
}
