// Runs once: both kinds of databases run the same statements.
import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { beforeAll, expect, it } from "vitest";
import { createAlerts, createCamera, createFacility, createWorkspace } from "../support/factories.js";
import { type Gateway, sharedGateway } from "../support/harness.js";

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
let workspaceId: string;
/** Two cameras for each calendar. */
const sites: Site[] = [];

beforeAll(async () => {
  gateway = await sharedGateway();
  const { prisma } = gateway;
  workspaceId = await createWorkspace(prisma, {});
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

// Counts are read around changes of clocks in local-time.test.ts and
// local-conditions.test.ts.
it("the kept counts are those of the alerts, for any writes at any clock changes", async () => {
  await fc.assert(
    fc.asyncProperty(writes, async (written) => {
      const { prisma } = gateway;
      await prisma.alert.deleteMany({ where: { workspaceId } });
      for (const table of ["AlertDayCount", "AlertDayKindCount"])
        expect(
          await prisma.$queryRawUnsafe(
            `SELECT * FROM "${table}" WHERE "workspaceId" = $1::uuid`,
            workspaceId,
          ),
        ).toEqual([]);
      await write(written);
      expect(await prisma.$queryRaw`SELECT * FROM "alertCountDifferences"()`).toEqual([]);
    }),
    { numRuns: 30 },
  );
}, 120_000);
