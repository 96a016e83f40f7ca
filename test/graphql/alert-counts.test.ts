// Runs once: both kinds of databases run the same statements.
import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  createAlerts,
  createCamera,
  createFacility,
  createUser,
  createWorkspace,
} from "../support/factories.js";
import { type Gateway, startGateway } from "../support/harness.js";

const reader = { user: "test|reader" };

/**
 * Time zones, each with the time around which its alerts are created: midnight, or a
 * clock change close to it.
 */
const calendars: [timeZoneId: string, center: string][] = [
  ["Europe/Istanbul", "2026-11-19T21:00:00Z"],
  ["Asia/Kathmandu", "2026-11-19T18:15:00Z"],
  // Clocks go back from 01:00 to midnight.
  ["America/Havana", "2025-11-02T05:00:00Z"],
  // Clocks go back from 00:01 to 23:01 of the previous day.
  ["America/St_Johns", "2010-11-07T02:31:00Z"],
  // Clocks go back from midnight to 23:00 of the previous day, and forward from midnight
  // to 01:00.
  ["Africa/Cairo", "2025-10-30T21:00:00Z"],
  ["Africa/Cairo", "2026-04-23T22:00:00Z"],
  ["America/Sao_Paulo", "2018-02-18T02:00:00Z"],
  ["America/Sao_Paulo", "2018-11-04T03:00:00Z"],
];

interface Site {
  workspaceId: string;
  facilityId: string;
  cameraId: string;
}

let gateway: Gateway;
/** Two cameras for each calendar. */
const sites: Site[] = [];

beforeAll(async () => {
  gateway = await startGateway({ seed: "none" });
  const { prisma } = gateway;
  const workspaceId = await createWorkspace(prisma, {});
  await createUser(prisma, { workspaceId, authId: reader.user, roles: ["alerts:read"] });
  for (const [timeZoneId] of calendars) {
    const facilityId = await createFacility(prisma, { workspaceId, timeZoneId });
    for (let camera = 0; camera < 2; camera += 1)
      sites.push({
        workspaceId,
        facilityId,
        cameraId: await createCamera(prisma, { workspaceId, facilityId }),
      });
  }
});
afterAll(() => gateway.close());

const minute = 60_000;
const distances = fc.oneof(
  fc.integer({ min: -9 * 1440, max: 9 * 1440 }),
  fc.integer({ min: -180, max: 180 }),
  fc.integer({ min: -9, max: 9 }).map((days) => days * 1440),
);
/** Times in a calendar, often at or close to midnight or a clock change. */
const timestampsIn = (calendar: number) =>
  fc
    .tuple(distances, fc.constantFrom(-1, 0, 0, 1))
    .map(
      ([minutes, milliseconds]) =>
        new Date(Date.parse(calendars[calendar]?.[1] as string) + minutes * minute + milliseconds),
    );

const calendarNumber = fc.nat(calendars.length - 1);
const type = fc.constantFrom("FENCE", "SMOKE", "CROWD");
const severity = fc.constantFrom("LOW", "HIGH", "", null);
const alert = calendarNumber.chain((calendar) =>
  fc.record({
    site: fc.constantFrom(2 * calendar, 2 * calendar + 1),
    createdAt: timestampsIn(calendar),
    name: type,
    severity,
    bookmark: fc.boolean(),
    acknowledgedAt: fc.option(fc.constant(new Date("2026-11-20T12:00:00Z"))),
  }),
);
const change = fc.oneof(
  fc.record({ name: type }),
  fc.record({ severity }),
  fc.record({ bookmark: fc.boolean() }),
  fc.record({ acknowledgedAt: fc.option(fc.constant(new Date("2026-11-20T12:00:00Z"))) }),
  calendarNumber.chain((calendar) => fc.record({ createdAt: timestampsIn(calendar) })),
);
const writes = fc.record({
  inserted: fc.array(alert, { maxLength: 60 }),
  // Indexes of the alerts, modulo their number.
  updated: fc.array(fc.tuple(fc.array(fc.nat(), { maxLength: 10 }), change), { maxLength: 5 }),
  deleted: fc.array(fc.nat(), { maxLength: 30 }),
});

const everything = fc.constant([new Date("2001-01-01T00:00:00Z"), new Date("2030-01-01T00:00:00Z")]);
const period = fc.oneof(
  {
    arbitrary: calendarNumber.chain((calendar) => fc.tuple(timestampsIn(calendar), timestampsIn(calendar))),
    weight: 5,
  },
  { arbitrary: everything, weight: 1 },
);
const filter = fc
  .record({
    period,
    facility: fc.option(fc.nat(), { freq: 3 }),
    cameras: fc.option(fc.array(fc.nat(), { maxLength: 12 }), { freq: 3 }),
    types: fc.option(fc.uniqueArray(type), { freq: 2 }),
    severities: fc.option(fc.uniqueArray(fc.constantFrom("LOW", "HIGH", "")), { freq: 2 }),
    bookmark: fc.option(fc.boolean(), { freq: 6 }),
    acknowledged: fc.option(fc.boolean(), { freq: 6 }),
  })
  .map(({ period, facility, cameras, types, severities, bookmark, acknowledged }) => {
    const [start, end] = period.toSorted((first, second) => first.getTime() - second.getTime());
    return () => ({
      start,
      end,
      facilityId: facility === null ? null : sites[facility % sites.length]?.facilityId,
      cameraIds: cameras?.map((camera) => sites[camera % sites.length]?.cameraId) ?? null,
      types,
      severities,
      bookmark,
      acknowledged,
    });
  });

type Writes = typeof writes extends fc.Arbitrary<infer Drawn> ? Drawn : never;

async function write({ inserted, updated, deleted }: Writes): Promise<void> {
  const { prisma } = gateway;
  const ids = await createAlerts(
    prisma,
    inserted.map(({ site, ...values }) => ({ ...(sites[site] as Site), ...values, id: randomUUID() })),
  );
  if (ids.length === 0) return;
  const named = (numbers: number[]) => ({
    id: { in: numbers.map((number) => ids[number % ids.length] as string) },
  });
  for (const [numbers, data] of updated) await prisma.alert.updateMany({ where: named(numbers), data });
  await prisma.alert.deleteMany({ where: named(deleted) });
}

interface Counted {
  totalCount: number;
  nodes: { localCreatedAt: string }[];
}
interface Bucket {
  key: string;
  count: number;
}

const counts = `
  byDay: alertCounts(filter: $filter, aggregate: DAY) { key count }
  byWeek: alertCounts(filter: $filter, aggregate: WEEK) { key count }
  byMonth: alertCounts(filter: $filter, aggregate: MONTH) { key count }`;
const list = "alerts(filter: $filter, first: 200) { totalCount nodes { localCreatedAt } }";
const query = `query ($filter: AlertFilter!) {
  ${list} ${counts}
  facilities { ${list} ${counts} all: alerts(first: 200) { totalCount nodes { localCreatedAt } } }
  cameras { ${list} ${counts} all: alerts(first: 200) { totalCount nodes { localCreatedAt } } }
}`;

interface View {
  alerts: Counted;
  all?: Counted;
  byDay: Bucket[];
  byWeek: Bucket[];
  byMonth: Bucket[];
}

/** The ISO 8601 week of a date. */
function weekOf(date: string): string {
  const thursday = new Date(`${date}T00:00:00Z`);
  thursday.setUTCDate(thursday.getUTCDate() + 4 - (thursday.getUTCDay() || 7));
  const year = thursday.getUTCFullYear();
  const week = Math.floor((thursday.getTime() - Date.UTC(year, 0, 1)) / (7 * 1440 * minute)) + 1;
  return `${year}-W${String(week).padStart(2, "0")}`;
}

function bucketsOf(nodes: Counted["nodes"], keyOf: (date: string) => string): Bucket[] {
  const buckets = new Map<string, number>();
  for (const { localCreatedAt } of nodes) {
    const key = keyOf(localCreatedAt.slice(0, 10));
    buckets.set(key, (buckets.get(key) ?? 0) + 1);
  }
  return [...buckets]
    .map(([key, count]) => ({ key, count }))
    .toSorted((first, second) => (first.key < second.key ? -1 : 1));
}

function expectCounted({ alerts, all, byDay, byWeek, byMonth }: View): void {
  expect(alerts.totalCount).toBe(alerts.nodes.length);
  expect(all?.totalCount).toBe(all?.nodes.length);
  expect(byDay).toEqual(bucketsOf(alerts.nodes, (date) => date));
  expect(byWeek).toEqual(bucketsOf(alerts.nodes, weekOf));
  expect(byMonth).toEqual(bucketsOf(alerts.nodes, (date) => date.slice(0, 7)));
}

it("totals and counts match the listed alerts for any writes, filters and clock changes", async () => {
  await fc.assert(
    fc.asyncProperty(writes, fc.array(filter, { minLength: 1, maxLength: 4 }), async (written, filters) => {
      const { prisma } = gateway;
      await prisma.alert.deleteMany({});
      for (const table of ["AlertDayCount", "AlertDayKindCount"])
        expect(await prisma.$queryRawUnsafe(`SELECT * FROM "${table}"`)).toEqual([]);
      await write(written);
      expect(await prisma.$queryRaw`SELECT * FROM "alertCountDifferences"()`).toEqual([]);
      for (const filter of filters) {
        const result = await gateway.data<View & { facilities: View[]; cameras: View[] }>(query, {
          as: reader,
          variables: { filter: filter() },
        });
        for (const view of [result, ...result.facilities, ...result.cameras]) expectCounted(view);
      }
    }),
    { numRuns: 30 },
  );
}, 120_000);
