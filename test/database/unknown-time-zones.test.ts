import { createAlerts } from "../support/factories.js";
import {
  admin,
  bareFacilityId,
  createFixedFleet,
  elsewhere,
  empty,
  id,
  newest,
} from "../support/fixed-fleet.js";
import { answersOf } from "../support/gateway-answers.js";
import type { Gateway } from "../support/harness.js";
import { TestSite } from "../support/test-site.js";

const now = new Date("2026-11-25T10:00:00.000Z");
const lines: string[] = [];
const settings = {
  now: () => now,
  environment: { MAX_QUERY_COST: "100000000", PUBLIC_URL: "http://gateway.example" },
  logDestination: { write: (line: string) => void lines.push(line) },
};

let gateway: Gateway;
let before: Record<string, unknown>;

const site = await TestSite.open();

beforeAll(async () => {
  gateway = await site.start(settings);
  await createFixedFleet(gateway.prisma);
  before = await answersOf(gateway, admin);
  // Written by SQL: the first zone is unknown under any name, and PostgreSQL takes the
  // second for one without summer time.
  await gateway.prisma
    .$executeRaw`UPDATE "Facility" SET "timeZoneId" = 'Mars/Olympus' WHERE "id" = ${empty.facilityId}::uuid`;
  await gateway.prisma
    .$executeRaw`UPDATE "Facility" SET "timeZoneId" = 'CET' WHERE "id" = ${bareFacilityId}::uuid`;
});
afterAll(async () => {
  await gateway.close();
  await site.remove();
});

it("facilities whose time zones are not known change no answer about others", async () => {
  const after = await answersOf(gateway, admin);
  const shown = (answers: object) =>
    JSON.parse(JSON.stringify(answers).replace(/"(?:effectiveT|t)imeZoneId":"[^"]*"/g, '"zone":"any"'));
  expect(shown(after)).toEqual(shown(before));
});

it("in lists, counts, statistics and exports, times and days of such a facility follow an alias, or else UTC", async () => {
  const summer = new Date("2026-07-01T23:30:00.000Z");
  const place = { workspaceId: empty.workspaceId, cameraId: empty.cameraId };
  const alerts = [empty.facilityId, bareFacilityId].map((facilityId, index) => ({
    ...place,
    facilityId,
    id: id(9001 + index),
    createdAt: summer,
  }));
  await createAlerts(gateway.prisma, alerts);
  const filter = `{ start: "2026-06-01T00:00:00Z", end: "2026-08-01T00:00:00Z" }`;
  const answer = await gateway.data(
    `{ facilities { id timeZoneId effectiveTimeZoneId alerts(filter: ${filter}) { nodes { localCreatedAt } } alertCounts(filter: ${filter}, aggregate: DAY) { key } } }`,
    { as: admin },
  );
  const of = (facilityId: string) =>
    (answer as { facilities: { id: string }[] }).facilities.find((each) => each.id === facilityId);
  expect(of(empty.facilityId)).toEqual({
    id: empty.facilityId,
    timeZoneId: "Mars/Olympus",
    effectiveTimeZoneId: "UTC",
    alerts: { nodes: [{ localCreatedAt: "2026-07-01T23:30:00.000+00:00" }] },
    alertCounts: [{ key: "2026-07-01" }],
  });
  expect(of(bareFacilityId)).toEqual({
    id: bareFacilityId,
    timeZoneId: "CET",
    effectiveTimeZoneId: "Europe/Brussels",
    alerts: { nodes: [{ localCreatedAt: "2026-07-02T01:30:00.000+02:00" }] },
    alertCounts: [{ key: "2026-07-02" }],
  });
  await answersOf(gateway, admin);
  expect(await gateway.prisma.$queryRaw`SELECT * FROM "alertCountDifferences"()`).toEqual([]);
});

it("days without alerts are counted for such a facility, too", async () => {
  const { alertStatistics } = await gateway.data<{ alertStatistics: object[] }>(
    "query ($filter: AlertFilter!) { alertStatistics(filter: $filter, groupBy: [DAY], fillGaps: true) { period count } }",
    {
      as: admin,
      variables: { filter: { facilityIds: [empty.facilityId], relativeDays: { from: -1, to: 0 } } },
    },
  );
  expect(alertStatistics).toEqual([
    { period: "2026-11-24", count: 0 },
    { period: "2026-11-25", count: 0 },
  ]);
});

it("they are named by /readyz and in the log of the next start", async () => {
  const timeZones = [
    { timeZoneId: "CET", effectiveTimeZoneId: "Europe/Brussels", facilities: 1 },
    { timeZoneId: "Mars/Olympus", effectiveTimeZoneId: "UTC", facilities: 1 },
  ];
  await expect
    .poll(async () => (await gateway.fetch("/readyz")).json(), { timeout: 5_000 })
    .toMatchObject({ status: "ok", timeZones });
  await gateway.close();
  lines.length = 0;
  gateway = await site.start(settings);
  for (const { timeZoneId } of timeZones)
    expect(lines.filter((line) => line.includes(`time zone \\"${timeZoneId}\\"`))).toHaveLength(1);
});

it("the next start notices zones that another version of the server no longer knows or knows again", async () => {
  const set = (zone: string) =>
    `UPDATE "Facility" SET "effectiveTimeZoneId" = '${zone}' WHERE "id" = '${elsewhere.facilityId}'`;
  const found = () => gateway.prisma.facility.findFirstOrThrow({ where: { id: elsewhere.facilityId } });
  await gateway.prisma.$executeRawUnsafe(set("UTC"));
  await gateway.app.database.updateTimeZones();
  expect(await found()).toMatchObject({
    timeZoneId: "Asia/Kathmandu",
    effectiveTimeZoneId: "Asia/Kathmandu",
  });
});

it("a facility with a zone that the database knows by another name is refused, with that name", async () => {
  const create = `mutation { createFacility(input: { name: "Depot", timeZoneId: "CET" }) { id } }`;
  const { errors } = await gateway.graphql(create, { as: admin });
  expect(errors?.[0]?.message).toMatch(
    /is not a time zone known to the database, which knows it as Europe\/Brussels/,
  );
});

it("knows each zone of Node.js by a name of the same times", async () => {
  const zones = Intl.supportedValuesOf("timeZone");
  const rows = await gateway.prisma.$queryRaw<{ zone: string; names: string[] }[]>`
    SELECT zone, "knownTimeZones"(zone) AS "names" FROM unnest(${zones}::text[]) AS each(zone)`;
  const at = (timeZone: string) =>
    new Intl.DateTimeFormat("sv", { timeZone, dateStyle: "short", timeStyle: "short" }).format(newest);
  for (const { zone, names } of rows) {
    expect(names[0], zone).toBeDefined();
    for (const name of names) expect([name, at(name)]).toEqual([name, at(zone)]);
  }
});

it.each([
  "Mars/Olympus5",
  "MARS/OLYMPUS5",
  "XYZ5",
  "+03:00",
  "GMT+3",
  "3",
  "",
  "Factory",
  "localtime",
  "posix/Europe/Berlin",
  "posixrules",
])("knows no zone %j, which PostgreSQL and Node.js read differently", async (zone) => {
  expect(await gateway.prisma.$queryRaw`SELECT "knownTimeZones"(${zone}) AS "names"`).toEqual([
    { names: [] },
  ]);
});

it("knows a zone in any case, by the spelling of the database", async () => {
  expect(await gateway.prisma.$queryRaw`SELECT "timeZoneName"('europe/istanbul') AS "name"`).toEqual([
    { name: "Europe/Istanbul" },
  ]);
});
