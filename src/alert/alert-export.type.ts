import { Field, ObjectType } from "type-graphql";
import { DateTimeIso } from "../platform/scalars.js";

@ObjectType({ description: "Alerts as a spreadsheet, to be downloaded.", simpleResolvers: true })
export class AlertExport {
  @Field(() => String, {
    description:
      "A link to the xlsx file that opens without credentials until `expiresAt`: keep it secret. It holds what its maker may see when it is opened.",
  })
  url!: string;

  @Field(() => DateTimeIso, { description: "Five minutes after the link was made." })
  expiresAt!: Date;
}
