import type { Download } from "../../../engine/http/download.js";
import { booleanParameter, exampleIds, listOf, uuidParameter } from "../../../engine/route/parameters.js";
import { route } from "../../../engine/route/route.js";
import { ExportAlertsDocument } from "../../../generated/operations.js";
import { alertFilters, type FilterParameters, filterRules, filterVariables, period } from "../alert.rest.js";
import { openExport } from "./alert-export.service.js";
import { exportLanguage } from "./alert-export.type.js";
import { exportFiles } from "./alert-export-file.js";

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

const { areaId, ...otherFilters } = alertFilters;

/** The filters of exports, in the order of the specification. */
const exportFilters = {
  ...otherFilters,
  cameraId: {
    field: "cameraIds",
    rule: uuidParameter
      .optional()
      .describe("Only alerts of this camera")
      .meta({ example: exampleIds.cameraId }),
    compute: (id: string) => [id],
  },
  observation: {
    field: "observation",
    rule: booleanParameter
      .optional()
      .describe("Only alerts of rules that observe, or only others")
      .meta({ example: false }),
  },
  areaId,
  falsePositive: {
    field: "falsePositive",
    rule: listOf(booleanParameter)
      .optional()
      .describe("Only alerts that are marked as false positives, only others, or both")
      .meta({ example: [false] }),
  },
} satisfies FilterParameters;

export const alertExportRoutes = [
  route("GET /alerts/export", {
    number: 22,
    summary:
      "Download the alerts of a period as xlsx, newest first, of all facilities where the caller holds alerts:read",
    operation: ExportAlertsDocument,
    query: period.extend({
      ...filterRules(exportFilters),
      lang: exportLanguage
        .optional()
        .describe("The language of the headers and of the types in words; English by default")
        .meta({ example: "de" }),
    }),
    variables: { ...filterVariables(exportFilters), language: "query.lang" },
    response: { envelope: "file", from: ["exportAlerts", "url"] },
    permission: "alerts:read",
    download,
  }),
];
