import { expect } from "vitest";
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
] as const;

/** A row of an export by column. */
export type ExportedRow = Record<(typeof columns)[number], Cell>;

/** The rows of an exported file, or the given rows, without the header. */
export async function exportedRows(file: Buffer | Cell[][]): Promise<ExportedRow[]> {
  const [header, ...rows] = Buffer.isBuffer(file) ? await rowsOf(file) : file;
  expect(header).toEqual(columns);
  return rows.map((row) => Object.fromEntries(columns.map((name, index) => [name, row[index] ?? null])) as ExportedRow);
}

/** The ids of the exported alerts in file order. */
export const exportedIds = async (file: Buffer) => (await exportedRows(file)).map((row) => row["Alert id"] as string);

/** The file of a successful response; otherwise the test fails and shows the response. */
export async function fileOf(response: Response): Promise<Buffer> {
  const file = Buffer.from(await response.arrayBuffer());
  expect({ status: response.status, ...(response.status !== 200 && { body: String(file) }) }).toEqual({ status: 200 });
  return file;
}

/** The path of a link on its gateway. */
export const pathOf = (link: string) => link.slice(new URL(link).origin.length);

/** A link to an export. */
export interface ExportLink {
  url: string;
  expiresAt: string;
}

const linkQuery = "query ($filter: AlertFilter!) { exportAlerts(filter: $filter) { url expiresAt } }";

/** The link to an export that GraphQL returns. */
export async function linkTo(gateway: Gateway, as: Sender, filter: object): Promise<ExportLink> {
  return (await gateway.data<{ exportAlerts: ExportLink }>(linkQuery, { as, variables: { filter } })).exportAlerts;
}
