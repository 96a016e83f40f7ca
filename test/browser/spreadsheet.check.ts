import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { columns, fileOf } from "../export/exports.js";
import { createAlerts, createCamera, createFacility, createUser, createWorkspace } from "../support/factories.js";
import { type Gateway, type Sender, startGateway } from "../support/harness.js";

const libreOffice = process.env.LIBREOFFICE_PATH ?? "/usr/bin/soffice";
const admin: Sender = { user: "demo|admin" };
const odd: Sender = { user: "test|odd" };
const always = "start=0&end=253402300799999";

/** Texts that spreadsheet programs might take for something else. */
const oddTexts = [
  ...["=1+1", "+1", "-1", "@SUM(A1)", '=HYPERLINK("https://evil.example/","x")', "'=1", "007", "1e5", "TRUE", "2026-11-20", "#REF!", "50%"],
  ...["  spaces around  ", 'a "quoted" word', "one, two; three", "one\ntwo", "tab\tbed", "<b>&amp;</b>", "🎥 שלום é"],
];

let gateway: Gateway;
let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), "spreadsheet-"));
  gateway = await startGateway({ seed: "demo" });
  const { prisma } = gateway;
  const workspaceId = await createWorkspace(prisma, {});
  await createUser(prisma, { workspaceId, authId: "test|odd", roles: ["alerts:read"] });
  const facilityId = await createFacility(prisma, { workspaceId });
  const cameraId = await createCamera(prisma, { workspaceId, facilityId });
  await createAlerts(
    prisma,
    oddTexts.map((name) => ({ workspaceId, facilityId, cameraId, name, severity: "" })),
  );
}, 120_000);

afterAll(async () => {
  await rm(directory, { recursive: true, force: true });
  await gateway?.close();
});

/** What LibreOffice, with a profile of its own, makes of a file. */
async function converted(file: Buffer, format: string): Promise<Buffer> {
  const source = path.join(directory, "alerts.xlsx");
  const results = await mkdtemp(path.join(directory, "results-"));
  await writeFile(source, file);
  const profile = `-env:UserInstallation=file://${directory}/profile`;
  const options = [profile, "--headless", "--norestore", "--convert-to", format, "--outdir", results, source];
  try {
    await promisify(execFile)(libreOffice, options, { timeout: 100_000 });
  } catch (error) {
    throw new Error(`LibreOffice at ${libreOffice} did not convert the file; LIBREOFFICE_PATH says where it is`, { cause: error });
  }
  const [ending] = format.split(":");
  return readFile(path.join(results, `alerts.${ending}`));
}

interface Field {
  text: string;
  /** Whether the cell holds a text, as opposed to a number, a moment or a truth. */
  isText: boolean;
}

/** Fields separated by commas, texts in double quotes, cells as they are shown, in UTF-8 and American English, of the first sheet. */
const csvFormat = "csv:Text - txt - csv (StarCalc):44,34,76,1,,1033,true,true,false";

/** The fields of all rows that LibreOffice shows. */
async function shown(file: Buffer): Promise<Field[][]> {
  const csv = String(await converted(file, csvFormat));
  const rows: Field[][] = [];
  let row: Field[] = [];
  for (const [, quoted, plain = "", end] of csv.matchAll(/(?:"((?:[^"]|"")*)"|([^",\n]*))(,|\n|$)/g)) {
    row.push(quoted === undefined ? { text: plain, isText: false } : { text: quoted.replaceAll('""', '"'), isText: true });
    if (end === ",") continue;
    rows.push(row);
    row = [];
  }
  return rows.filter((fields) => fields.length > 1);
}

const exported = async (query: string, as: Sender) => fileOf(await gateway.fetch(`/alerts/export?${query}`, { as }));

describe("LibreOffice", () => {
  interface Listed {
    id: string;
    name: string;
    count: number;
    createdAt: string;
    localCreatedAt: string;
    bookmark: boolean;
    falsePositive: boolean;
  }
  let file: Buffer;
  let listed: Listed[];
  beforeAll(async () => {
    const list = async (page: number, count: number, query = always) => {
      const response = await gateway.fetch(`/alerts?${query}&page=${page}&count=${count}`, { as: admin });
      return ((await response.json()) as { data: { alerts: Listed[] } }).data.alerts;
    };
    const [oldest] = await list(1500, 1);
    const query = `start=${Date.parse(oldest?.createdAt as string)}&end=253402300799999`;
    file = await exported(query, admin);
    listed = [...(await list(1, 1000, query)), ...(await list(2, 1000, query))];
  }, 60_000);

  test("shows the rows that GET /alerts lists, with moments, numbers and truths as such", async () => {
    const [header, ...rows] = await shown(file);
    expect(header?.map(({ text }) => text)).toEqual(columns);
    expect(rows).toHaveLength(1500);
    expect(rows.map((row) => row[13]?.text)).toEqual(listed.map(({ id }) => id));
    for (const [index, alert] of listed.entries()) {
      const row = rows[index] as Field[];
      const places = [false, false, true, true, true, true, false, false, false, false, true, true, true, true];
      expect(row.map(({ isText }) => isText)).toEqual(places);
      const [local, utc, , , name, , count, bookmark, falsePositive, , , , image] = row.map(({ text }) => text);
      expect({ name, count, bookmark, falsePositive, image }).toEqual({
        name: alert.name,
        count: String(alert.count),
        bookmark: String(alert.bookmark).toUpperCase(),
        falsePositive: String(alert.falsePositive).toUpperCase(),
        image: "Open picture",
      });
      expectSecond(utc, alert.createdAt);
      expectSecond(local, `${alert.localCreatedAt.slice(0, 23)}Z`);
    }
  }, 120_000);

  /** What is shown to the second may be rounded or cut. */
  function expectSecond(text: string | undefined, moment: string): void {
    expect(text).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
    expect(Math.abs(Date.parse(`${text?.replace(" ", "T")}Z`) - Date.parse(moment)), `${text} for ${moment}`).toBeLessThan(1000);
  }

  test("filters all rows, opens pictures and finds no formula", async () => {
    const xml = String(await converted(file, "fods"));
    const range = /<table:database-range [^>]*table:display-filter-buttons="true"[^>]*>/.exec(xml)?.[0] ?? "no filter";
    expect(range).toContain('table:target-range-address="Alerts.A1:Alerts.N1501"');
    expect(xml.match(/<text:a xlink:href="http:\/\/localhost:\d+\/files\/[^"]+"/g)).toHaveLength(1500);
    const kinds = (kind: string) => xml.match(new RegExp(`<table:table-cell [^>]*office:value-type="${kind}"`, "g"))?.length;
    expect([kinds("date"), kinds("float"), kinds("boolean")]).toEqual([3000, 1500, 4500]);
    // Its own way of keeping a truth is a formula that says it.
    expect(xml.replaceAll(/table:formula="of:=(?:TRUE|FALSE)\(\)"/g, "")).not.toContain("table:formula");
  }, 120_000);

  test("shows texts as they are, and takes none for anything else", async () => {
    const [, ...rows] = await shown(await exported(always, odd));
    expect(rows.map((row) => row[4])).toEqual(oddTexts.map((text) => ({ text, isText: true })));
  }, 120_000);

  test("opens an export of nothing", async () => {
    const rows = await shown(await exported("start=0&end=0", admin));
    expect(rows.map((row) => row.map(({ text }) => text))).toEqual([columns]);
  }, 120_000);
});
