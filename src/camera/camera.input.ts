import { z } from "zod";
import { inputType } from "../platform/input-type.js";
import { uuid } from "../platform/scalars.js";
import { emailAddress, printableText, resourceName } from "../platform/text-rules.js";
import { cameraUrl } from "./camera-url.js";
import { StatusSource } from "./status-source.js";
import { StreamProtocol, StreamType } from "./stream-type.js";

/** A width or a height in pixels. */
export const pixelCount = z.number("must be a number").positive("must be positive").max(1_000_000, "must be at most 1000000");

/** A width and a height in pixels. */
export const imageDimensions = z.object({ width: pixelCount, height: pixelCount }, "must be an object with width and height");

export const ImageDimensionsInput = inputType("ImageDimensionsInput", "A width and a height in pixels.", imageDimensions);

/** A new camera with a stream URL. */
export type CreateCameraInput = InstanceType<typeof CreateCameraInput>;
export const CreateCameraInput = inputType(
  "CreateCameraInput",
  "A camera with a stream URL.",
  z.object({
    name: resourceName,
    url: cameraUrl.describe("An rtsp, rtmp, rtmps, http or https URL of at most 2048 characters."),
    streamType: z.enum(StreamType).describe("How the camera's pictures reach the service."),
    streamProtocol: z.enum(StreamProtocol).nullish().describe("The protocol of the stream."),
    facilityNodeId: uuid.nullish().describe("The device at the facility to which the camera is connected."),
  }),
);

/** Omitted fields stay unchanged; those with `nullish` can be set to null. */
export type UpdateCameraInput = InstanceType<typeof UpdateCameraInput>;
export const UpdateCameraInput = inputType(
  "UpdateCameraInput",
  "The fields of a camera to update. Omitted fields stay unchanged.",
  z.object({
    name: resourceName.optional(),
    url: cameraUrl
      .optional()
      .describe(
        "An rtsp, rtmp, rtmps, http or https URL. A changed URL creates a new stream request. *** as the password keeps the current password.",
      ),
    emailAddresses: z
      .array(emailAddress, "must be a list")
      .max(50, "must list at most 50")
      .optional()
      .describe("The addresses that are notified of this camera's alerts by email, at most 50."),
    imageDimensions: imageDimensions.optional(),
    streamType: z.enum(StreamType, { error: "must not be null" }).optional(),
    streamProtocol: z.enum(StreamProtocol, { error: "must not be null" }).optional(),
    facilityNodeId: uuid.nullish().describe("The device at the facility that the camera is attached to; null removes it."),
  }),
);

export type StatusDetailInput = InstanceType<typeof StatusDetailInput>;
export const StatusDetailInput = inputType(
  "StatusDetailInput",
  "A status detail to set.",
  z.object({
    statusDetail: printableText(100).describe("1 to 100 printable characters."),
    source: z.enum(StatusSource, { error: `must be one of ${Object.values(StatusSource).join(", ")}` }).describe("The source of the report."),
  }),
);
