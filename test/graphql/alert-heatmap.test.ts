// Runs once: both kinds of databases run the same statements.
import fc from "fast-check";
import { inject } from "vitest";
import {
  createAlerts,
  createApiKey,
  createCamera,
  createFacility,
  createPlace,
  createUser,
  createWorkspace,
  grantAccess,
} from "../support/factories.js";
import { ownGateway, type Sender, sharedGateway } from "../support/harness.js";

const reader = { user: "test|reader" };
const siteUser = { user: "test|site" };
const always = { start: "2000-01-01T00:00:00Z", end: "2100-01-01T00:00:00Z" };
const canvas = { width: 640, height: 360 };
const point = (x: number, y: number) => ({ x, y });

interface Heatmap {
  columns: number;
  rows: number;
  counts: number[];
  alerts: number;
}

const gateway = await ownGateway({ environment: { DATABASE_STATEMENT_TIMEOUT: "3000" } });

const { prisma } = gateway;
const workspaceId = await createWorkspace(prisma);
const site = { workspaceId, facilityId: await createFacility(prisma, { workspaceId }) };
await createUser(prisma, { workspaceId, authId: reader.user, roles: ["alerts:read"] });
const userId = await createUser(prisma, { workspaceId, authId: siteUser.user });
await grantAccess(prisma, { ...site, userId, actions: ["facilities:read"] });

const newCamera = () => createCamera(gateway.prisma, site);
const record = (cameraId: string, alerts: object[]) =>
  createAlerts(
    gateway.prisma,
    alerts.map((alert) => ({ ...site, cameraId, ...alert })),
  );

async function heatmapOf(cameraId: string, given: object = {}, as: Sender = reader): Promise<Heatmap | null> {
  const query = `query ($id: UUID!, $filter: AlertFilter!, $columns: Int, $rows: Int) {
    camera(id: $id) { alertHeatmap(filter: $filter, columns: $columns, rows: $rows) { columns rows counts alerts } }
  }`;
  const variables = { id: cameraId, filter: always, ...given };
  const { camera } = await gateway.data<{ camera: { alertHeatmap: Heatmap | null } | null }>(query, {
    as,
    variables,
  });
  return camera?.alertHeatmap ?? null;
}

// By the conditions of lists: alert-statistics.test.ts has all filters.
describe("coordinates under generated filters, on any canvas and grid,", () => {
  /** Of the width or the height, often on the line between two cells. */
  const portion = fc.integer({ min: -2, max: 62 }).map((number) => number / 60);
  const createdAt = fc.integer({ min: 1, max: 20 }).map((day) => new Date(Date.UTC(2026, 9, day)));
  const alertOf = fc
    .record({
      createdAt,
      isElsewhere: fc.boolean(),
      name: fc.constantFrom<string>("FENCE", "SMOKE"),
      bookmark: fc.boolean(),
      size: fc.constantFrom(canvas, { width: 1920, height: 1080 }, { width: 100.5, height: 33.3 }),
      points: fc.array(fc.tuple(portion, portion), { maxLength: 4 }),
    })
    .map(({ size, points, ...alert }) => ({
      ...alert,
      canvasDimensions: size,
      violatingCoordinates: points.map(([x, y]) => point(x * size.width, y * size.height)),
    }));
  const filterOf = fc.record(
    {
      bookmark: fc.boolean(),
      daysOfWeek: fc.uniqueArray(fc.integer({ min: 0, max: 6 })),
      types: fc.uniqueArray(fc.constantFrom<string>("FENCE", "SMOKE", "FALL")),
    },
    { requiredKeys: [] },
  );

  it("count the same as in memory, for a caller who sees everything and for the user of one site", async () => {
    const cameraId = await newCamera();
    const elsewhere = await createFacility(gateway.prisma, { workspaceId: site.workspaceId });
    const alerts = fc.sample(alertOf, { numRuns: 200, seed: 17 });
    await record(
      cameraId,
      alerts.map(({ isElsewhere, ...alert }) => ({
        ...alert,
        ...(isElsewhere && { facilityId: elsewhere }),
      })),
    );
    const grid = fc.record({
      columns: fc.integer({ min: 1, max: 12 }),
      rows: fc.integer({ min: 1, max: 12 }),
    });
    const period = fc
      .tuple(createdAt, createdAt)
      .map((days) => days.toSorted((one, other) => one.getTime() - other.getTime()) as [Date, Date]);
    await fc.assert(
      fc.asyncProperty(
        filterOf,
        period,
        grid,
        fc.boolean(),
        async (filter, [start, end], { columns, rows }, isSiteUser) => {
          const matching = alerts.filter(
            (alert) =>
              !(isSiteUser && alert.isElsewhere) &&
              alert.createdAt >= start &&
              alert.createdAt < end &&
              alert.bookmark === (filter.bookmark ?? alert.bookmark) &&
              (filter.daysOfWeek?.includes(alert.createdAt.getUTCDay()) ?? true) &&
              (filter.types?.includes(alert.name) ?? true),
          );
          const inside = matching.map(({ violatingCoordinates, canvasDimensions: { width, height } }) =>
            violatingCoordinates
              .map(({ x, y }) => point(x / width, y / height))
              .filter(({ x, y }) => x >= 0 && y >= 0 && x <= 1 && y <= 1),
          );
          const counts = new Array<number>(columns * rows).fill(0);
          for (const { x, y } of inside.flat()) {
            const cell = (portion: number, cells: number) => Math.min(Math.floor(portion * cells), cells - 1);
            const index = cell(y, rows) * columns + cell(x, columns);
            counts[index] = (counts[index] as number) + 1;
          }
          const given = { columns, rows, filter: { ...filter, start, end } };
          expect(await heatmapOf(cameraId, given, isSiteUser ? siteUser : reader)).toEqual({
            columns,
            rows,
            counts,
            alerts: inside.filter(({ length }) => length > 0).length,
          });
        },
      ),
      { numRuns: 60 },
    );
  });
});

it("has 32 columns and 18 rows by default, also for null, and counts nothing for a camera without alerts", async () => {
  const empty = { columns: 32, rows: 18, counts: new Array(32 * 18).fill(0), alerts: 0 };
  expect(await heatmapOf(await newCamera())).toEqual(empty);
  expect(await heatmapOf(await newCamera(), { columns: null, rows: null })).toEqual(empty);
});

const { server } = inject("resources");

it.runIf(server && !server.isCluster)("counts the newest 100,000 alerts alone", async () => {
  const patient = await sharedGateway();
  const { prisma } = patient;
  const { workspaceId, facilityId, cameraId } = await createPlace(prisma);
  const as = await createApiKey(prisma, { workspaceId, permissions: ["alerts:read"] });
  await prisma.$executeRawUnsafe(
    `INSERT INTO "Alert" ("id", "workspaceId", "facilityId", "cameraId", "name", "createdAt", "storageClass", "canvasDimensions", "violatingCoordinates")
     SELECT gen_random_uuid(), '${workspaceId}', '${facilityId}', '${cameraId}', 'FENCE', timestamptz '2026-11-20T12:00:00Z' - n * interval '1 second', 'local',
       '{"width": 2, "height": 1}', CASE WHEN n <= 100000 THEN '[{"x": 0, "y": 0}]' ELSE '[{"x": 2, "y": 0}]' END::jsonb
     FROM generate_series(1, 100001) AS n`,
  );
  const query = `query ($id: UUID!, $filter: AlertFilter!) { camera(id: $id) { alertHeatmap(filter: $filter, columns: 2, rows: 1) { counts alerts } } }`;
  const { camera } = await patient.data<{ camera: { alertHeatmap: object } }>(query, {
    as,
    variables: { id: cameraId, filter: always },
  });
  expect(camera.alertHeatmap).toEqual({ counts: [100_000, 0], alerts: 100_000 });
});

it.runIf(server && !server.isCluster)("is null when the database does not count in time", async () => {
  const cameraId = await newCamera();
  await gateway.prisma.$transaction(async (transaction) => {
    await transaction.$executeRaw`LOCK TABLE "Alert" IN ACCESS EXCLUSIVE MODE`;
    expect(await heatmapOf(cameraId)).toBeNull();
  });
  expect((await heatmapOf(cameraId))?.alerts).toBe(0);
});

describe("in four cells,", () => {
  const grid = { columns: 2, rows: 2 };
  const cases: [string, object, number[]][] = [
    [
      "without a canvas, coordinates refer to the picture",
      {
        canvasDimensions: null,
        imageDimensions: { width: 10, height: 10 },
        violatingCoordinates: [point(9, 1)],
      },
      [0, 1, 0, 0],
    ],
    [
      "coordinates of unknown scale are left out",
      { canvasDimensions: null, violatingCoordinates: [point(9, 1)] },
      [0, 0, 0, 0],
    ],
    [
      "points whose coordinates are no numbers are left out",
      { violatingCoordinates: [{ x: "1", y: 1 }, { x: null, y: 1 }, { x: 1 }, null, point(1, 1)] },
      [1, 0, 0, 0],
    ],
    [
      "a canvas whose size is no number has no scale",
      { canvasDimensions: { width: null, height: "9" }, violatingCoordinates: [point(9, 1)] },
      [0, 0, 0, 0],
    ],
    ["alerts without coordinates are left out", { violatingCoordinates: null }, [0, 0, 0, 0]],
  ];

  it.each(cases)("%s", async (_what, alert, counts) => {
    const cameraId = await newCamera();
    await record(cameraId, [{ canvasDimensions: canvas, ...alert }]);
    expect(await heatmapOf(cameraId, grid)).toEqual({
      ...grid,
      counts,
      alerts: counts.some((count) => count > 0) ? 1 : 0,
    });
  });
});
