// Runs once: no database can influence what is tested here.
import { randomUUID } from "node:crypto";
import {
  createAlertRule,
  createAlerts,
  createCamera,
  createFacility,
  createPlace,
  createUser,
} from "../support/factories.js";
import { sharedWorkspace } from "../support/harness.js";
import { type ExportedRow, exportedRows, fileOf } from "./exports.js";
import { exceljsRows, partOf, rowsOf, workbookOf } from "./workbook.js";

const reader = { user: "cells|reader" };
const { gateway, prisma, workspaceId } = await sharedWorkspace();
await createUser(prisma, { workspaceId, authId: reader.user, roles: ["alerts:read"] });

/** Exports all alerts of a facility. */
async function exported(facilityId: string): Promise<Buffer> {
  const query = `filter: { start: "0001-01-01T00:00:00Z", end: "9999-12-31T23:59:59.999Z", facilityId: "${facilityId}" }`;
  const { exportAlerts } = await gateway.data<{ exportAlerts: { url: string } }>(
    `{ exportAlerts(${query}) { url } }`,
    { as: reader },
  );
  return fileOf(await gateway.fetch(exportAlerts.url.slice(new URL(exportAlerts.url).origin.length)));
}

/** The rows by alert id. */
const byId = (rows: ExportedRow[]) => new Map(rows.map((row) => [row["Alert id"] as string, row]));

/** The rows of a file as both libraries read them. */
async function readByBoth(file: Buffer): Promise<Map<string, ExportedRow>[]> {
  const [sheet] = (await workbookOf(file)).worksheets;
  return [byId(await exportedRows(file)), byId(await exportedRows(exceljsRows(sheet)))];
}

it("names of facilities, cameras, rules, areas and severities are texts as well", async () => {
  const odd = (name: string) => `=${name}("\u0001_x0041_")\r\n`;
  const shown = (name: string) => `=${name}("\ufffd_x0041_")\n`;
  const facilityId = await createFacility(prisma, { workspaceId, name: odd("facility") });
  const cameraId = await createCamera(prisma, { workspaceId, facilityId, name: odd("camera") });
  const areas = ["one", "two"].map((name) => ({
    id: randomUUID(),
    type: "AREA",
    name: odd(name),
    points: [],
  }));
  const group = { id: randomUUID(), type: "GROUP", operator: "AND", children: areas };
  const alertRuleId = await createAlertRule(prisma, { cameraId, name: odd("rule"), group });
  const areaIds = areas.map(({ id }) => id);
  await createAlerts(prisma, [
    { workspaceId, facilityId, cameraId, alertRuleId, areaIds, severity: odd("severity") },
  ]);
  const file = await exported(facilityId);
  for (const rows of await readByBoth(file)) {
    const [row] = rows.values();
    const cells = (["Facility", "Camera", "Severity", "Rule", "Areas"] as const).map((name) => row?.[name]);
    expect(cells).toEqual([
      ...["facility", "camera", "severity", "rule"].map(shown),
      `${shown("one")}, ${shown("two")}`,
    ]);
  }
  expect(await partOf(file, "xl/worksheets/sheet1.xml")).not.toMatch(/<f[ >]/);
});

describe("times that spreadsheet calendars do not support are texts, at UTC+3:", () => {
  const facilityId = randomUUID();
  const timestamps: [createdAt: string, utc: Date | string, local: Date | string][] = [
    ["0001-01-01T00:00:00.000Z", "0001-01-01T00:00:00.000", "0001-01-01[T ]03:00:00"],
    ["1850-06-01T22:30:00.250Z", "1850-06-01T22:30:00.250", "1850-06-02[T ]01:30:00"],
    ["1900-02-28T20:59:59.999Z", "1900-02-28T20:59:59.999", "1900-02-28[T ]23:59:59"],
    ["1900-02-28T21:00:00.000Z", "1900-02-28T21:00:00.000", new Date("1900-03-01T00:00:00.000Z")],
    ["1900-03-01T00:00:00.000Z", new Date("1900-03-01T00:00:00.000Z"), new Date("1900-03-01T03:00:00.000Z")],
    ["1969-12-31T23:59:59.999Z", new Date("1969-12-31T23:59:59.999Z"), new Date("1970-01-01T02:59:59.999Z")],
    ["9999-12-31T20:59:59.998Z", new Date("9999-12-31T20:59:59.998Z"), new Date("9999-12-31T23:59:59.998Z")],
  ];
  let ids: string[];
  let rows: Map<string, ExportedRow>;
  beforeAll(async () => {
    await createFacility(prisma, { id: facilityId, workspaceId, timeZoneId: "Etc/GMT-3" });
    const cameraId = await createCamera(prisma, { workspaceId, facilityId });
    const alerts = timestamps.map(([createdAt]) => ({
      workspaceId,
      facilityId,
      cameraId,
      createdAt: new Date(createdAt),
    }));
    ids = await createAlerts(prisma, alerts);
    const [sheet] = (await workbookOf(await exported(facilityId))).worksheets;
    rows = byId(await exportedRows(exceljsRows(sheet)));
  });

  it.each(timestamps.map((timestamp, index) => [...timestamp, index] as const))(
    "%s",
    (_createdAt, utc, local, index) => {
      const row = rows.get(ids[index] as string);
      // A local time does not name a zone.
      const expectedLocal =
        local instanceof Date ? local : expect.stringMatching(new RegExp(`^${local}(\\.\\d{3})?$`));
      expect([row?.["UTC time"], row?.["Local time"]]).toEqual([utc, expectedLocal]);
    },
  );
});

it.each([
  ["the last one, at UTC+3", "Etc/GMT-3", "9999-12-31T23:59:59.998Z"],
  ["the first one, at UTC-3", "Etc/GMT+3", "0001-01-01T00:00:00.000Z"],
])(
  "a time whose local year no spreadsheet calendar supports does not corrupt the file: %s",
  async (_what, timeZoneId, createdAt) => {
    const { facilityId, cameraId } = await createPlace(prisma, { workspaceId, timeZoneId });
    const site = { workspaceId, facilityId, cameraId };
    const ids = await createAlerts(prisma, [{ ...site, createdAt: new Date(createdAt) }, site]);
    const file = await exported(facilityId);
    expect([...byId(await exportedRows(file)).keys()].sort()).toEqual(ids.sort());
    expect(await partOf(file, "xl/worksheets/sheet1.xml")).not.toContain("NaN");
  },
);

it("a text that looks like an XML entity is that text", async () => {
  // exceljs would decode it twice.
  const { facilityId, cameraId } = await createPlace(prisma, { workspaceId, name: "&amp;&lt;b&gt;" });
  await createAlerts(prisma, [{ workspaceId, facilityId, cameraId }]);
  expect((await rowsOf(await exported(facilityId)))[1]?.[2]).toBe("&amp;&lt;b&gt;");
});
