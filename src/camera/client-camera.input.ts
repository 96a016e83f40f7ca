import { Field, InputType } from "type-graphql";
import { z } from "zod";
import { type Upload, UploadScalar } from "../platform/incoming-file.js";
import { JsonObject } from "../platform/scalars.js";
import { resourceName } from "../platform/text-rules.js";
import { pixelCount } from "./camera.input.js";

const maxMetadataLength = 64 * 1024;

/** The rules for the metadata of a client's picture. */
export const clientCameraMetadata = z
  .looseObject({ width: pixelCount.optional(), height: pixelCount.optional() }, "must be a JSON object")
  .refine((metadata) => JSON.stringify(metadata).length <= maxMetadataLength, `must have at most ${maxMetadataLength} characters as JSON`);

/** The rules for a new client camera. Its picture is validated while it is received. */
export const createClientCameraInput = z.object({ name: resourceName, image: z.unknown(), metadata: clientCameraMetadata.nullish() });

@InputType({ description: "A camera without a stream, whose picture the client uploads." })
export class CreateClientCameraInput {
  @Field(() => String, { description: "1 to 200 characters." })
  name!: string;

  @Field(() => UploadScalar, {
    description:
      "A JPEG, PNG or WebP picture of at most 50 megapixels and, unless the gateway is configured otherwise, 10 MiB. It is stored upright and without metadata, WebP as JPEG.",
  })
  image!: Upload;

  @Field(() => JsonObject, {
    nullable: true,
    description:
      "Stored as `advancedSettings.metadata`. The numbers `width` and `height`, if given, override the size of the picture in `imageDimensions`.",
  })
  metadata?: { width?: number; height?: number; [name: string]: unknown } | null;
}
