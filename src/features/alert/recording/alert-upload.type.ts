import { Field, ObjectType, registerEnumType } from "type-graphql";
import { z } from "zod";
import { existingId } from "../../../platform/input/descriptions.js";
import { argumentsType, graphqlField, idField } from "../../../platform/input/input-type.js";
import { DateTimeIso, Uuid } from "../../../platform/input/scalars.js";

/** What is uploaded for an alert. */
export enum AlertUploadKind {
  PICTURE = "PICTURE",
  CLIP = "CLIP",
}

registerEnumType(AlertUploadKind, {
  name: "AlertUploadKind",
  description: "What is uploaded for an alert.",
  valuesConfig: {
    PICTURE: { description: "A JPEG, PNG or WebP picture." },
    CLIP: { description: "An MP4." },
  },
});

const place = (what: string) => idField.nullish().describe(`${existingId(what)} Give one of the two IDs.`);

const createAlertUploadArguments = z
  .object({
    cameraId: place("the camera at whose facility alerts can use it"),
    facilityId: place("the facility where alerts can use it"),
    kind: z
      .enum(AlertUploadKind)
      .optional()
      .describe("What is uploaded.")
      .register(graphqlField, { type: AlertUploadKind, defaultValue: AlertUploadKind.PICTURE }),
  })
  .refine(({ cameraId, facilityId }) => (cameraId == null) !== (facilityId == null), {
    path: ["cameraId"],
    error: "must be given, or facilityId",
  });

export type CreateAlertUploadArguments = InstanceType<typeof CreateAlertUploadArguments>;
export const CreateAlertUploadArguments = argumentsType(createAlertUploadArguments);

@ObjectType({
  description: "A link for uploading the picture or the clip of an alert.",
  simpleResolvers: true,
})
export class CreateAlertUploadPayload {
  @Field(() => Uuid, { description: "The ID to pass to `recordAlerts` once the file has been uploaded." })
  uploadId!: string;

  @Field(() => String, {
    description:
      "The URL to send the file to, as the body of an HTTP PUT without credentials. Sending another one replaces the first one.",
  })
  url!: string;

  @Field(() => DateTimeIso, {
    description:
      "When the link expires, 15 minutes after it was created. An uploaded file is kept for 24 hours if no alert uses it.",
  })
  expiresAt!: Date;
}
