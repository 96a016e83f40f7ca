import { ExportAlertsDocument } from "../../generated/operations.js";
import type { Download } from "../../http/download.js";
import { booleanParameter, exampleIds, listOf, uuidParameter } from "../../route/parameters.js";
import { route } from "../../route/route.js";
import { alertFilters, filterVariables, period } from "../alert.rest.js";
import { openExport } from "./alert-export.service.js";
import { exportFiles } from "./alert-export-file.js";
import { exportLanguage } from "./alert-export-language.js";

const download: Download = {
  contentType: exportFiles.XLSX.contentType,
  open: async (request, signed) => {
    const opened = await openExport(request, signed);
    const { contentType, extension, write } = exportFiles[opened.format];
    return {
      context: opened.context,
      contentType,
      fileName: (now) => `alerts-${now.toISOString().slice(0, 10)}.${extension}`,
      write: (target, onProgress) => write(opened, target, onProgress),
    };
  },
};

export const alertExportRoutes = [
  route("GET /alerts/export", {
    number: 22,
    summary:
      "Download the alerts of a period as xlsx, newest first, of all facilities where the caller holds alerts:read",
    operation: ExportAlertsDocument,
    query: period.extend({
      facilityId: alertFilters.facilityId,
      cameraId: uuidParameter
        .optional()
        .describe("Only alerts of this camera")
        .meta({ example: exampleIds.cameraId }),
      type: alertFilters.type,
      severity: alertFilters.severity,
      bookmark: alertFilters.bookmark,
      observation: booleanParameter
        .optional()
        .describe("Only alerts of rules that observe, or only others")
        .meta({ example: false }),
      areaId: alertFilters.areaId,
      falsePositive: listOf(booleanParameter)
        .optional()
        .describe("Only alerts that are marked as false positives, only others, or both")
        .meta({ example: [false] }),
      lang: exportLanguage
        .optional()
        .describe("The language of the headers and of the types in words; English by default")
        .meta({ example: "de" }),
    }),
    variables: {
      ...filterVariables,
      "filter.cameraIds": { from: "query.cameraId", compute: (id: string) => [id] },
      "filter.observation": "query.observation",
      "filter.falsePositive": "query.falsePositive",
      language: "query.lang",
    },
    response: { envelope: "file", from: ["exportAlerts", "url"] },
    permission: "alerts:read",
    download,
  }),
];
