import { Arg, Ctx, Query, Resolver } from "type-graphql";
import { z } from "zod";
import type { RequestContext } from "../../operation/request-context.js";
import { ArgumentRules } from "../../platform/input-type.js";
import { type CsvSeparator, csvSeparators } from "../../spreadsheet/csv.js";
import { AlertFilter } from "../alert.input.js";
import { exportAlerts } from "./alert-export.service.js";
import { AlertExport, AlertExportFormat } from "./alert-export.type.js";
import { type ExportLanguage, exportLanguage } from "./alert-export-language.js";

@Resolver()
export class AlertExportResolver {
  @ArgumentRules(
    z.object({
      filter: AlertFilter.rules,
      separator: z.enum(csvSeparators, { error: "must be , or ;" }).nullish(),
      language: exportLanguage.nullish(),
    }),
  )
  @Query(() => AlertExport, {
    description:
      "Creates a link to a file with the matching alerts, newest first, of all facilities where the caller holds alerts:read. It names who acknowledged an alert only with users:read. FORBIDDEN if there is no such facility, BAD_REQUEST if the lists of the filter are too long for a link.",
  })
  exportAlerts(
    @Ctx() context: RequestContext,
    @Arg("filter", () => AlertFilter, { description: "The alerts to export, without a maximum number." })
    filter: AlertFilter,
    @Arg("format", () => AlertExportFormat, {
      defaultValue: AlertExportFormat.XLSX,
      nullable: true,
      description: "The format of the file.",
    })
    format: AlertExportFormat | null,
    @Arg("separator", () => String, {
      defaultValue: ",",
      nullable: true,
      description:
        "The separator of CSV fields: a comma, or a semicolon, which spreadsheet programs expect where decimals have a comma.",
    })
    separator: CsvSeparator | null,
    @Arg("language", () => String, {
      defaultValue: "en",
      nullable: true,
      description:
        "The language of the headers and of the types in words: en or de. The names in NDJSON are always English.",
    })
    language: ExportLanguage | null,
  ): Promise<AlertExport> {
    return exportAlerts(context, {
      filter,
      format: format ?? AlertExportFormat.XLSX,
      separator: separator ?? ",",
      language: language ?? "en",
    });
  }
}
