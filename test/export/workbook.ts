import { createRequire } from "node:module";
import exceljs from "exceljs";
import { readSheet } from "read-excel-file/node";
import { listOf } from "../support/list-of.js";

/** The value of a cell; null if it is empty. */
export type Cell = string | number | boolean | Date | null;

/**
 * The rows of a sheet as read-excel-file reads them, including the header. It truncates
 * times to milliseconds; others round them.
 */
export async function rowsOf(file: Buffer, sheet = 1): Promise<Cell[][]> {
  return (await readSheet(file, sheet, { trim: false })) as unknown as Cell[][];
}

/** The workbook as exceljs reads it. */
export async function workbookOf(file: Buffer): Promise<exceljs.Workbook> {
  const workbook = new exceljs.Workbook();
  await workbook.xlsx.load(file as unknown as exceljs.Buffer);
  return workbook;
}

/**
 * The rows of a sheet as exceljs reads them, including the header; links as their text.
 */
export function exceljsRows(sheet: exceljs.Worksheet | undefined): Cell[][] {
  const rows: Cell[][] = [];
  sheet?.eachRow({ includeEmpty: true }, (row) => {
    rows.push(listOf(sheet.columnCount, (index) => plainValue(row.getCell(index + 1).value)));
  });
  return rows;
}

function plainValue(value: exceljs.CellValue): Cell {
  if (typeof value === "string") return decoded(value);
  if (value === null || typeof value !== "object") return value ?? null;
  if ("richText" in value) return value.richText.map(({ text }) => text).join("");
  return "hyperlink" in value ? decoded(value.text) : (value as Date);
}

/** Decodes the character escapes of a text, which exceljs does not do. */
const decoded = (text: string) =>
  text.replace(/_x([0-9a-f]{4})_/gi, (_whole, digits) => String.fromCharCode(Number.parseInt(digits, 16)));

interface Archive {
  files: Record<string, { async(type: "string"): Promise<string> }>;
}

// jszip is a dependency of exceljs.
const archives = createRequire(createRequire(import.meta.url).resolve("exceljs"))("jszip") as {
  loadAsync(content: Buffer): Promise<Archive>;
};

/** The XML of one of the files in a workbook. */
export async function partOf(file: Buffer, name: string): Promise<string> {
  const { files } = await archives.loadAsync(file);
  const part = files[name];
  if (!part) throw new Error(`There is no ${name} among ${Object.keys(files)}`);
  return part.async("string");
}
