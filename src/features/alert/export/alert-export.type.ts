import { Field, ObjectType, registerEnumType } from "type-graphql";
import { z } from "zod";
import { DateTimeIso } from "../../../platform/input/scalars.js";
import { type LanguageCode, languageCodes } from "../../../platform/text/language.js";

export enum AlertExportFormat {
  XLSX = "XLSX",
  CSV = "CSV",
  NDJSON = "NDJSON",
}

registerEnumType(AlertExportFormat, {
  name: "AlertExportFormat",
  description: "The format of a file of alerts.",
  valuesConfig: {
    XLSX: {
      description:
        "A spreadsheet with typed cells, and a sheet that lists the conditions of the filter. All times but the local time are in UTC.",
    },
    CSV: {
      description:
        "The columns of the spreadsheet as CSV by RFC 4180, in UTF-8 with a byte order mark, with times to the second. An apostrophe keeps programs from reading text as a formula, whether they split at commas or at semicolons. It precedes a text that begins with =, +, - or @, even after blanks and invisible characters, and each such part after a comma, a semicolon or a line break within a text. It also precedes a text that begins with a tab or a carriage return.",
    },
    NDJSON: {
      description:
        "One JSON object per line, with the names and values of the full alert in the REST API, then acknowledged, acknowledgedBy, acknowledgedAt, comments, newestComment and typeInWords, as in the last columns of the spreadsheet. Its links are valid for a week.",
    },
  },
});

@ObjectType({ description: "A file of alerts for download.", simpleResolvers: true })
export class AlertExport {
  @Field(() => String, {
    description:
      "A link to the file. It works without credentials until `expiresAt`: keep it secret. The file contains the alerts that the link's creator may see at the time of the download. Relative days are counted from the creation of the link.",
  })
  url!: string;

  @Field(() => DateTimeIso, { description: "When the link expires, five minutes after it was created." })
  expiresAt!: Date;
}

export const exportLanguage = z.enum(languageCodes, { error: `must be ${languageCodes.join(" or ")}` });

export type Translated = Record<LanguageCode, string>;
