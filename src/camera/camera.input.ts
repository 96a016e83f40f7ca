import { Field, Float, InputType } from "type-graphql";
import { z } from "zod";
import { StatusSource, StreamProtocol, StreamType } from "../generated/prisma/enums.js";
import { Uuid, uuid } from "../platform/scalars.js";
import { emailAddress, printableText, resourceName } from "../platform/text-rules.js";
import { cameraUrl } from "./camera-url.js";

/** A width or a height in pixels. */
export const pixelCount = z.number("must be a number").positive("must be positive").max(1_000_000, "must be at most 1000000");

/** A width and a height in pixels. */
export const imageDimensions = z.object({ width: pixelCount, height: pixelCount }, "must be an object with width and height");

/** The rules for a new camera with a stream URL. */
export const createCameraInput = z.object({
  name: resourceName,
  url: cameraUrl,
  streamType: z.enum(StreamType),
  streamProtocol: z.enum(StreamProtocol).nullish(),
  facilityNodeId: uuid.nullish(),
});

/** The rules for updating a camera. Omitted fields stay unchanged; those with `nullish` can be set to null. */
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

@InputType({ description: "A camera with a stream URL." })
export class CreateCameraInput {
  @Field(() => String, { description: "1 to 200 characters." })
  name!: string;

  @Field(() => String, { description: "An rtsp, rtmp, rtmps, http or https URL of at most 2048 characters." })
  url!: string;

  @Field(() => StreamType, { description: "How the camera's pictures reach the service." })
  streamType!: StreamType;

  @Field(() => StreamProtocol, { nullable: true, description: "The protocol of the stream." })
  streamProtocol?: StreamProtocol | null;

  @Field(() => Uuid, { nullable: true, description: "The device at the facility to which the camera is connected." })
  facilityNodeId?: string | null;
}

@InputType({ description: "A width and a height in pixels." })
export class ImageDimensionsInput {
  @Field(() => Float)
  width!: number;

  @Field(() => Float)
  height!: number;
}

@InputType({ description: "The fields of a camera to update. Omitted fields stay unchanged." })
export class UpdateCameraInput {
  @Field(() => String, { nullable: true, description: "1 to 200 characters." })
  name?: string;

  @Field(() => String, {
    nullable: true,
    description:
      "An rtsp, rtmp, rtmps, http or https URL. A changed URL creates a new stream request. *** as the password keeps the current password.",
  })
  url?: string;

  @Field(() => [String], { nullable: true, description: "The addresses that are notified of this camera's alerts by email, at most 50." })
  emailAddresses?: string[];

  @Field(() => ImageDimensionsInput, { nullable: true })
  imageDimensions?: ImageDimensionsInput;

  @Field(() => StreamType, { nullable: true })
  streamType?: StreamType;

  @Field(() => StreamProtocol, { nullable: true })
  streamProtocol?: StreamProtocol;

  @Field(() => Uuid, { nullable: true, description: "The device at the facility that the camera is attached to; null removes it." })
  facilityNodeId?: string | null;
}

@InputType({ description: "A status detail to set." })
export class StatusDetailInput {
  @Field(() => String, { description: "1 to 100 printable characters." })
  statusDetail!: string;

  @Field(() => StatusSource, { description: "The source of the report." })
  source!: StatusSource;
}
