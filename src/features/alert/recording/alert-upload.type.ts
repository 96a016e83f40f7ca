import { Field, ObjectType } from "type-graphql";
import { DateTimeIso, Uuid } from "../../../platform/input/scalars.js";

@ObjectType({ description: "A link for uploading the picture of an alert.", simpleResolvers: true })
export class CreateAlertUploadPayload {
  @Field(() => Uuid, { description: "The ID to pass to `recordAlerts` once the picture has been uploaded." })
  uploadId!: string;

  @Field(() => String, {
    description:
      "The URL to send the picture to, as the body of an HTTP PUT without credentials. Sending another picture replaces the first one.",
  })
  url!: string;

  @Field(() => DateTimeIso, {
    description:
      "When the link expires, 15 minutes after it was created. An uploaded picture is kept for 24 hours if no alert uses it.",
  })
  expiresAt!: Date;
}
