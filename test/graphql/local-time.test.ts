import { localDay, wallTime } from "../../src/console/language/time-zones.js";
import { usableTimeZone } from "../../src/platform/time.js";
import { createAlerts, createPlace, createUser } from "../support/factories.js";
import { sharedWorkspace } from "../support/harness.js";
import { calendars, clock, minute } from "./local-filters.js";

const reader = { user: "local-time|reader" };
/** From each of the events to alerts around it, in milliseconds. */
const distances = [-1, 1, ...[-90, -60, -30, 0, 30, 60, 90].map((minutes) => minutes * minute)];

const facilityIds: Record<string, string> = {};

const { gateway, prisma, workspaceId } = await sharedWorkspace();
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

/** The offset of a zone at an instant by ICU, such as `+03:00`. */
const offsetOf = (timeZone: string, at: Date) =>
  new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName: "longOffset" })
    .formatToParts(at)
    .find(({ type }) => type === "timeZoneName")
    ?.value.replace("GMT", "") || "+00:00";

it.each(Object.keys(calendars))(
  "localCreatedAt in %s is the same instant, with the offset of that instant",
  async (timeZoneId) => {
    const query =
      "query ($id: UUID!) { facility(id: $id) { alerts(first: 1000) { nodes { createdAt localCreatedAt } } } }";
    const { facility } = await gateway.data<{
      facility: { alerts: { nodes: { createdAt: string; localCreatedAt: string }[] } };
    }>(query, { as: reader, variables: { id: facilityIds[timeZoneId] } });
    expect(facility.alerts.nodes.length).toBeGreaterThanOrEqual(distances.length);
    for (const { createdAt, localCreatedAt } of facility.alerts.nodes) {
      expect(new Date(localCreatedAt).toISOString()).toBe(createdAt);
      const { date, time } = clock(new Date(createdAt), timeZoneId);
      expect(localCreatedAt).toBe(`${date}T${time}${offsetOf(timeZoneId, new Date(createdAt))}`);
    }
  },
);

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
