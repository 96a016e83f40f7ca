import type { Writable } from "node:stream";
import type { DownloadWriter } from "../../http/download.js";
import type { RequestContext } from "../../operation/request-context.js";
import { type LineFile, writeLines } from "../../platform/line-file.js";
import { unitsOfRow } from "../../reading/rows.js";
import { type SpreadsheetColumn, timeFormat } from "../../spreadsheet/cell.js";
import { csvFile } from "../../spreadsheet/csv.js";
import { fullAlert } from "../recording/full-alert.js";
import {
  type ExportedAlert,
  type ExportedFullAlert,
  exportedAlerts,
  exportedFullAlerts,
  type OpenedExport,
} from "./alert-export.service.js";
import type { AlertExportFormat } from "./alert-export.type.js";
import { exportFacts } from "./alert-export-facts.js";

/** A file format for exported alerts. */
interface ExportFile {
  contentType: string;
  extension: string;
  write: (opened: OpenedExport, ...to: Parameters<DownloadWriter>) => Promise<number>;
}

export const exportFiles: Record<AlertExportFormat, ExportFile> = {
  XLSX: {
    contentType: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    extension: "xlsx",
    write: writeXlsx,
  },
  CSV: {
    contentType: "text/csv; charset=utf-8",
    extension: "csv",
    write: (opened, target, onProgress) =>
      writeLines(
        target,
        csvFile(columnsFor(opened.context), opened.separator),
        exportedAlerts(opened),
        onProgress,
      ),
  },
  NDJSON: {
    contentType: "application/x-ndjson",
    extension: "ndjson",
    write: (opened, target, onProgress) =>
      writeLines(target, jsonLines(opened.context), exportedFullAlerts(opened), onProgress),
  },
};

async function writeXlsx(
  opened: OpenedExport,
  target: Writable,
  onProgress: (rows: number) => void,
): Promise<number> {
  // Load exceljs on demand: loading takes 200 ms.
  const { writeSpreadsheet } = await import("../../spreadsheet/spreadsheet.js");
  const facts = { name: "Filter", facts: await exportFacts(opened) };
  return writeSpreadsheet(
    target,
    { name: "Alerts", columns: columnsFor(opened.context), facts },
    exportedAlerts(opened),
    onProgress,
  );
}

function jsonLines({ services: { links } }: RequestContext): LineFile<ExportedFullAlert> {
  return {
    lineOf: (alert) => `${JSON.stringify(fullAlert(alert, alert.timeZoneId, links))}\n`,
    unitsOf: unitsOfRow,
  };
}

/** Without this format, some programs display Booleans as numbers. */
const booleanFormat = '"TRUE";"TRUE";"FALSE"';

/**
 * The columns of the spreadsheet. Append new ones: programs may address columns by their
 * position.
 */
function columnsFor({ services: { links } }: RequestContext): SpreadsheetColumn<ExportedAlert>[] {
  return [
    { header: "Local time", width: 20, format: timeFormat, value: (alert) => alert.localTime },
    { header: "UTC time", width: 20, format: timeFormat, value: (alert) => alert.createdAt },
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
    {
      header: "Image",
      width: 15,
      value: ({ url }) => url && { link: links.urlFor(url, "week") as string, text: "Open picture" },
    },
    { header: "Alert id", width: 38, value: (alert) => alert.id },
    { header: "Time zone", width: 22, value: (alert) => alert.timeZoneId },
    { header: "Rule in words", width: 50, value: (alert) => alert.ruleInWords },
  ];
}
