import { Field, InputType } from "type-graphql";
import { z } from "zod";
import { type Upload, UploadScalar } from "../platform/incoming-file.js";
import { JsonObject } from "../platform/scalars.js";
import { resourceName } from "../platform/text-rules.js";
import { pixelCount } from "./camera.input.js";

const longestMetadata = 64 * 1024;

/** The rules for what a client says of its picture. */
export const clientCameraMetadata = z
  .looseObject({ width: pixelCount.optional(), height: pixelCount.optional() }, "must be a JSON object")
  .refine((metadata) => JSON.stringify(metadata).length <= longestMetadata, `must have at most ${longestMetadata} characters as JSON`);

/** The rules for a new camera of a client. Its picture is checked while it is received. */
export const createClientCameraInput = z.object({ name: resourceName, metadata: clientCameraMetadata.nullish() });

@InputType({ description: "A camera that has no stream: the client uploads its picture." })
export class CreateClientCameraInput {
  @Field(() => String, { description: "1 to 200 characters." })
  name!: string;

  @Field(() => UploadScalar, {
    description:
      "A JPEG, PNG or WebP picture of at most 50 megapixels and, unless the gateway is set otherwise, 10 MiB. It is stored upright and without its metadata, WebP as JPEG.",
  })
  image!: Upload;

  @Field(() => JsonObject, {
    nullable: true,
    description:
      "Kept as `advancedSettings.metadata`. Numbers `width` and `height` become the camera's `imageDimensions` instead of the picture's own.",
  })
  metadata?: { width?: number; height?: number; [name: string]: unknown } | null;
}
