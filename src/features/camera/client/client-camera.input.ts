import { z } from "zod";
import { acceptedPicture, storedPicture } from "../../../engine/storage/picture.js";
import { type Upload, UploadScalar } from "../../../platform/files/incoming-file.js";
import { graphqlField, inputType } from "../../../platform/input/input-type.js";
import { JsonObject } from "../../../platform/input/scalars.js";
import { resourceName } from "../../../platform/input/text-rules.js";
import { pixelCount } from "../camera.input.js";

const maxMetadataLength = 64 * 1024;

/** The rules for the metadata of a client's picture. */
export const clientCameraMetadata = z
  .looseObject({ width: pixelCount.optional(), height: pixelCount.optional() }, "must be a JSON object")
  .refine(
    (metadata) => JSON.stringify(metadata).length <= maxMetadataLength,
    `must have at most ${maxMetadataLength} characters as JSON`,
  )
  .register(graphqlField, { type: JsonObject });

/** A new client camera, whose picture the gateway validates while receiving it. */
export type CreateClientCameraInput = InstanceType<typeof CreateClientCameraInput>;
export const CreateClientCameraInput = inputType(
  "CreateClientCameraInput",
  "A camera without a stream, whose picture the client uploads.",
  z.object({
    name: resourceName,
    image: z
      .custom<Upload>()
      .register(graphqlField, { type: UploadScalar })
      .describe(`${acceptedPicture} ${storedPicture}`),
    metadata: clientCameraMetadata
      .nullish()
      .describe(
        "Stored as `advancedSettings.metadata`. The numbers `width` and `height`, if given, override the size of the picture in `imageDimensions`.",
      ),
  }),
);
