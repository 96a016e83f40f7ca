// Runs once: both kinds of databases run the same statements.
import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { beforeAll, expect, it } from "vitest";
import { createAlerts, createCamera, createFacility, createWorkspace } from "../support/factories.js";
import { type Gateway, sharedGateway } from "../support/harness.js";
import { calendars, minute } from "./local-filters.js";

/** The time zones, each with an event around which alerts are created. */
const events = Object.entries(calendars).flatMap(([zone, times]) => times.map((at) => ({ zone, at })));

interface Site {
  workspaceId: string;
  facilityId: string;
  cameraId: string;
}

let gateway: Gateway;
let workspaceId: string;
/** Two cameras for each event. */
const sites: Site[] = [];

beforeAll(async () => {
  gateway = await sharedGateway();
  const { prisma } = gateway;
  workspaceId = await createWorkspace(prisma, {});
  for (const { zone: timeZoneId } of events) {
    const facilityId = await createFacility(prisma, { workspaceId, timeZoneId });
    for (let camera = 0; camera < 2; camera += 1)
      sites.push({
        workspaceId,
        facilityId,
        cameraId: await createCamera(prisma, { workspaceId, facilityId }),
      });
  }
});

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
        new Date(Date.parse(events[calendar]?.at as string) + minutes * minute + milliseconds),
    );

const calendarNumber = fc.nat(events.length - 1);
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
      expect(
        await prisma.$queryRaw`SELECT * FROM "alertCountDifferences"() WHERE "workspaceId" = ${workspaceId}::uuid`,
      ).toEqual([]);
    }),
    { numRuns: 30 },
  );
}, 120_000);
