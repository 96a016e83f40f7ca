import { z } from "zod";
import { graphqlField, inputType } from "../platform/input-type.js";
import { SafeInt } from "../platform/scalars.js";
import { absoluteUrl, optionalText, text } from "../platform/text-rules.js";

export type StreamThumbnailInput = InstanceType<typeof StreamThumbnailInput>;
export const StreamThumbnailInput = inputType(
  "StreamThumbnailInput",
  "A thumbnail of the stream.",
  z.object({ url: absoluteUrl.describe("An absolute http(s) URL of at most 2048 characters. It is returned as is and never fetched.") }),
);

const pixels = z
  .string("must be a string")
  .regex(/^[1-9]\d{0,6}$/, "must be a string with a positive integer")
  .describe("In pixels: a positive integer, as a string.");

const detail = optionalText(200).nullish();

export type StreamMetadataInput = InstanceType<typeof StreamMetadataInput>;
export const StreamMetadataInput = inputType(
  "StreamMetadataInput",
  "The metadata of the stream, as reported by ffprobe.",
  z.object({
    width: pixels,
    height: pixels,
    codecName: detail,
    displayAspectRatio: detail,
    pixFmt: detail,
    avgFrameRate: detail,
    durationTs: z.int("must be an integer").nullish().register(graphqlField, { type: SafeInt }),
    duration: detail,
    bitRate: detail,
    nbFrames: detail,
  }),
);

export type StreamErrorInput = InstanceType<typeof StreamErrorInput>;
export const StreamErrorInput = inputType(
  "StreamErrorInput",
  "Why the stream cannot be opened.",
  z.object({
    operation: text(200).describe("The operation that failed, 1 to 200 characters."),
    error: text(10_000).describe("The error message, 1 to 10,000 characters."),
  }),
);
