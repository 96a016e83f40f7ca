import { Ctx, Query, Resolver } from "type-graphql";
import { z } from "zod";
import type { RequestContext } from "../../../engine/operation/request-context.js";
import { argumentsType, CheckedArgs, graphqlField } from "../../../platform/input/input-type.js";
import { csvSeparators } from "../../../platform/spreadsheet/csv.js";
import { AlertFilter } from "../alert.input.js";
import { exportAlerts } from "./alert-export.service.js";
import { AlertExport, AlertExportFormat, exportLanguage } from "./alert-export.type.js";

type AlertExportArguments = InstanceType<typeof AlertExportArguments>;
const AlertExportArguments = argumentsType(
  z.object({
    filter: AlertFilter.rules.describe("The alerts to export, without a maximum number."),
    format: z
      .enum(AlertExportFormat)
      .nullish()
      .describe("The format of the file.")
      .register(graphqlField, { defaultValue: AlertExportFormat.XLSX }),
    separator: z
      .enum(csvSeparators, { error: "must be , or ;" })
      .nullish()
      .describe(
        "The separator of CSV fields: a comma, or a semicolon, which spreadsheet programs expect where decimals have a comma.",
      )
      .register(graphqlField, { type: String, defaultValue: "," }),
    language: exportLanguage
      .nullish()
      .describe(
        "The language of the headers and of the types in words: en or de. The names in NDJSON are always English.",
      )
      .register(graphqlField, { type: String, defaultValue: "en" }),
  }),
);

@Resolver()
export class AlertExportResolver {
  @Query(() => AlertExport, {
    description:
      "Creates a link to a file with the matching alerts, newest first, of all facilities where the caller holds alerts:read. It names who acknowledged an alert only with users:read. FORBIDDEN if there is no such facility, BAD_REQUEST if the lists of the filter are too long for a link.",
  })
  exportAlerts(
    @Ctx() context: RequestContext,
    @CheckedArgs(AlertExportArguments) { filter, format, separator, language }: AlertExportArguments,
  ): Promise<AlertExport> {
    return exportAlerts(context, {
      filter,
      format: format ?? AlertExportFormat.XLSX,
      separator: separator ?? ",",
      language: language ?? "en",
    });
  }
}
