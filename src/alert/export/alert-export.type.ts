import { Field, ObjectType, registerEnumType } from "type-graphql";
import { DateTimeIso } from "../../platform/scalars.js";

export enum AlertExportFormat {
  XLSX = "XLSX",
  CSV = "CSV",
  NDJSON = "NDJSON",
}

registerEnumType(AlertExportFormat, {
  name: "AlertExportFormat",
  description: "The format of a file of alerts.",
  valuesConfig: {
    XLSX: { description: "A spreadsheet with typed cells, and a sheet that says what was asked for." },
    CSV: {
      description:
        "The columns of the spreadsheet as CSV by RFC 4180, in UTF-8 with a byte order mark, times to the second. An apostrophe stands before what programs would take for a formula, whether they split at commas or semicolons: where a text, or what follows a comma, a semicolon or a line break in it, begins with =, +, -, @, also after blanks and invisible characters, and before a text that begins with a tab or a carriage return.",
    },
    NDJSON: {
      description:
        "A JSON object per line, with the names and values of the full alert in the REST API, and links that are valid for a week.",
    },
  },
});

@ObjectType({ description: "A file of alerts for download.", simpleResolvers: true })
export class AlertExport {
  @Field(() => String, {
    description:
      "A link to the file that works without credentials until `expiresAt`: keep it secret. The file contains the alerts that the creator of the link can see at the time of the download; relative days are those at the time when it was created.",
  })
  url!: string;

  @Field(() => DateTimeIso, { description: "When the link expires, five minutes after it was created." })
  expiresAt!: Date;
}
