import { expect } from "vitest";
import type { Gateway, Sender } from "../support/harness.js";
import { type Cell, rowsOf } from "./workbook.js";

/** The columns, in their order. */
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

/** A row of an export by its columns. */
export type ExportedRow = Record<(typeof columns)[number], Cell>;

/** The rows of an export, or those given, without the header. */
export async function exportedRows(file: Buffer | Cell[][]): Promise<ExportedRow[]> {
  const [header, ...rows] = Buffer.isBuffer(file) ? await rowsOf(file) : file;
  expect(header).toEqual(columns);
  return rows.map((row) => Object.fromEntries(columns.map((name, index) => [name, row[index] ?? null])) as ExportedRow);
}

/** The ids of the exported alerts, in the order of the file. */
export const exportedIds = async (file: Buffer) => (await exportedRows(file)).map((row) => row["Alert id"] as string);

/** The file that a good request is answered; a failing test shows what came instead. */
export async function fileOf(response: Response): Promise<Buffer> {
  const file = Buffer.from(await response.arrayBuffer());
  expect({ status: response.status, ...(response.status !== 200 && { body: String(file) }) }).toEqual({ status: 200 });
  return file;
}

/** Where a link of ours leads on its gateway. */
export const pathOf = (link: string) => link.slice(new URL(link).origin.length);

/** A link to an export. */
export interface ExportLink {
  url: string;
  expiresAt: string;
}

const linkQuery = "query ($filter: AlertFilter!) { exportAlerts(filter: $filter) { url expiresAt } }";

/** The link to an export that GraphQL answers. */
export async function linkTo(gateway: Gateway, as: Sender, filter: object): Promise<ExportLink> {
  return (await gateway.data<{ exportAlerts: ExportLink }>(linkQuery, { as, variables: { filter } })).exportAlerts;
}
