import { Arg, Ctx, Query, Resolver } from "type-graphql";
import type { RequestContext } from "../request/request-context.js";
import { AlertFilter } from "./alert.input.js";
import { exportAlerts } from "./alert-export.service.js";
import { AlertExport, AlertExportFormat } from "./alert-export.type.js";

@Resolver()
export class AlertExportResolver {
  @Query(() => AlertExport, {
    description:
      "Creates a link to a file with the matching alerts, newest first, of all facilities where the caller holds alerts:read. FORBIDDEN if there is no such facility, BAD_REQUEST if the lists of the filter are too long for a link.",
  })
  exportAlerts(
    @Ctx() context: RequestContext,
    @Arg("filter", () => AlertFilter, { description: "The alerts to export, any number of them." }) filter: AlertFilter,
    @Arg("format", () => AlertExportFormat, { defaultValue: AlertExportFormat.XLSX, nullable: true, description: "The format of the file." })
    format: AlertExportFormat | null,
  ): Promise<AlertExport> {
    return exportAlerts(context, filter, format ?? AlertExportFormat.XLSX);
  }
}
