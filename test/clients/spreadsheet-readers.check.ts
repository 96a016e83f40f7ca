import { read, utils } from "@e965/xlsx";
import { columns, fileOf } from "../export/exports.js";
import { startGateway } from "../support/harness.js";

interface ListedAlert {
  id: string;
  name: string;
  count: number;
  createdAt: string;
  localCreatedAt: string;
  bookmark: boolean;
  falsePositive: boolean;
}

const admin = { user: "demo|admin" };

const gateway = await startGateway({ seed: "demo" });
const list = async (query: string) => {
  const response = await gateway.fetch(`/alerts?${query}&count=500`, { as: admin });
  return ((await response.json()) as { data: { alerts: ListedAlert[] } }).data.alerts;
};
const newest = await list("start=0&end=253402300799999");
const query = `start=${Date.parse(newest.at(-1)?.createdAt as string)}&end=253402300799999`;
const file: Buffer = await fileOf(await gateway.fetch(`/alerts/export?${query}`, { as: admin }));
/** The expected cells of each row, from the same alerts in `GET /alerts`. */
const expectedRows = newest.map((alert) => [
  new Date(`${alert.localCreatedAt.slice(0, 23)}Z`),
  new Date(alert.createdAt),
  alert.name,
  alert.count,
  alert.bookmark,
  alert.falsePositive,
  alert.id,
]);
afterAll(() => gateway?.close());

const compared = (row: unknown[]) =>
  ["Local time", "UTC time", "Type", "Count", "Bookmark", "False positive", "Alert id"].map(
    (name) => row[columns.indexOf(name as never)],
  );

/** Readers round times or truncate them to milliseconds. */
function expectRows(rows: unknown[][]): void {
  const [header, ...alerts] = rows;
  expect(header).toEqual([...columns]);
  expect(alerts).toHaveLength(500);
  const rounded = (cells: unknown[]) =>
    cells.map((cell) => (cell instanceof Date ? Math.round(cell.getTime() / 10) : cell));
  for (const [index, alert] of alerts.entries()) {
    const cells = compared(alert);
    const expected = expectedRows[index] as unknown[];
    expect(rounded(cells).slice(2)).toEqual(rounded(expected).slice(2));
    for (const column of [0, 1])
      expect(Math.abs((cells[column] as Date).getTime() - (expected[column] as Date).getTime())).toBeLessThan(
        2,
      );
  }
}

test("SheetJS reads an export with its dates, numbers, booleans and links", () => {
  const workbook = read(file, { cellDates: true, UTC: true });
  expect(workbook.SheetNames).toEqual(["Alerts", "Filter"]);
  const sheet = workbook.Sheets.Alerts as Exclude<(typeof workbook.Sheets)[string], undefined>;
  expectRows(utils.sheet_to_json(sheet, { header: 1, UTC: true }));
  expect(sheet.M2.l.Target).toMatch(/^http:\/\/localhost:\d+\/files\//);
});
