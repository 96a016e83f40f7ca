import { Field, InputType } from "type-graphql";
import { z } from "zod";
import { SafeInt } from "../platform/scalars.js";
import { absoluteUrl, optionalText, text } from "../platform/text-rules.js";

/** The rules for a reported thumbnail. */
export const streamThumbnailInput = z.object({ url: absoluteUrl });

const pixels = z.string("must be a string").regex(/^[1-9]\d{0,6}$/, "must be a string with a positive integer");

const detail = optionalText(200).nullish();

/** The rules for reported metadata, the output of ffprobe. */
export const streamMetadataInput = z.object({
  width: pixels,
  height: pixels,
  codecName: detail,
  displayAspectRatio: detail,
  pixFmt: detail,
  avgFrameRate: detail,
  durationTs: z.int("must be an integer").nullish(),
  duration: detail,
  bitRate: detail,
  nbFrames: detail,
});

/** The rules for a reported error. */
export const streamErrorInput = z.object({ operation: text(200), error: text(10_000) });

@InputType({ description: "A thumbnail of the stream." })
export class StreamThumbnailInput {
  @Field(() => String, { description: "An absolute http(s) URL of at most 2048 characters. It is returned as is and never fetched." })
  url!: string;
}

@InputType({ description: "The metadata of the stream, as reported by ffprobe." })
export class StreamMetadataInput {
  @Field(() => String, { description: "In pixels: a positive integer, as a string." })
  width!: string;

  @Field(() => String, { description: "In pixels: a positive integer, as a string." })
  height!: string;

  @Field(() => String, { nullable: true })
  codecName?: string | null;

  @Field(() => String, { nullable: true })
  displayAspectRatio?: string | null;

  @Field(() => String, { nullable: true })
  pixFmt?: string | null;

  @Field(() => String, { nullable: true })
  avgFrameRate?: string | null;

  @Field(() => SafeInt, { nullable: true })
  durationTs?: number | null;

  @Field(() => String, { nullable: true })
  duration?: string | null;

  @Field(() => String, { nullable: true })
  bitRate?: string | null;

  @Field(() => String, { nullable: true })
  nbFrames?: string | null;
}

@InputType({ description: "Why the stream cannot be opened." })
export class StreamErrorInput {
  @Field(() => String, { description: "The operation that failed, 1 to 200 characters." })
  operation!: string;

  @Field(() => String, { description: "The error message, 1 to 10,000 characters." })
  error!: string;
}
