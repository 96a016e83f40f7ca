import { Field, Float, ObjectType } from "type-graphql";
import { DateTimeIso, Uuid } from "../platform/scalars.js";
import { Point } from "./camera.type.js";

@ObjectType({ description: "How a camera's pixels relate to the ground.", simpleResolvers: true })
export class Calibration {
  @Field(() => Uuid)
  id!: string;

  @Field(() => Uuid)
  cameraId!: string;

  @Field(() => Float, { description: "The length on the ground that one pixel covers." })
  pixelLength!: number;

  @Field(() => Float, { description: "The width of the calibrated picture in pixels." })
  width!: number;

  @Field(() => Float, { description: "The height of the calibrated picture in pixels." })
  height!: number;

  @Field(() => [Float], { description: "The 3×3 matrix from picture to ground, row by row." })
  homographyMatrix!: number[];

  @Field(() => [Point], { description: "The points in the picture that were measured." })
  points!: Point[];

  @Field(() => DateTimeIso)
  updatedAt!: Date;
}
