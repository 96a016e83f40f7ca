import { z } from "zod";
import { graphqlField, inputType } from "../../../platform/input/input-type.js";
import { SafeInt } from "../../../platform/input/scalars.js";
import { absoluteUrl, name, optionalText, text } from "../../../platform/input/text-rules.js";

export type StreamThumbnailInput = InstanceType<typeof StreamThumbnailInput>;
export const StreamThumbnailInput = inputType(
  "StreamThumbnailInput",
  "A thumbnail of the stream.",
  z.object({
    url: absoluteUrl.describe(
      "An absolute http(s) URL of at most 2048 characters. The gateway returns it as is, and never fetches it.",
    ),
  }),
);

const pixels = z
  .string("must be a string")
  .regex(/^[1-9]\d{0,6}$/, "must be a string with a positive integer")
  .describe("In pixels: a positive integer, as a string.");

const detail = (description: string) =>
  optionalText(200).nullish().describe(`${description} At most 200 characters.`);

export type StreamMetadataInput = InstanceType<typeof StreamMetadataInput>;
export const StreamMetadataInput = inputType(
  "StreamMetadataInput",
  "The metadata of the stream, as reported by ffprobe. The gateway keeps values unchanged, and drops fields that are omitted or null.",
  z.object({
    width: pixels,
    height: pixels,
    codecName: detail("The name of the codec, such as h264."),
    displayAspectRatio: detail("The ratio of width to height as displayed, such as 16:9."),
    pixFmt: detail("The pixel format, such as yuv420p."),
    avgFrameRate: detail("The average number of frames per second, as a fraction such as 25/1."),
    durationTs: z
      .int("must be an integer")
      .nullish()
      .describe("The duration in units of the stream's time base, an integer; null for a live stream.")
      .register(graphqlField, { type: SafeInt }),
    duration: detail("The duration in seconds, such as 12.480000; null for a live stream."),
    bitRate: detail("The bit rate in bits per second, such as 2048000."),
    nbFrames: detail("The number of frames; null for a live stream."),
  }),
);

export type StreamErrorInput = InstanceType<typeof StreamErrorInput>;
export const StreamErrorInput = inputType(
  "StreamErrorInput",
  "Why the stream cannot be opened.",
  z.object({
    operation: name(200).describe("The operation that failed, 1 to 200 characters."),
    error: text(10_000).describe("The error message, 1 to 10,000 characters."),
  }),
);
