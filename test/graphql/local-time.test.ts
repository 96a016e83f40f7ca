import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createAlerts, createCamera, createFacility, createUser, createWorkspace } from "../support/factories.js";
import { type Gateway, startGateway } from "../support/harness.js";

const reader = { user: "test|reader" };
const filter = { start: "1901-01-02T00:00:00Z", end: "2100-01-01T00:00:00Z" };
const minutes = 60_000;

/** Moments at which something happens to a zone's calendar: its clocks jump, or its day, week or year begins. */
const calendars: Record<string, string[]> = {
  // Clocks were set forward for good; a year begins.
  "Europe/Istanbul": ["2016-03-27T01:00:00Z", "2016-09-06T21:00:00Z", "2015-11-08T01:00:00Z", "2025-12-31T21:00:00Z"],
  // Midnight comes twice, and is left out.
  "America/Sao_Paulo": ["2018-02-18T02:00:00Z", "2018-02-18T03:00:00Z", "2018-11-04T03:00:00Z", "2018-12-31T02:00:00Z"],
  // A day begins an hour late; clocks fall back at its end.
  "Africa/Cairo": ["2023-04-27T22:00:00Z", "2023-10-26T21:00:00Z", "2023-10-26T22:00:00Z", "2024-04-25T22:00:00Z"],
  // The first hour of a day comes twice.
  "America/Havana": ["2025-11-02T04:00:00Z", "2025-11-02T05:00:00Z", "2025-03-09T05:00:00Z", "2025-11-03T05:00:00Z"],
  // An offset of three quarters of an hour; ten minutes that never were.
  "Asia/Kathmandu": ["1985-12-31T18:30:00Z", "2026-11-19T18:15:00Z", "2026-12-31T18:15:00Z"],
  // Clocks jump by half an hour.
  "Australia/Lord_Howe": ["2025-04-05T15:00:00Z", "2025-10-04T15:30:00Z", "2025-10-04T13:30:00Z"],
  // A whole day was left out.
  "Pacific/Apia": ["2011-12-30T10:00:00Z", "2011-12-29T10:00:00Z", "2011-12-31T10:00:00Z", "2012-03-31T14:00:00Z"],
  // The hour that comes twice and the one that is left out; weeks around years' ends.
  "Europe/Amsterdam": ["2025-03-30T01:00:00Z", "2025-10-26T01:00:00Z", "2020-12-31T23:00:00Z", "2021-01-03T23:00:00Z", "2021-12-31T23:00:00Z"],
  // Half hours; clocks used to be set a minute after midnight.
  "America/St_Johns": ["2011-03-13T03:31:00Z", "2010-11-07T02:31:00Z", "2025-03-09T05:30:00Z", "2025-11-02T04:30:00Z"],
  UTC: ["2016-12-31T23:59:59Z", "1969-12-31T23:59:00Z", "2024-02-29T00:00:00Z", "2024-12-30T00:00:00Z"],
};
const distances = [-90 * minutes, -60 * minutes, -30 * minutes, -1, 0, 1, 30 * minutes, 60 * minutes, 90 * minutes];

interface Counts {
  DAY: Count[];
  WEEK: Count[];
  MONTH: Count[];
}
interface Count {
  key: string;
  count: number;
}
interface CalendarAnswer {
  cameras: { alerts: { nodes: { createdAt: string; localCreatedAt: string }[] } }[];
}

const countFields = (["DAY", "WEEK", "MONTH"] as const)
  .map((unit) => `${unit}: alertCounts(filter: $filter, aggregate: ${unit}) { key count }`)
  .join(" ");

let gateway: Gateway;
const facilityIds: Record<string, string> = {};

beforeAll(async () => {
  gateway = await startGateway({ seed: "none" });
  const { prisma } = gateway;
  const workspaceId = await createWorkspace(prisma, {});
  await createUser(prisma, { workspaceId, authId: reader.user, roles: ["alerts:read"] });
  for (const [timeZoneId, events] of Object.entries(calendars)) {
    const facilityId = await createFacility(prisma, { workspaceId, name: timeZoneId, timeZoneId });
    const cameraId = await createCamera(prisma, { workspaceId, facilityId });
    facilityIds[timeZoneId] = facilityId;
    const moments = events.flatMap((event) => distances.map((distance) => new Date(Date.parse(event) + distance)));
    await createAlerts(
      prisma,
      moments.map((createdAt) => ({ workspaceId, facilityId, cameraId, createdAt })),
    );
  }
});
afterAll(() => gateway.close());

async function answerFor(timeZoneId: string): Promise<{ local: Map<string, string>; counts: Counts }> {
  const query = `query ($id: UUID!, $filter: AlertFilter!) {
    facility(id: $id) { ${countFields} cameras { alerts(first: 1000) { nodes { createdAt localCreatedAt } } } }
  }`;
  const { facility } = await gateway.data<{ facility: Counts & CalendarAnswer }>(query, {
    as: reader,
    variables: { id: facilityIds[timeZoneId], filter },
  });
  const nodes = facility.cameras.flatMap(({ alerts }) => alerts.nodes);
  return { local: new Map(nodes.map(({ createdAt, localCreatedAt }) => [createdAt, localCreatedAt])), counts: facility };
}

/** The keys, each with how many there are of it, ascending. */
function counted(keys: string[]): Count[] {
  const numbers = new Map<string, number>();
  for (const key of keys) numbers.set(key, (numbers.get(key) ?? 0) + 1);
  return [...numbers].map(([key, count]) => ({ key, count })).sort((one, other) => (one.key < other.key ? -1 : 1));
}

/** The local date and time of a moment by ICU, such as `2026-11-20T12:30:00`, and its offset, such as `+03:00`. */
function byIntl(timeZone: string, createdAt: string): { clock: string; offset: string } {
  const format = new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "medium" });
  const offset = new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName: "longOffset" })
    .formatToParts(new Date(createdAt))
    .find(({ type }) => type === "timeZoneName")?.value;
  return { clock: format.format(new Date(createdAt)).replace(" ", "T"), offset: offset?.replace("GMT", "") || "+00:00" };
}

/** The ISO week of a date, such as `2026-W47`: it belongs to the year that its Thursday lies in. */
function isoWeek(date: string): string {
  const thursday = new Date(`${date}T00:00:00Z`);
  thursday.setUTCDate(thursday.getUTCDate() + 4 - (thursday.getUTCDay() || 7));
  const year = thursday.getUTCFullYear();
  const week = Math.floor((thursday.getTime() - Date.UTC(year, 0, 1)) / (7 * 24 * 60 * minutes)) + 1;
  return `${year}-W${String(week).padStart(2, "0")}`;
}

describe.each(Object.keys(calendars))("in %s", (timeZoneId) => {
  it("localCreatedAt is the same instant, with the offset of that instant", async () => {
    const { local } = await answerFor(timeZoneId);
    expect(local.size).toBeGreaterThan(distances.length);
    for (const [createdAt, localCreatedAt] of local) {
      expect(new Date(localCreatedAt).toISOString()).toBe(createdAt);
      const { clock, offset } = byIntl(timeZoneId, createdAt);
      expect(localCreatedAt).toBe(`${clock}${createdAt.slice(19, -1)}${offset}`);
    }
  });

  it("localCreatedAt is what PostgreSQL's clock shows there", async () => {
    const { local } = await answerFor(timeZoneId);
    const rows = await gateway.prisma.$queryRaw<{ createdAt: Date; clock: string }[]>`
      SELECT "createdAt", to_char("createdAt" AT TIME ZONE ${timeZoneId}, 'YYYY-MM-DD"T"HH24:MI:SS.MS') AS "clock"
      FROM "Alert" WHERE "facilityId" = ${facilityIds[timeZoneId]}::uuid`;
    for (const { createdAt, clock } of rows) expect(local.get(createdAt.toISOString())?.slice(0, 23)).toBe(clock);
  });

  it("alertCounts are those of the dates that the alerts have there", async () => {
    const { local, counts } = await answerFor(timeZoneId);
    const rows = await gateway.prisma.$queryRaw<{ date: string }[]>`
      SELECT ("createdAt" AT TIME ZONE ${timeZoneId})::date::text AS "date" FROM "Alert" WHERE "facilityId" = ${facilityIds[timeZoneId]}::uuid`;
    const dates = rows.map(({ date }) => date);
    expect(dates.toSorted()).toEqual(expect.arrayContaining([...local.values()].map((text) => text.slice(0, 10))));
    expect(counts.DAY).toEqual(counted(dates));
    expect(counts.MONTH).toEqual(counted(dates.map((date) => date.slice(0, 7))));
    expect(counts.WEEK).toEqual(counted(dates.map(isoWeek)));
  });

  it("alertCounts by week are by PostgreSQL's ISO calendar", async () => {
    const { counts } = await answerFor(timeZoneId);
    const rows = await gateway.prisma.$queryRaw<{ year: number; week: number }[]>`
      SELECT extract(isoyear FROM "createdAt" AT TIME ZONE ${timeZoneId})::int AS "year", extract(week FROM "createdAt" AT TIME ZONE ${timeZoneId})::int AS "week"
      FROM "Alert" WHERE "facilityId" = ${facilityIds[timeZoneId]}::uuid`;
    expect(counts.WEEK).toEqual(counted(rows.map(({ year, week }) => `${year}-W${String(week).padStart(2, "0")}`)));
  });
});

describe("localCreatedAt", () => {
  it.each([
    ["America/Sao_Paulo", "the last hour of a summer", "2018-02-18T01:30:00.000Z", "2018-02-17T23:30:00.000-02:00"],
    ["America/Sao_Paulo", "the same hour by the clock, once more", "2018-02-18T02:30:00.000Z", "2018-02-17T23:30:00.000-03:00"],
    ["America/Sao_Paulo", "the first moment of a day without a midnight", "2018-11-04T03:00:00.000Z", "2018-11-04T01:00:00.000-02:00"],
    ["America/Havana", "the first midnight of a day with two", "2025-11-02T04:00:00.000Z", "2025-11-02T00:00:00.000-04:00"],
    ["America/Havana", "the second midnight of a day with two", "2025-11-02T05:00:00.000Z", "2025-11-02T00:00:00.000-05:00"],
    ["Asia/Kathmandu", "an offset with minutes", "2026-11-19T18:15:00.000Z", "2026-11-20T00:00:00.000+05:45"],
    ["Pacific/Apia", "the last moment before the date line moved", "2011-12-30T09:59:59.999Z", "2011-12-29T23:59:59.999-10:00"],
    ["Pacific/Apia", "the first moment after the date line moved", "2011-12-30T10:00:00.000Z", "2011-12-31T00:00:00.000+14:00"],
    ["America/St_Johns", "a negative offset with minutes", "2025-11-02T04:30:00.000Z", "2025-11-02T01:00:00.000-03:30"],
    ["Australia/Lord_Howe", "a summer of half an hour", "2025-10-04T15:30:00.000Z", "2025-10-05T02:30:00.000+11:00"],
    ["UTC", "no offset", "2016-12-31T23:59:59.000Z", "2016-12-31T23:59:59.000+00:00"],
  ])("in %s shows %s", async (timeZoneId, _what, createdAt, expected) => {
    expect((await answerFor(timeZoneId)).local.get(createdAt)).toBe(expected);
  });
});

describe("alertCounts", () => {
  it("leave out the day that Samoa did not have, and every other day without an alert", async () => {
    const { DAY } = (await answerFor("Pacific/Apia")).counts;
    expect(DAY.map(({ key }) => key)).toEqual(["2011-12-28", "2011-12-29", "2011-12-31", "2012-01-01", "2012-04-01"]);
  });

  it.each([
    ["2020-12-31", "2020-W53"],
    ["2021-01-03", "2020-W53"],
    ["2021-01-04", "2021-W01"],
    ["2022-01-01", "2021-W52"],
  ])("take the alerts of %s to the week %s in Amsterdam", async (date, week) => {
    const { local, counts } = await answerFor("Europe/Amsterdam");
    const near = [...local.values()].filter((text) => isoWeek(text.slice(0, 10)) === week);
    expect(near.some((text) => text.startsWith(date))).toBe(true);
    expect(counts.WEEK).toContainEqual({ key: week, count: near.length });
  });

  it("only count what the filter lets through", async () => {
    const query = "query ($id: UUID!, $filter: AlertFilter!) { facility(id: $id) { alertCounts(filter: $filter, aggregate: DAY) { key count } } }";
    const stretch = { start: "2025-11-02T04:00:00Z", end: "2025-11-02T05:00:00Z" };
    const variables = { id: facilityIds["America/Havana"], filter: stretch };
    const { facility } = await gateway.data<{ facility: { alertCounts: Count[] } }>(query, { as: reader, variables });
    // The events at 04:00 and 05:00 have alerts around them: 04:00 (two), one millisecond later, 04:30 (two), and one before 05:00.
    expect(facility.alertCounts).toEqual([{ key: "2025-11-02", count: 6 }]);
    expect(
      (await gateway.data<typeof nothing>(query, { as: reader, variables: { ...variables, filter: { ...filter, types: [] } } })).facility,
    ).toEqual(nothing.facility);
  });
  const nothing = { facility: { alertCounts: [] } };

  it("over the whole workspace take each alert by its own facility's calendar", async () => {
    const keys: Record<"DAY" | "WEEK" | "MONTH", string[]> = { DAY: [], WEEK: [], MONTH: [] };
    for (const timeZoneId of Object.keys(calendars)) {
      const { counts } = await answerFor(timeZoneId);
      for (const unit of ["DAY", "WEEK", "MONTH"] as const) {
        keys[unit].push(...counts[unit].flatMap(({ key, count }) => Array.from({ length: count }, () => key)));
      }
    }
    const counts = await gateway.data<Counts>(`query ($filter: AlertFilter!) { ${countFields} }`, { as: reader, variables: { filter } });
    expect(counts.DAY.length).toBeGreaterThan(Object.keys(calendars).length);
    expect(counts).toEqual({ DAY: counted(keys.DAY), WEEK: counted(keys.WEEK), MONTH: counted(keys.MONTH) });
  });

  it("of cameras add up to those of their facility", async () => {
    const query = `query ($id: UUID!, $filter: AlertFilter!) { facility(id: $id) { ${countFields} cameras { ${countFields} } } }`;
    const variables = { id: facilityIds["Europe/Istanbul"], filter };
    const { facility } = await gateway.data<{ facility: Counts & { cameras: Counts[] } }>(query, { as: reader, variables });
    const { cameras, ...ofFacility } = facility;
    expect(cameras).toEqual([ofFacility]);
    expect(ofFacility.MONTH.length).toBeGreaterThan(2);
  });
});
