// Runs once: both kinds of databases run the same statements.

import { randomUUID } from "node:crypto";
import type exceljs from "exceljs";
import {
  createAlertRule,
  createAlerts,
  createPlace,
  createUser,
  createWorkspace,
} from "../support/factories.js";
import { ownGateway, type Sender } from "../support/harness.js";
import { listOf } from "../support/list-of.js";
import { columns, type ExportedRow, exportedIds, exportedRows, fileOf, linkTo, pathOf } from "./exports.js";
import { type Cell, exceljsRows, partOf, rowsOf, workbookOf } from "./workbook.js";

const admin = { user: "demo|admin" };
const start = new Date();

let clock = start;
const gateway = await ownGateway({
  seed: "demo",
  now: () => clock,
  environment: { MAX_QUERY_COST: "1000000" },
});
beforeEach(() => {
  clock = start;
});

const exported = async (query: string, as: Sender = admin) =>
  fileOf(await gateway.fetch(`/alerts/export?${query}`, { as }));

/** Creates a workspace, and a user who may read all its alerts. */
async function newWorkspace(): Promise<{ workspaceId: string; as: Sender }> {
  const workspaceId = await createWorkspace(gateway.prisma);
  const authId = `test|${randomUUID()}`;
  await createUser(gateway.prisma, { workspaceId, authId, roles: ["alerts:read"] });
  return { workspaceId, as: { user: authId } };
}

const always = "start=0&end=253402300799999";

const typesInWords: Record<string, string> = {
  MIN_WORKER_IN_CONFINED_SPACE: "Too few workers in a confined space",
  STATIC_DELIMITATION_AREA: "Person in a forbidden area",
  VEHICLE_IN_PEDESTRIAN_AREA: "Vehicle in a pedestrian area",
};

describe("an export of the demo's newest 1,100 alerts", () => {
  interface Shown {
    id: string;
    createdAt: string;
    localCreatedAt: string;
    name: string;
    severity: string | null;
    count: number;
    url: string;
    bookmark: boolean;
    falsePositive: boolean;
    observation: boolean;
    areaIds: string[];
    facility: { name: string; timeZoneId: string };
    camera: { name: string };
    alertRuleName: string;
    alertRule: { pretty: string; areas: { id: string; name: string }[] };
    acknowledgedAt: string | null;
    acknowledgedBy: { fullName: string } | null;
    comments: { totalCount: number; nodes: { text: string }[] };
  }
  const query = `query ($filter: AlertFilter!, $first: Int, $offset: Int) { alerts(filter: $filter, first: $first, offset: $offset) { nodes {
    id createdAt localCreatedAt name severity count url bookmark falsePositive observation areaIds facility { name timeZoneId } camera { name }
    alertRuleName alertRule { pretty areas { id name } } acknowledgedAt acknowledgedBy { fullName } comments(first: 1) { totalCount nodes { text } } } } }`;
  let file: Buffer;
  let sheet: exceljs.Worksheet;
  let listed: Shown[];
  /** The expected rows. */
  let expected: Cell[][];

  beforeAll(async () => {
    const filter = { start: "2000-01-01T00:00:00Z", end: "2100-01-01T00:00:00Z" };
    const pageOf = async (first: number, offset: number) =>
      (
        await gateway.data<{ alerts: { nodes: Shown[] } }>(query, {
          as: admin,
          variables: { filter, first, offset },
        })
      ).alerts.nodes;
    listed = [...(await pageOf(1000, 0)), ...(await pageOf(100, 1000))];
    file = await exported(`start=${Date.parse(listed.at(-1)?.createdAt as string)}&end=253402300799999`);
    sheet = (await workbookOf(file)).worksheets[0] as exceljs.Worksheet;
    expected = listed.map((alert) => [
      // The facility's local time as if it were UTC, because cells have no time zone.
      ...[new Date(`${alert.localCreatedAt.slice(0, 23)}Z`), new Date(alert.createdAt)],
      ...[alert.facility.name, alert.camera.name, alert.name, alert.severity, alert.count],
      ...[alert.bookmark, alert.falsePositive, alert.observation, alert.alertRuleName],
      alert.areaIds.map((id) => alert.alertRule.areas.find((area) => area.id === id)?.name).join(", "),
      ...["Open picture", alert.id, alert.facility.timeZoneId, alert.alertRule.pretty],
      ...[alert.acknowledgedAt !== null, alert.acknowledgedBy?.fullName ?? null],
      alert.acknowledgedAt && new Date(alert.acknowledgedAt),
      ...[alert.comments.totalCount, alert.comments.nodes[0]?.text ?? null],
      typesInWords[alert.name] as string,
    ]);
  });

  it("has the rows of the list when read by exceljs, with typed times, numbers and booleans", async () => {
    expect(listed).toHaveLength(1100);
    expect(exceljsRows(sheet)).toEqual([columns, ...expected]);
    // The demo has acknowledged and discussed alerts.
    for (const name of ["Acknowledged by", "Newest comment"] as const)
      expect(expected.filter((row) => row[columns.indexOf(name)] !== null)).not.toEqual([]);
  });

  it("shows each time to the second in a date cell", async () => {
    const formats = new Set<string>();
    for (const column of [1, 2, columns.indexOf("Acknowledged at") + 1])
      sheet.getColumn(column).eachCell((cell, row) => void (row > 1 && formats.add(cell.numFmt)));
    expect([...formats]).toEqual(["yyyy-mm-dd hh:mm:ss"]);
  });

  it("has one sheet of alerts with a bold, frozen header, a filter over all rows and a width for every column", async () => {
    expect(sheet.workbook.worksheets.map(({ name }) => name)).toEqual(["Alerts", "Filter"]);
    expect(sheet.views).toEqual([expect.objectContaining({ state: "frozen", xSplit: 0, ySplit: 1 })]);
    expect(columns.map((_, index) => sheet.getCell(1, index + 1).font?.bold)).toEqual(
      columns.map(() => true),
    );
    const xml = await partOf(file, "xl/worksheets/sheet1.xml");
    expect(xml).toContain('<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>');
    expect(xml).toContain('<autoFilter ref="A1:V1101"/>');
    const widths = [
      ...xml.matchAll(/<col min="(\d+)" max="(\d+)" width="(\d+)"[^>]* customWidth="1"\/>/g),
    ].flatMap(([, min, max, width]) => listOf(Number(max) - Number(min) + 1, () => Number(width)));
    expect(widths).toHaveLength(columns.length);
    for (const [index, name] of columns.entries()) expect(widths[index], name).toBeGreaterThan(name.length);
  });

  it("is printed in landscape, as wide as a page and with the header on each", async () => {
    expect(sheet.pageSetup).toMatchObject({
      orientation: "landscape",
      fitToPage: true,
      fitToWidth: 1,
      fitToHeight: 0,
      printTitlesRow: "1:1",
    });
  });

  it("links every picture of the list", () => {
    const keyOf = (link: string) => new URL(link).pathname;
    const links = listed.map((_, index) => keyOf(sheet.getCell(index + 2, 13).hyperlink));
    expect(links).toEqual(listed.map(({ url }) => keyOf(url)));
  });
});

describe("the sheet behind the alerts", () => {
  // read-excel-file reads halves of days exactly.
  const exportTime = new Date("2026-11-20T12:00:00.000Z");
  const linkEnd = new Date("2026-11-27T12:00:00.000Z");
  beforeEach(() => {
    clock = exportTime;
  });
  const factsOf = async (filter: object) => {
    const { url } = await linkTo(gateway, admin, {
      start: "2026-11-01T00:00:00Z",
      end: "2026-11-15T12:00:00Z",
      ...filter,
    });
    return rowsOf(await fileOf(await gateway.fetch(pathOf(url))), 2);
  };
  const asked: Cell[][] = [
    ["Exported (UTC)", exportTime],
    ["Links valid until (UTC)", linkEnd],
    ["From (UTC)", new Date("2026-11-01T00:00:00Z")],
    ["Before (UTC)", new Date("2026-11-15T12:00:00Z")],
  ];

  const anyLocalTime = [
    "Local days",
    "Relative days",
    "Relative weeks",
    "Local times",
    "Hour of the day",
    "Day of the week (0 is Sunday)",
  ].map((name) => [name, "All"]);

  it("states the requested days and times, and the start for counting days", async () => {
    const days = { localDays: { from: "2026-11-01", to: "2026-11-15" }, relativeDays: { from: -6, to: 0 } };
    const facts = await factsOf({
      ...days,
      relativeWeeks: { from: -1, to: 0 },
      localTimes: { from: "18:00", to: "06:00" },
      hoursOfDay: [18, 5],
      daysOfWeek: [],
    });
    expect(facts[2]).toEqual(["Relative days and weeks counted from (UTC)", exportTime]);
    expect(facts.slice(-7)).toEqual([
      ["Local days", "2026-11-01 to 2026-11-15"],
      ["Relative days", "-6 to 0"],
      ["Relative weeks", "-1 to 0"],
      ["Local times", "18:00 to 06:00"],
      ["Hour of the day", 18],
      ["Hour of the day", 5],
      ["Day of the week (0 is Sunday)", "None"],
    ]);
  });

  interface Named {
    id: string;
    name: string;
  }

  it("states each requested value, as a text", async () => {
    const query = "{ facilities { id name cameras { id name alertRules { id name } } } }";
    const { facilities } = await gateway.data<{
      facilities: (Named & { cameras: (Named & { alertRules: Named[] })[] })[];
    }>(query, { as: admin });
    const [facility] = facilities as [(typeof facilities)[number]];
    const cameras = facility.cameras.slice(0, 2);
    const rule = facility.cameras.flatMap(({ alertRules }) => alertRules)[0] as Named;
    const unknown = randomUUID();
    const areaId = randomUUID();
    const places = {
      facilityId: facility.id,
      facilityIds: [facility.id, unknown],
      cameraIds: cameras.map(({ id }) => id),
    };
    const kinds = { alertRuleIds: [rule.id], types: ["=1+1", "FALL"], severities: [] };
    const marks = {
      bookmark: true,
      falsePositive: [true, false],
      observation: false,
      acknowledged: true,
      hasClip: true,
    };
    const seen = {
      objectLabels: ["person"],
      objectAttributes: [{ name: "helmet", value: "false" }],
      text: "gate",
      box: { x1: 0.1, y1: 0.2, x2: 0.3, y2: 0.4 },
    };
    expect(
      await factsOf({ ...places, ...kinds, ...marks, ...seen, areaId, areaIds: [areaId, unknown] }),
    ).toEqual([
      ...asked,
      ["Facility", facility.name],
      ["One of the facilities", facility.name],
      ["One of the facilities", unknown],
      ...cameras.map(({ name }) => ["Camera", name]),
      ["Rule", rule.name],
      ["Type", "=1+1"],
      ["Type", "FALL"],
      ["Severity", "None"],
      ["With a severity", "All"],
      ["Bookmark", true],
      ["False positive", true],
      ["False positive", false],
      ["Observation", false],
      ["Acknowledged", true],
      ["Open", "All"],
      ["With a clip", true],
      ["Area id", areaId],
      ["One of the area ids", areaId],
      ["One of the area ids", unknown],
      ["Object", "person"],
      ["Attributes of an object", "helmet: false"],
      ["Text", "gate"],
      ["Box in the picture (%)", "10, 20, 30, 40"],
      ...anyLocalTime,
    ]);
  });
});

describe("alerts at the boundary of a page of 1,000 are exported once:", () => {
  let as: Sender;
  let ids: string[];
  const newestMoment = Date.parse("2026-11-20T12:00:00.000Z");
  beforeAll(async () => {
    const { workspaceId, as: reader } = await newWorkspace();
    as = reader;
    const { facilityId, cameraId } = await createPlace(gateway.prisma, { workspaceId });
    // Twenty-one alerts share each time, so that pages end within such a group.
    const alerts = listOf(2100, (index) => ({
      id: randomUUID(),
      workspaceId,
      facilityId,
      cameraId,
      createdAt: new Date(newestMoment - Math.floor(index / 21) * 1000),
    }));
    await createAlerts(gateway.prisma, alerts);
    ids = alerts
      .sort(
        (one, other) => other.createdAt.getTime() - one.createdAt.getTime() || (one.id < other.id ? 1 : -1),
      )
      .map(({ id }) => id);
  });

  it("of three pages, in order", async () => {
    expect(await exportedIds(await exported(always, as))).toEqual(ids);
  });

  it("even after an alert whose camera does not exist", async () => {
    const stray = ids[500];
    await gateway.prisma.alert.updateMany({ where: { id: stray }, data: { cameraId: randomUUID() } });
    const result = await exportedIds(await exported(always, as));
    expect(result.length).toBeGreaterThanOrEqual(ids.length - 1);
    expect(result.filter((id) => id !== stray)).toEqual(ids.filter((id) => id !== stray));
  });
});

describe("missing values leave their cells empty:", () => {
  const rule = randomUUID();
  const area = randomUUID();
  const unnamed = randomUUID();
  const others = [randomUUID(), randomUUID()];
  let world: { workspaceId: string; facilityId: string; cameraId: string };
  let as: Sender;
  beforeAll(async () => {
    const { workspaceId, as: reader } = await newWorkspace();
    as = reader;
    world = await createPlace(gateway.prisma, { workspaceId });
    const points = [{ x: 1, y: 2 }];
    const children = [
      { id: area, type: "AREA", name: "Zone", points },
      { id: unnamed, type: "AREA", points },
    ];
    await createAlertRule(gateway.prisma, {
      id: rule,
      cameraId: world.cameraId,
      name: "FENCE",
      group: { id: randomUUID(), type: "GROUP", operator: "AND", children },
    });
  });

  const cases: [string, object, Partial<ExportedRow>][] = [
    [
      "a rule without words, and areas",
      { alertRuleId: rule, areaIds: [area] },
      { Rule: "FENCE", "Rule in words": null, Areas: "Zone" },
    ],
    ["no rule, severity, area or picture", {}, { Rule: null, Severity: null, Areas: null, Image: null }],
    [
      "areas that are not, or no longer, areas of the rule",
      { alertRuleId: rule, areaIds: [others[0], area, unnamed] },
      { Areas: `${others[0]}, Zone, ${unnamed}` },
    ],
    [
      "a deleted rule and its areas",
      { alertRuleId: randomUUID(), areaIds: others },
      { Rule: null, "Rule in words": null, Areas: others.join(", ") },
    ],
  ];
  it.each(cases)("%s", async (_what, values, expected) => {
    const [id] = await createAlerts(gateway.prisma, [{ ...world, ...values }]);
    const rows = await exportedRows(await exported(always, as));
    expect(rows.find((row) => row["Alert id"] === id)).toMatchObject(expected);
  });

  it("a link to an external picture is that link", async () => {
    const url = "https://pictures.example/a?b=1&c=2";
    await createAlerts(gateway.prisma, [{ ...world, url, name: "ELSEWHERE" }]);
    const [sheet] = (await workbookOf(await exported(`${always}&type=ELSEWHERE`, as))).worksheets;
    expect(sheet?.getCell("M2").value).toEqual({ text: "Open picture", hyperlink: url });
  });
});
