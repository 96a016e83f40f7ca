import { Field, ObjectType } from "type-graphql";
import { DateTimeIso } from "../platform/scalars.js";

@ObjectType({ description: "A spreadsheet of alerts for download.", simpleResolvers: true })
export class AlertExport {
  @Field(() => String, {
    description:
      "A link to the xlsx file that works without credentials until `expiresAt`: keep it secret. The file contains the alerts that the creator of the link can see at the time of the download.",
  })
  url!: string;

  @Field(() => DateTimeIso, { description: "When the link expires, five minutes after it was created." })
  expiresAt!: Date;
}
