import type { Gateway, Sender } from "../support/harness.js";
import { type Cell, rowsOf } from "./workbook.js";

/** The columns in order. */
export const columns = [
  "Local time",
  "UTC time",
  "Facility",
  "Camera",
  "Type",
  "Severity",
  "Count",
  "Bookmark",
  "False positive",
  "Observation",
  "Rule",
  "Areas",
  "Image",
  "Alert id",
  "Time zone",
  "Rule in words",
  "Acknowledged",
  "Acknowledged by",
  "Acknowledged at",
  "Comments",
  "Newest comment",
  "Type in words",
] as const;

/** The values of AlertExportFormat. */
export type ExportFormat = "XLSX" | "CSV" | "NDJSON";

/** A row of an export by column. */
export type ExportedRow = Record<(typeof columns)[number], Cell>;

/** The rows of an exported file, or the given rows, without the header. */
export async function exportedRows(file: Buffer | Cell[][]): Promise<ExportedRow[]> {
  const [header, ...rows] = Buffer.isBuffer(file) ? await rowsOf(file) : file;
  expect(header).toEqual(columns);
  return rows.map(
    (row) => Object.fromEntries(columns.map((name, index) => [name, row[index] ?? null])) as ExportedRow,
  );
}

/** The ids of the exported alerts in file order. */
export const exportedIds = async (file: Buffer) =>
  (await exportedRows(file)).map((row) => row["Alert id"] as string);

/**
 * The records of a CSV file, including the header; the test fails if it does not follow
 * RFC 4180 or has no byte order mark.
 */
export function csvRecords(file: Buffer, separator = ","): string[][] {
  const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(file);
  expect(text[0]).toBe("\ufeff");
  const records: string[][] = [[]];
  let read = 1;
  for (const [{ length }, quoted, plain = "", end] of text
    .slice(1)
    .matchAll(new RegExp(`(?:"((?:[^"]|"")*)"|([^"${separator}\\r\\n]*))(${separator}|\\r\\n)`, "gy"))) {
    read += length;
    records.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain);
    if (end !== separator) records.push([]);
  }
  expect({ read, last: records.at(-1) }).toEqual({ read: text.length, last: [] });
  return records.slice(0, -1);
}

/**
 * The cells that a lenient program finds in CSV: quotes count only at the start of a
 * cell, and text after a closing quote belongs to the cell.
 */
export function cellsOf(text: string, separator: string): string[] {
  const cells: string[] = [];
  for (let at = 0; at < text.length; at += 1) {
    let cell = "";
    if (text[at] === '"') {
      for (at += 1; at < text.length && (text[at] !== '"' || text[at + 1] === '"'); at += 1) {
        if (text[at] === '"') at += 1;
        cell += text[at];
      }
      at += 1;
    }
    for (; at < text.length && text[at] !== separator && text[at] !== "\r" && text[at] !== "\n"; at += 1)
      cell += text[at];
    cells.push(cell);
  }
  return cells;
}

/** The objects of an NDJSON file. Fails the test if a line is not an object. */
export function jsonLines<Line>(file: Buffer): Line[] {
  const lines = String(file).split("\n");
  expect(lines.pop()).toBe("");
  return lines.map((line) => JSON.parse(line) as Line);
}

/** The ids of the exported alerts by format, in file order. */
export const idsByFormat: Record<ExportFormat, (file: Buffer) => Promise<string[]> | string[]> = {
  XLSX: exportedIds,
  CSV: (file) =>
    csvRecords(file)
      .slice(1)
      .map((record) => record[columns.indexOf("Alert id")] as string),
  NDJSON: (file) => jsonLines<{ id: string }>(file).map(({ id }) => id),
};

/** The file of a successful response; otherwise the test fails and shows the response. */
export async function fileOf(response: Response): Promise<Buffer> {
  const file = Buffer.from(await response.arrayBuffer());
  expect({ status: response.status, ...(response.status !== 200 && { body: String(file) }) }).toEqual({
    status: 200,
  });
  return file;
}

/** The path of a link on its gateway. */
export const pathOf = (link: string) => link.slice(new URL(link).origin.length);

/** A link to an export. */
export interface ExportLink {
  url: string;
  expiresAt: string;
}

const linkQuery =
  "query ($filter: AlertFilter!, $format: AlertExportFormat, $language: String) { exportAlerts(filter: $filter, format: $format, language: $language) { url expiresAt } }";

/** The link to an export that GraphQL returns. */
export async function linkTo(
  gateway: Gateway,
  as: Sender,
  filter: object,
  format?: ExportFormat,
  language?: string,
): Promise<ExportLink> {
  return (
    await gateway.data<{ exportAlerts: ExportLink }>(linkQuery, {
      as,
      variables: { filter, ...(format && { format }), ...(language && { language }) },
    })
  ).exportAlerts;
}

/** The file behind a link to an export. */
export const exportedFile = async (...[gateway, ...asked]: Parameters<typeof linkTo>): Promise<Buffer> =>
  fileOf(await gateway.fetch(pathOf((await linkTo(gateway, ...asked)).url)));
