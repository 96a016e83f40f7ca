import type { Writable } from "node:stream";
import type { DownloadWriter } from "../../../engine/http/download.js";
import { unitsOfRow } from "../../../engine/reading/rows.js";
import type { SignedLinks } from "../../../engine/storage/signed-link.js";
import { type LineFile, writeLines } from "../../../platform/files/line-file.js";
import { type SpreadsheetColumn, timeFormat } from "../../../platform/spreadsheet/cell.js";
import { csvFile } from "../../../platform/spreadsheet/csv.js";
import { wordsFor } from "../../../platform/text/code-words.js";
import type { LanguageCode } from "../../../platform/text/language.js";
import { fullAlert } from "../recording/full-alert.js";
import { alertTypes } from "../type-texts.js";
import {
  type ExportedAlert,
  type ExportedFullAlert,
  exportedAlerts,
  exportedFullAlerts,
  type OpenedExport,
} from "./alert-export.service.js";
import type { AlertExportFormat, Translated } from "./alert-export.type.js";
import { exportFacts } from "./alert-export-facts.js";

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
      writeLines(target, csvFile(columnsFor(opened), opened.separator), exportedAlerts(opened), onProgress),
  },
  NDJSON: {
    contentType: "application/x-ndjson",
    extension: "ndjson",
    write: (opened, target, onProgress) =>
      writeLines(target, jsonLines(opened), exportedFullAlerts(opened), onProgress),
  },
};

async function writeXlsx(
  opened: OpenedExport,
  target: Writable,
  onProgress: (rows: number) => void,
): Promise<number> {
  // Load exceljs on demand: loading takes 200 ms.
  const { writeSpreadsheet } = await import("../../../platform/spreadsheet/spreadsheet.js");
  const sheets = sheetNames[opened.language];
  const facts = { name: sheets.filter, facts: await exportFacts(opened) };
  return writeSpreadsheet(
    target,
    { name: sheets.alerts, columns: columnsFor(opened), facts },
    exportedAlerts(opened),
    onProgress,
  );
}

function jsonLines({ context, language }: OpenedExport): LineFile<ExportedFullAlert> {
  const { links } = context.services;
  return {
    lineOf: (alert) => `${JSON.stringify(lineOf(alert, links, language))}\n`,
    unitsOf: unitsOfRow,
  };
}

/** The names and values of a line. Append new ones, as for {@link columnsFor}. */
const lineOf = (alert: ExportedFullAlert, links: SignedLinks, language: LanguageCode) => ({
  ...fullAlert(alert, alert.timeZoneId, links),
  alertRuleName: alert.alertRuleName,
  acknowledged: alert.acknowledgedAt !== null,
  acknowledgedBy: alert.acknowledgedBy,
  acknowledgedAt: alert.acknowledgedAt,
  comments: alert.comments,
  newestComment: alert.newestComment,
  typeInWords: wordsFor(alert.name, alertTypes[language]),
});

const sheetNames = {
  en: { alerts: "Alerts", filter: "Filter" },
  de: { alerts: "Alarme", filter: "Filter" },
} satisfies Record<LanguageCode, object>;

const openPicture: Translated = { en: "Open picture", de: "Bild öffnen" };

/** Without this format, some programs display Booleans as numbers. */
const booleanFormat = '"TRUE";"TRUE";"FALSE"';

/** The columns of the spreadsheet. Append new ones: programs may address columns by their position. */
function columnsFor({ context, language }: OpenedExport): SpreadsheetColumn<ExportedAlert>[] {
  const { links } = context.services;
  const columns: (Omit<SpreadsheetColumn<ExportedAlert>, "header"> & { header: Translated })[] = [
    {
      header: { en: "Local time", de: "Ortszeit" },
      width: 20,
      format: timeFormat,
      value: (alert) => alert.localTime,
    },
    {
      header: { en: "UTC time", de: "UTC-Zeit" },
      width: 20,
      format: timeFormat,
      value: (alert) => alert.createdAt,
    },
    { header: { en: "Facility", de: "Standort" }, width: 24, value: (alert) => alert.facility },
    { header: { en: "Camera", de: "Kamera" }, width: 24, value: (alert) => alert.camera },
    { header: { en: "Type", de: "Art" }, width: 34, value: (alert) => alert.name },
    { header: { en: "Severity", de: "Schwere" }, width: 12, value: (alert) => alert.severity },
    { header: { en: "Count", de: "Anzahl" }, width: 10, value: (alert) => alert.count },
    {
      header: { en: "Bookmark", de: "Gemerkt" },
      format: booleanFormat,
      width: 12,
      value: (alert) => alert.bookmark,
    },
    {
      header: { en: "False positive", de: "Fehlalarm" },
      format: booleanFormat,
      width: 15,
      value: (alert) => alert.falsePositive,
    },
    {
      header: { en: "Observation", de: "Beobachtung" },
      format: booleanFormat,
      width: 14,
      value: (alert) => alert.observation,
    },
    { header: { en: "Rule", de: "Regel" }, width: 34, value: (alert) => alert.alertRuleName ?? alert.rule },
    {
      header: { en: "Areas", de: "Bereiche" },
      width: 28,
      value: (alert) => alert.areas.join(", ") || null,
    },
    {
      header: { en: "Image", de: "Bild" },
      width: 15,
      value: ({ url }) => url && { link: links.urlFor(url, "week"), text: openPicture[language] },
    },
    { header: { en: "Alert id", de: "Alarm-ID" }, width: 38, value: (alert) => alert.id },
    { header: { en: "Time zone", de: "Zeitzone" }, width: 22, value: (alert) => alert.timeZoneId },
    {
      header: { en: "Rule in words", de: "Regel in Worten" },
      width: 50,
      value: (alert) => alert.ruleInWords,
    },
    {
      header: { en: "Acknowledged", de: "Quittiert" },
      format: booleanFormat,
      width: 15,
      value: (alert) => alert.acknowledgedAt !== null,
    },
    {
      header: { en: "Acknowledged by", de: "Quittiert von" },
      width: 24,
      value: (alert) => alert.acknowledgedBy,
    },
    {
      header: { en: "Acknowledged at", de: "Quittiert am" },
      width: 20,
      format: timeFormat,
      value: (alert) => alert.acknowledgedAt,
    },
    { header: { en: "Comments", de: "Kommentare" }, width: 12, value: (alert) => alert.comments },
    {
      header: { en: "Newest comment", de: "Neuester Kommentar" },
      width: 50,
      value: (alert) => alert.newestComment,
    },
    {
      header: { en: "Type in words", de: "Art in Worten" },
      width: 34,
      value: (alert) => wordsFor(alert.name, alertTypes[language]),
    },
  ];
  return columns.map(({ header, ...column }) => ({ ...column, header: header[language] }));
}
