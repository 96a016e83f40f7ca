import { ExportAlertsDocument } from "../generated/operations.js";
import type { Download } from "../http/download.js";
import { booleanParameter, exampleIds, listOf, uuidParameter } from "../http/parameters.js";
import { route } from "../http/route.js";
import type { RequestContext } from "../request/request-context.js";
import type { Spreadsheet } from "../spreadsheet/spreadsheet.js";
import { alertFilters, filterVariables, period } from "./alert.rest.js";
import { type ExportedAlert, exportedAlerts, openExport } from "./alert-export.service.js";

const dateFormat = "yyyy-mm-dd hh:mm:ss";
/** Without it, some programs display Booleans as numbers. */
const booleanFormat = '"TRUE";"TRUE";"FALSE"';

function sheetOf({ services: { links } }: RequestContext): Spreadsheet<ExportedAlert> {
  return {
    name: "Alerts",
    columns: [
      { header: "Local time", width: 20, format: dateFormat, value: (alert) => alert.localTime },
      { header: "UTC time", width: 20, format: dateFormat, value: (alert) => alert.createdAt },
      { header: "Facility", width: 24, value: (alert) => alert.facility },
      { header: "Camera", width: 24, value: (alert) => alert.camera },
      { header: "Type", width: 34, value: (alert) => alert.name },
      { header: "Severity", width: 12, value: (alert) => alert.severity },
      { header: "Count", width: 10, value: (alert) => alert.count },
      { header: "Bookmark", format: booleanFormat, width: 12, value: (alert) => alert.bookmark },
      { header: "False positive", format: booleanFormat, width: 15, value: (alert) => alert.falsePositive },
      { header: "Observation", format: booleanFormat, width: 14, value: (alert) => alert.observation },
      { header: "Rule", width: 34, value: (alert) => alert.rule },
      { header: "Areas", width: 28, value: (alert) => alert.areas.join(", ") || null },
      { header: "Image", width: 15, value: ({ url }) => url && { link: links.urlFor(url, "week") as string, text: "Open picture" } },
      { header: "Alert id", width: 38, value: (alert) => alert.id },
    ],
  };
}

const download: Download = {
  contentType: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  fileName: (now) => `alerts-${now.toISOString().slice(0, 10)}.xlsx`,
  open: async (request, signed) => {
    const { context, filter } = await openExport(request, signed);
    // Loaded on demand, because loading exceljs takes 200 ms.
    const { writeSpreadsheet } = await import("../spreadsheet/spreadsheet.js");
    return { context, write: (target, onProgress) => writeSpreadsheet(target, sheetOf(context), exportedAlerts(context, filter), onProgress) };
  },
};

export const alertExportRoutes = [
  route("GET /alerts/export", {
    number: 22,
    summary: "Download the alerts of a period as xlsx, newest first, of all facilities where the caller holds alerts:read",
    operation: ExportAlertsDocument,
    query: period.extend({
      facilityId: alertFilters.facilityId,
      cameraId: uuidParameter.optional().describe("Only alerts of this camera").meta({ example: exampleIds.cameraId }),
      type: alertFilters.type,
      severity: alertFilters.severity,
      bookmark: alertFilters.bookmark,
      observation: booleanParameter.optional().describe("Only alerts of rules that observe, or only others").meta({ example: false }),
      areaId: alertFilters.areaId,
      falsePositive: listOf(booleanParameter)
        .optional()
        .describe("Only alerts that are marked as false positives, only others, or both")
        .meta({ example: [false] }),
    }),
    variables: {
      ...filterVariables,
      "filter.cameraIds": { from: "query.cameraId", compute: (id: string) => [id] },
      "filter.observation": "query.observation",
      "filter.falsePositive": "query.falsePositive",
    },
    response: { envelope: "file", from: ["exportAlerts", "url"] },
    permission: "alerts:read",
    download,
  }),
];
