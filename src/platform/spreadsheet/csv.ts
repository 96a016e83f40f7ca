import type { LineFile } from "../files/line-file.js";
import { type CellValue, replaceControlCharacters, type SpreadsheetColumn } from "./cell.js";

/** Without this mark, spreadsheet programs read UTF-8 in the encoding of the region. */
const byteOrderMark = "\ufeff";
const unitsPerLine = 1;

/** The separators between the fields of a line. */
export const csvSeparators = [",", ";"] as const;
export type CsvSeparator = (typeof csvSeparators)[number];

/** A spreadsheet as CSV (RFC 4180), with a header. */
export function csvFile<Row>(
  columns: readonly SpreadsheetColumn<Row>[],
  separator: CsvSeparator,
): LineFile<Row> {
  const lineOf = (values: readonly CellValue[]) => `${values.map(toField).join(separator)}\r\n`;
  return {
    head: byteOrderMark + lineOf(columns.map(({ header }) => header)),
    lineOf: (row) => lineOf(columns.map(({ value }) => value(row))),
    unitsOf: () => unitsPerLine,
  };
}

function toField(value: CellValue): string {
  if (value === null) return "";
  if (typeof value === "number") return String(value);
  if (typeof value === "boolean") return value ? "TRUE" : "FALSE";
  if (typeof value === "string") return toTextField(value);
  return toTextField(value instanceof Date ? shownTime(value) : value.link);
}

/**
 * Characters that programs may skip before a formula, for a character class: blanks, invisible characters and quotes.
 */
const skipped = '\\t \\u0080-\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u2800\\u3000\\p{DI}"';
/** The first character of a formula, in any width and size. */
const start = "[=+\\-@＝＋－＠﹦﹢﹣﹫]";

/** Text that spreadsheet programs would read as a formula. */
const formula = new RegExp(`^(?:[\\t\\r]|[\\r\\n${skipped}]*${start})`, "u");
/**
 * A formula inside a text, for a program that reads the file with the other separator. Such a program
 * ignores quotes that began in another cell, and cuts the text at separators and line breaks.
 */
const formulaInside = new RegExp(`(?<=[,;\\r\\n])(?=[${skipped}]*${start})`, "gu");

/** Quote both separators, so that a program that splits at either one cuts no text. */
const needsQuotes = /[",;\t\r\n]|^\s|\s$/;

function toTextField(text: string): string {
  const legal = replaceControlCharacters(text);
  const shown = (formula.test(legal) ? `'${legal}` : legal).replace(formulaInside, "'");
  return needsQuotes.test(shown) ? `"${shown.replaceAll('"', '""')}"` : shown;
}

/** A time as spreadsheets show it, with seconds; empty for an invalid time. */
const shownTime = (time: Date) =>
  Number.isNaN(time.getTime()) ? "" : time.toISOString().slice(0, -5).replace("T", " ");
