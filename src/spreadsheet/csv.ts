import type { LineFile } from "../platform/line-file.js";
import { type CellValue, replaceControlCharacters, type SpreadsheetColumn } from "./cell.js";

/** Without it, spreadsheet programs take UTF-8 for an encoding of the region. */
const byteOrderMark = "\ufeff";
const unitsPerLine = 1;

/** The columns of a spreadsheet as CSV by RFC 4180, with a header. */
export function csvFile<Row>(columns: readonly SpreadsheetColumn<Row>[]): LineFile<Row> {
  return {
    head: byteOrderMark + lineOf(columns.map(({ header }) => header)),
    lineOf: (row) => lineOf(columns.map(({ value }) => value(row))),
    unitsOf: () => unitsPerLine,
  };
}

const lineOf = (values: readonly CellValue[]) => `${values.map(toField).join(",")}\r\n`;

function toField(value: CellValue): string {
  if (value === null) return "";
  if (typeof value === "number") return String(value);
  if (typeof value === "boolean") return value ? "TRUE" : "FALSE";
  if (typeof value === "string") return toTextField(value);
  return toTextField(value instanceof Date ? shownTime(value) : value.link);
}

/** What spreadsheet programs would take for a formula. */
const formula = /^[=+\-@\t\r]/;
const needsQuotes = /[",\r\n]|^\s|\s$/;

function toTextField(text: string): string {
  const shown = replaceControlCharacters(formula.test(text) ? `'${text}` : text);
  return needsQuotes.test(shown) ? `"${shown.replaceAll('"', '""')}"` : shown;
}

/** A time as spreadsheets show it, to the second; nothing for an invalid one. */
const shownTime = (time: Date) => (Number.isNaN(time.getTime()) ? "" : time.toISOString().slice(0, -5).replace("T", " "));
