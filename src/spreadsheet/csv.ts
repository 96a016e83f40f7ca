import type { LineFile } from "../platform/line-file.js";
import { type CellValue, replaceControlCharacters, type SpreadsheetColumn } from "./cell.js";

/** Without it, spreadsheet programs take UTF-8 for an encoding of the region. */
const byteOrderMark = "\ufeff";
const unitsPerLine = 1;

/** What separates the fields of a line. */
export const csvSeparators = [",", ";"] as const;
export type CsvSeparator = (typeof csvSeparators)[number];

/** The columns of a spreadsheet as CSV by RFC 4180, with a header. */
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
 * What programs may skip before a formula, in a class of characters: blanks, characters
 * that nobody sees, and quotes.
 */
const skipped = '\\t \\u0080-\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u2800\\u3000\\p{DI}"';
/** What begins a formula, in any width and size. */
const start = "[=+\\-@＝＋－＠﹦﹢﹣﹫]";

/** What spreadsheet programs would take for a formula. */
const formula = new RegExp(`^(?:[\\t\\r]|[\\r\\n${skipped}]*${start})`, "u");
/**
 * Where a program that reads the file by the other separator would find a formula: it
 * does not take the quotes for such that began in what is another cell to it, and cuts
 * the text at separators and line breaks.
 */
const formulaInside = new RegExp(`(?<=[,;\\r\\n])(?=[${skipped}]*${start})`, "gu");

/** Both separators, so that a program that splits at either one cuts no text. */
const needsQuotes = /[",;\t\r\n]|^\s|\s$/;

function toTextField(text: string): string {
  const legal = replaceControlCharacters(text);
  const shown = (formula.test(legal) ? `'${legal}` : legal).replace(formulaInside, "'");
  return needsQuotes.test(shown) ? `"${shown.replaceAll('"', '""')}"` : shown;
}

/** A time as spreadsheets show it, to the second; nothing for an invalid one. */
const shownTime = (time: Date) =>
  Number.isNaN(time.getTime()) ? "" : time.toISOString().slice(0, -5).replace("T", " ");
