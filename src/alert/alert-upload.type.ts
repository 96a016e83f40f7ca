import { Field, ObjectType } from "type-graphql";
import { DateTimeIso, Uuid } from "../platform/scalars.js";

@ObjectType({ description: "Leave to send the picture of an alert.", simpleResolvers: true })
export class CreateAlertUploadPayload {
  @Field(() => Uuid, { description: "What `recordAlerts` takes once the picture has arrived." })
  uploadId!: string;

  @Field(() => String, {
    description: "Where the picture is sent as the body of an HTTP PUT, without credentials. Sent again, it takes the place of the first one.",
  })
  url!: string;

  @Field(() => DateTimeIso, { description: "Until when it may be sent. Once arrived, it waits for its alert for 24 hours." })
  expiresAt!: Date;
}
