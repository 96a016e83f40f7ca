import { execFile } from "node:child_process";
import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { csvFile } from "../../src/platform/spreadsheet/csv.js";
import { columns, fileOf } from "../export/exports.js";
import { createAlerts, createPlace, createUser } from "../support/factories.js";
import { type Sender, sharedWorkspace } from "../support/harness.js";
import { ownDirectory } from "../support/temporary-directory.js";

const libreOffice = process.env.LIBREOFFICE_PATH ?? "/usr/bin/soffice";
const admin: Sender = { user: "demo|admin" };
const oddTextsUser: Sender = { user: "test|odd" };
const allTimes = "start=0&end=253402300799999";

/**
 * Texts that spreadsheet programs might interpret as formulas, numbers, dates or errors.
 */
const oddTexts = [
  ...[
    "=1+1",
    "+1",
    "-1",
    "@SUM(A1)",
    '=HYPERLINK("https://evil.example/","x")',
    "'=1",
    "007",
    "1e5",
    "TRUE",
    "2026-11-20",
    "#REF!",
    "50%",
  ],
  ...[
    "  spaces around  ",
    'a "quoted" word',
    "one, two; three",
    "one\ntwo",
    "tab\tbed",
    "<b>&amp;</b>",
    "🎥 שלום é",
  ],
];

const directory = await ownDirectory();
const { gateway, prisma, workspaceId } = await sharedWorkspace({ seed: "demo" });
await createUser(prisma, { workspaceId, authId: "test|odd", roles: ["alerts:read"] });
const { facilityId, cameraId } = await createPlace(prisma, { workspaceId });
await createAlerts(
  prisma,
  oddTexts.map((name) => ({ workspaceId, facilityId, cameraId, name, severity: "" })),
);

/**
 * Converts a file with LibreOffice, using a temporary profile. Reads it as xlsx, or as
 * CSV with the given options.
 */
async function convertFile(file: Buffer, format: string, csv?: string): Promise<Buffer> {
  const source = path.join(directory, csv ? "alerts.csv" : "alerts.xlsx");
  const results = await mkdtemp(path.join(directory, "results-"));
  await writeFile(source, file);
  const profile = `-env:UserInstallation=file://${directory}/profile`;
  const options = [
    profile,
    "--headless",
    "--norestore",
    ...(csv ? [`--infilter=${csv}`] : []),
    "--convert-to",
    format,
    "--outdir",
    results,
    source,
  ];
  try {
    await promisify(execFile)(libreOffice, options, { timeout: 100_000 });
  } catch (error) {
    throw new Error(
      `LibreOffice at ${libreOffice} did not convert the file; set LIBREOFFICE_PATH to its location`,
      { cause: error },
    );
  }
  const [extension] = format.split(":");
  return readFile(path.join(results, `alerts.${extension}`));
}

interface Field {
  text: string;
  /** Whether the cell is a text, as opposed to a number, a date or a boolean. */
  isText: boolean;
}

/**
 * Export filter options: comma-separated, texts quoted, cells as shown, UTF-8, American
 * English, first sheet.
 */
const csvFormat = "csv:Text - txt - csv (StarCalc):44,34,76,1,,1033,true,true,false";

/** The fields of all rows as LibreOffice shows them. */
async function readShownFields(file: Buffer): Promise<Field[][]> {
  const csv = String(await convertFile(file, csvFormat));
  const rows: Field[][] = [];
  let row: Field[] = [];
  for (const [, quoted, plain = "", end] of csv.matchAll(/(?:"((?:[^"]|"")*)"|([^",\n]*))(,|\n|$)/g)) {
    row.push(
      quoted === undefined
        ? { text: plain, isText: false }
        : { text: quoted.replaceAll('""', '"'), isText: true },
    );
    if (end === ",") continue;
    rows.push(row);
    row = [];
  }
  return rows.filter((fields) => fields.length > 1);
}

const exportAlerts = async (query: string, as: Sender) =>
  fileOf(await gateway.fetch(`/alerts/export?${query}`, { as }));

describe("LibreOffice", () => {
  interface ListedAlert {
    id: string;
    name: string;
    count: number;
    createdAt: string;
    localCreatedAt: string;
    bookmark: boolean;
    falsePositive: boolean;
  }
  let file: Buffer;
  let listedAlerts: ListedAlert[];
  beforeAll(async () => {
    const list = async (page: number, count: number, query = allTimes) => {
      const response = await gateway.fetch(`/alerts?${query}&page=${page}&count=${count}`, { as: admin });
      return ((await response.json()) as { data: { alerts: ListedAlert[] } }).data.alerts;
    };
    const [oldest] = await list(1500, 1);
    const query = `start=${Date.parse(oldest?.createdAt as string)}&end=253402300799999`;
    file = await exportAlerts(query, admin);
    listedAlerts = [...(await list(1, 1000, query)), ...(await list(2, 1000, query))];
  });

  test("shows the rows that GET /alerts lists, with dates, numbers and booleans as such", async () => {
    const [header, ...rows] = await readShownFields(file);
    expect(header?.map(({ text }) => text)).toEqual(columns);
    expect(rows).toHaveLength(1500);
    expect(rows.map((row) => row[13]?.text)).toEqual(listedAlerts.map(({ id }) => id));
    for (const [index, alert] of listedAlerts.entries()) {
      const row = rows[index] as Field[];
      const [local, utc, , , name, , count, bookmark, falsePositive, , , , image] = row.map(
        ({ text }) => text,
      );
      expect({ name, count, bookmark, falsePositive, image }).toEqual({
        name: alert.name,
        count: String(alert.count),
        bookmark: String(alert.bookmark).toUpperCase(),
        falsePositive: String(alert.falsePositive).toUpperCase(),
        image: "Open picture",
      });
      expectSameSecond(utc, alert.createdAt);
      expectSameSecond(local, `${alert.localCreatedAt.slice(0, 23)}Z`);
    }
  }, 120_000);

  /** Shown times have a precision of one second, rounded or truncated. */
  function expectSameSecond(text: string | undefined, timestamp: string): void {
    expect(text).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
    expect(
      Math.abs(Date.parse(`${text?.replace(" ", "T")}Z`) - Date.parse(timestamp)),
      `${text} for ${timestamp}`,
    ).toBeLessThan(1000);
  }

  test("filters all rows, opens pictures and finds no formula", async () => {
    const xml = String(await convertFile(file, "fods"));
    const range =
      /<table:database-range [^>]*table:display-filter-buttons="true"[^>]*>/.exec(xml)?.[0] ?? "no filter";
    expect(range).toContain('table:target-range-address="Alerts.A1:Alerts.V1501"');
    expect(xml.match(/<text:a xlink:href="http:\/\/localhost:\d+\/files\/[^"]+"/g)).toHaveLength(1500);
    const countCells = (type: string) =>
      xml.match(new RegExp(`<table:table-cell [^>]*office:value-type="${type}"`, "g"))?.length;
    const acknowledged = (await readShownFields(file)).filter(
      (row) => row[columns.indexOf("Acknowledged")]?.text === "TRUE",
    ).length;
    expect([countCells("date"), countCells("float"), countCells("boolean")]).toEqual([
      3003 + acknowledged,
      3000,
      6000,
    ]);
    // LibreOffice itself stores booleans as the formulas TRUE() and FALSE().
    expect(xml.replaceAll(/table:formula="of:=(?:TRUE|FALSE)\(\)"/g, "")).not.toContain("table:formula");
  }, 120_000);

  test("shows texts unchanged and does not interpret them", async () => {
    const [, ...rows] = await readShownFields(await exportAlerts(allTimes, oddTextsUser));
    expect(rows.map((row) => row[4])).toEqual(oddTexts.map((text) => ({ text, isText: true })));
  }, 120_000);

  test.each([",", ";"] as const)(
    "finds no formula in CSV separated by %s, whichever separator it reads",
    async (separator) => {
      const texts = oddTexts.flatMap((text) => [
        text,
        `x;${text}`,
        `x,${text}`,
        `x\n${text}`,
        `x\r${text}`,
        ` \u200b${text}`,
        `x;"${text}`,
        `＝${text}`,
      ]);
      const { head, lineOf } = csvFile<string>(
        [(text: string) => text.length, (text: string) => text, () => "end"].map((value) => ({
          header: "Text",
          width: 1,
          value,
        })),
        separator,
      );
      const file = Buffer.from(head + texts.map(lineOf).join(""));
      const formulasRead = async (csv: Buffer, as: string) => {
        // The code of the separator, quotes, UTF-8, American English, formulas evaluated.
        const filter = `CSV:${as.charCodeAt(0)},34,76,1,,1033,false,false,false,false,false,0,true`;
        return (
          String(await convertFile(csv, "fods", filter)).match(
            /table:formula="(?!of:=(?:TRUE|FALSE)\(\))[^"]*"/g,
          ) ?? []
        );
      };
      expect(await formulasRead(Buffer.from("x;=1+1\r\n"), ";")).toHaveLength(1);
      for (const as of [",", ";"]) expect(await formulasRead(file, as)).toEqual([]);
    },
    120_000,
  );

  test("opens an export without alerts", async () => {
    const rows = await readShownFields(await exportAlerts("start=0&end=0", admin));
    expect(rows.map((row) => row.map(({ text }) => text))).toEqual([columns]);
  }, 120_000);
});
