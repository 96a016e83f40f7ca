import { localDay, usableTimeZone, wallTime } from "../../src/console/language/time-zones.js";
import { createAlerts, createPlace, createUser, createWorkspace } from "../support/factories.js";
import { sharedGateway } from "../support/harness.js";
import { type Count, calendars, clock, counted, minute } from "./local-filters.js";

const reader = { user: "local-time|reader" };
const filter = { start: "1901-01-02T00:00:00Z", end: "2100-01-01T00:00:00Z" };

/** From each of the events to alerts around it, in milliseconds. */
const distances = [-1, 1, ...[-90, -60, -30, 0, 30, 60, 90].map((minutes) => minutes * minute)];

interface Counts {
  DAY: Count[];
  WEEK: Count[];
  MONTH: Count[];
}
interface CalendarResult {
  cameras: { alerts: { nodes: { createdAt: string; localCreatedAt: string }[] } }[];
}

const countFields = (["DAY", "WEEK", "MONTH"] as const)
  .map((unit) => `${unit}: alertCounts(filter: $filter, aggregate: ${unit}) { key count }`)
  .join(" ");
const facilityIds: Record<string, string> = {};

const gateway = await sharedGateway();
const { prisma } = gateway;
const workspaceId = await createWorkspace(prisma);
await createUser(prisma, { workspaceId, authId: reader.user, roles: ["alerts:read"] });
for (const [timeZoneId, events] of Object.entries(calendars)) {
  const place = await createPlace(prisma, { workspaceId, timeZoneId });
  facilityIds[timeZoneId] = place.facilityId;
  const timestamps = events.flatMap((event) =>
    distances.map((distance) => new Date(Date.parse(event) + distance)),
  );
  await createAlerts(
    prisma,
    timestamps.map((createdAt) => ({ ...place, createdAt })),
  );
}

async function resultFor(timeZoneId: string): Promise<{ local: Map<string, string>; counts: Counts }> {
  const query = `query ($id: UUID!, $filter: AlertFilter!) {
    facility(id: $id) { ${countFields} cameras { alerts(first: 1000) { nodes { createdAt localCreatedAt } } } }
  }`;
  const { facility } = await gateway.data<{ facility: Counts & CalendarResult }>(query, {
    as: reader,
    variables: { id: facilityIds[timeZoneId], filter },
  });
  const nodes = facility.cameras.flatMap(({ alerts }) => alerts.nodes);
  return {
    local: new Map(nodes.map(({ createdAt, localCreatedAt }) => [createdAt, localCreatedAt])),
    counts: facility,
  };
}

/** The offset of a zone at an instant by ICU, such as `+03:00`. */
const offsetOf = (timeZone: string, at: Date) =>
  new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName: "longOffset" })
    .formatToParts(at)
    .find(({ type }) => type === "timeZoneName")
    ?.value.replace("GMT", "") || "+00:00";

describe.each(Object.keys(calendars))("in %s", (timeZoneId) => {
  it("localCreatedAt is the same instant, with the offset of that instant", async () => {
    const { local } = await resultFor(timeZoneId);
    expect(local.size).toBeGreaterThanOrEqual(distances.length);
    for (const [createdAt, localCreatedAt] of local) {
      expect(new Date(localCreatedAt).toISOString()).toBe(createdAt);
      const { date, time } = clock(new Date(createdAt), timeZoneId);
      expect(localCreatedAt).toBe(`${date}T${time}${offsetOf(timeZoneId, new Date(createdAt))}`);
    }
  });

  it("alertCounts are by the local dates and weeks of PostgreSQL", async () => {
    const { local, counts } = await resultFor(timeZoneId);
    const rows = await prisma.$queryRaw<{ date: string; week: string }[]>`
      SELECT to_char(local, 'YYYY-MM-DD') AS "date", to_char(local, 'IYYY-"W"IW') AS "week"
      FROM (SELECT "createdAt" AT TIME ZONE ${timeZoneId} AS local FROM "Alert" WHERE "facilityId" = ${facilityIds[timeZoneId]}::uuid) AS alert`;
    const dates = rows.map(({ date }) => date);
    expect(dates).toEqual(expect.arrayContaining([...local.values()].map((text) => text.slice(0, 10))));
    expect(counts.DAY).toEqual(counted(dates));
    expect(counts.MONTH).toEqual(counted(dates.map((date) => date.slice(0, 7))));
    expect(counts.WEEK).toEqual(counted(rows.map(({ week }) => week)));
  });
});

it("alertCounts of the workspace use the calendar of each alert's facility", async () => {
  const units = ["DAY", "WEEK", "MONTH"] as const;
  const results = await Promise.all(Object.keys(calendars).map(resultFor));
  const keysOf = (unit: keyof Counts) =>
    results.flatMap(({ counts }) => counts[unit].flatMap(({ key, count }) => Array<string>(count).fill(key)));
  const counts = await gateway.data<Counts>(`query ($filter: AlertFilter!) { ${countFields} }`, {
    as: reader,
    variables: { filter },
  });
  expect(counts.DAY.length).toBeGreaterThan(Object.keys(calendars).length);
  expect(counts).toEqual(Object.fromEntries(units.map((unit) => [unit, counted(keysOf(unit))])));
});

/** More often than clocks change anywhere. */
const sampleStep = 20 * 24 * 60 * minute;
const sampledFrom = Date.parse("2000-01-01T00:00:00Z");

/**
 * The changes of a zone's clocks. The tested function finds them between the samples of
 * its offset.
 */
function changesOf(zone: string, offsets: readonly number[]): number[] {
  const offsetAt = (at: number) => (wallTime(at, zone).getTime() - at) / 1000;
  return offsets.flatMap((offset, index) => {
    const next = offsets[index + 1];
    if (next === undefined || next === offset) return [];
    let [before, after] = [sampledFrom + index * sampleStep, sampledFrom + (index + 1) * sampleStep];
    while (after - before > 1000) {
      const middle = before + Math.floor((after - before) / 2000) * 1000;
      if (offsetAt(middle) === offset) before = middle;
      else after = middle;
    }
    return [after];
  });
}

it("the console's local days are the database's, in every time zone at every change of clocks from 2000 to 2040", async () => {
  const names = await prisma.$queryRaw<
    { name: string }[]
  >`SELECT name FROM pg_timezone_names WHERE name <> 'localtime' ORDER BY name`;
  const zones = names.map(({ name }) => name).filter((name) => usableTimeZone(name) === name);
  expect(zones.length).toBeGreaterThan(400);
  const samples = await prisma.$queryRaw<{ offsets: number[]; zones: string[] }[]>`
    SELECT sampled.offsets, array_agg(sampled.zone) AS zones FROM (
      SELECT zone, array_agg(extract(epoch FROM (at AT TIME ZONE zone) - (at AT TIME ZONE 'UTC'))::int ORDER BY at) AS offsets
      FROM unnest(${zones}::text[]) AS zone
      CROSS JOIN generate_series(timestamptz '2000-01-01T00:00:00Z', timestamptz '2041-01-15T00:00:00Z', interval '20 days') AS at GROUP BY 1
    ) AS sampled GROUP BY 1`;
  const points = samples.flatMap(({ offsets, zones }) => {
    const moments = changesOf(zones[0] as string, offsets).flatMap((change) =>
      [-1, 0].map((distance) => change + distance),
    );
    return zones.flatMap((zone) => moments.map((at) => ({ zone, at })));
  });
  expect(points.length).toBeGreaterThan(10_000);
  const days = await prisma.$queryRaw<{ day: string; offset: number }[]>`
    SELECT to_char(local, 'YYYY-MM-DD') AS day, extract(epoch FROM local - (moment AT TIME ZONE 'UTC'))::int AS offset
    FROM unnest(${points.map(({ zone }) => zone)}::text[], ${points.map(({ at }) => at)}::float8[]) WITH ORDINALITY AS point (zone, at, number)
    CROSS JOIN LATERAL (SELECT to_timestamp(at / 1000) AS moment) AS instant CROSS JOIN LATERAL (SELECT moment AT TIME ZONE zone AS local) AS clock ORDER BY number`;
  const wrong = points.filter(({ zone, at }, index) => localDay(at, zone) !== days[index]?.day);
  // The database may know of newer decrees, or older ones, than ICU: then its offset is
  // another one at the same instant.
  const known = wrong.filter(
    ({ zone, at }) =>
      (wallTime(at, zone).getTime() - Math.floor(at / 1000) * 1000) / 1000 ===
      days[points.findIndex((point) => point.zone === zone && point.at === at)]?.offset,
  );
  expect(known).toEqual([]);
  expect(new Set(wrong.map(({ zone }) => zone)).size).toBeLessThan(10);
});
