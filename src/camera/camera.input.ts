import { Field, Float, InputType } from "type-graphql";
import { z } from "zod";
import { StatusSource, StreamProtocol, StreamType } from "../generated/prisma/enums.js";
import { Uuid, uuid } from "../platform/scalars.js";
import { emailAddress, printableText, resourceName } from "../platform/text-rules.js";
import { cameraUrl } from "./camera-url.js";

/** A width or a height in pixels. */
export const pixelCount = z.number("must be a number").positive("must be positive").max(1_000_000, "must be at most 1000000");

/** A width and a height in pixels. */
export const imageDimensions = z.object({ width: pixelCount, height: pixelCount }, "must be an object of width and height");

/** The rules for a new camera that is opened by its address. */
export const createCameraInput = z.object({
  name: resourceName,
  url: cameraUrl,
  streamType: z.enum(StreamType),
  streamProtocol: z.enum(StreamProtocol).nullish(),
  facilityNodeId: uuid.nullish(),
});

/** The rules for changes of a camera: what is not given stays; `facilityNodeId: null` clears it, other nulls are refused. */
export const updateCameraInput = z.object({
  name: resourceName.optional(),
  url: cameraUrl.optional(),
  emailAddresses: z.array(emailAddress, "must be a list").max(50, "must list at most 50").optional(),
  imageDimensions: imageDimensions.optional(),
  streamType: z.enum(StreamType, { error: "must not be null" }).optional(),
  streamProtocol: z.enum(StreamProtocol, { error: "must not be null" }).optional(),
  facilityNodeId: uuid.nullish(),
});

/** The rules for a reported status detail. */
export const statusDetailInput = z.object({
  statusDetail: printableText(100),
  source: z.enum(StatusSource, { error: `must be one of ${Object.values(StatusSource).join(", ")}` }),
});

@InputType({ description: "A camera that is opened by its address." })
export class CreateCameraInput {
  @Field(() => String, { description: "1 to 200 characters." })
  name!: string;

  @Field(() => String, { description: "An rtsp, rtmp, rtmps, http or https URL of at most 2048 characters." })
  url!: string;

  @Field(() => StreamType)
  streamType!: StreamType;

  @Field(() => StreamProtocol, { nullable: true })
  streamProtocol?: StreamProtocol | null;

  @Field(() => Uuid, { nullable: true, description: "The device at the facility that the camera is attached to." })
  facilityNodeId?: string | null;
}

@InputType({ description: "A width and a height in pixels." })
export class ImageDimensionsInput {
  @Field(() => Float)
  width!: number;

  @Field(() => Float)
  height!: number;
}

@InputType({ description: "Changes of a camera: what is not given stays as it is." })
export class UpdateCameraInput {
  @Field(() => String, { nullable: true })
  name?: string;

  @Field(() => String, {
    nullable: true,
    description: "A changed address starts a new stream request. A password written *** stays what it was.",
  })
  url?: string;

  @Field(() => [String], { nullable: true, description: "Who is told of this camera's alerts, at most 50." })
  emailAddresses?: string[];

  @Field(() => ImageDimensionsInput, { nullable: true })
  imageDimensions?: ImageDimensionsInput;

  @Field(() => StreamType, { nullable: true })
  streamType?: StreamType;

  @Field(() => StreamProtocol, { nullable: true })
  streamProtocol?: StreamProtocol;

  @Field(() => Uuid, { nullable: true, description: "Null clears it." })
  facilityNodeId?: string | null;
}

@InputType({ description: "A reported status detail." })
export class StatusDetailInput {
  @Field(() => String, { description: "1 to 100 printable characters." })
  statusDetail!: string;

  @Field(() => StatusSource)
  source!: StatusSource;
}
