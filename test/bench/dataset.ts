import { permissions } from "../../src/engine/access/permissions.js";
import { migrateServer, openDatabase } from "../../src/engine/database/client.js";
import { Prisma } from "../../src/generated/prisma/client.js";
import { createDatabase, dropDatabase, nodesOf, onServer } from "../support/databases.js";
import { idKinds, idOf } from "./dataset-ids.js";

/** The size of the data set. The alerts are distributed evenly over its days. */
export interface DatasetSize {
  facilities: number;
  camerasPerFacility: number;
  rulesPerCamera: number;
  alerts: number;
  days: number;
  /** Points of each polygon of an alert. */
  pointsPerPolygon: number;
}

/**
 * The caller in all cases: a user with all permissions in the only workspace of the data
 * set.
 */
export const benchUser = "bench|admin";

/** All alerts are older than this. */
export const datasetEnd = new Date("2026-11-21T00:00:00.000Z");

const sqlId = (kind: string, n: string) =>
  `('0000000${kind}-0000-4000-8000-' || lpad(to_hex(${n}), 12, '0'))::uuid`;

/** A database of a run of the benchmark. */
export interface BenchDatabase {
  url: string;
  drop: () => Promise<void>;
}

/**
 * Creates a migrated database on a server, or on all nodes of a Citus cluster, where its
 * tables are not yet distributed. Those of a run have different names.
 */
export async function createBenchDatabase(
  server: string,
  { name = "server", isCluster = false } = {},
): Promise<BenchDatabase> {
  const testServer = { url: server, prefix: `gateway_bench_${process.pid}`, isCluster };
  const url = await createDatabase(testServer, name);
  const database = new URL(url).pathname.slice(1);
  // Disable parallel workers: a worker has already ended when the CPU time of the other
  // processes is read, and its own is lost.
  for (const node of isCluster ? await nodesOf(server) : [server]) {
    await onServer(node, `ALTER DATABASE "${database}" SET max_parallel_workers_per_gather = 0`);
  }
  await migrateServer(url);
  return { url, drop: () => dropDatabase(testServer, name) };
}

/**
 * A database on a server with the data set. One that is loaded already, for experiments,
 * is neither filled nor dropped.
 */
export async function createLoadedDatabase(
  server: string,
  size: DatasetSize,
  loaded?: string,
): Promise<BenchDatabase> {
  if (loaded) return { url: loaded, drop: async () => {} };
  const database = await createBenchDatabase(server, { name: String(size.alerts) });
  try {
    console.error(`Loading ${size.alerts} alerts`);
    await loadDataset(database.url, size);
  } catch (error) {
    await database.drop();
    throw error;
  }
  return database;
}

/** Fills an empty database of a server; deterministic for a given size. */
export const loadDataset = (url: string, size: DatasetSize): Promise<void> =>
  fill((statement) => onServer(url, statement), size);

/**
 * Creates an embedded database in the data directory of a gateway, with the same data, and
 * runs more statements on it.
 */
export async function createEmbeddedDatabase(
  dataDirectory: string,
  size: DatasetSize,
  more: readonly string[] = [],
): Promise<void> {
  const database = await openDatabase({ directory: dataDirectory }, { onConnectionLost: () => {} });
  try {
    const run: RunStatement = (statement) => database.read(Prisma.raw(statement));
    await fill(run, size);
    for (const statement of more) await run(statement);
  } finally {
    await database.close();
  }
}

/** Runs a statement and returns its rows. */
type RunStatement = (statement: string) => Promise<Record<string, unknown>[]>;

async function fill(run: RunStatement, size: DatasetSize): Promise<void> {
  const cameras = size.facilities * size.camerasPerFacility;
  const rules = cameras * size.rulesPerCamera;
  const roles = permissions.map((permission) => `'${permission}'`).join(",");
  const workspace = `'${idOf(idKinds.workspace, 1)}'::uuid`;
  const zones = "ARRAY['Europe/Istanbul','Europe/Amsterdam','America/Sao_Paulo','Asia/Kathmandu']";
  const types =
    "ARRAY['STATIC_DELIMITATION_AREA','VEHICLE_IN_PEDESTRIAN_AREA','NO_HELMET','MIN_WORKER_IN_CONFINED_SPACE']";
  const severities = "ARRAY['LOW','MEDIUM','HIGH','CRITICAL']";
  const facilityOfCamera = `((c - 1) / ${size.camerasPerFacility} + 1)::int`;
  const polygon = `(SELECT jsonb_agg(jsonb_build_object('x', (n * 7 + p * 131) % 1280 + 0.5, 'y', (n * 13 + p * 71) % 720 + 0.25)) FROM generate_series(1, ${size.pointsPerPolygon}) p)`;
  const camera = `(n % ${cameras} + 1)`;
  const rule = `(${camera} - 1) * ${size.rulesPerCamera} + (n / ${cameras}) % ${size.rulesPerCamera} + 1`;
  const statements = [
    `INSERT INTO "Workspace" ("id", "name") VALUES (${workspace}, 'Bench')`,
    `INSERT INTO "User" ("id", "workspaceId", "authId", "email", "roles", "updatedAt")
     VALUES ('${idOf(idKinds.user, 1)}', ${workspace}, '${benchUser}', 'bench@test.example', ARRAY[${roles}], now())`,
    `INSERT INTO "AuthIdLookup" SELECT "authId", "workspaceId", "id" FROM "User"`,
    `INSERT INTO "Facility" ("id", "workspaceId", "name", "timeZoneId", "updatedAt")
     SELECT ${sqlId(idKinds.facility, "f")}, ${workspace}, 'Facility ' || lpad(f::text, 2, '0'), (${zones})[f % 4 + 1], now()
     FROM generate_series(1, ${size.facilities}) f`,
    `INSERT INTO "Camera" ("id", "workspaceId", "facilityId", "name", "url", "streamType", "streamProtocol", "imageDimensions", "imageLink",
       "dataCollectionObjects", "dataCollectionConfig", "updatedAt")
     SELECT ${sqlId(idKinds.camera, "c")}, ${workspace}, ${sqlId(idKinds.facility, facilityOfCamera)}, 'Camera ' || lpad(c::text, 4, '0'),
       'rtsp://camera.example/' || c, 'DIRECT', 'RTSP', '{"width":1280,"height":720}', 'bench/camera.jpg', ARRAY['PERSON','CAR'],
       '{"minWidth":20,"minHeight":40,"interval":5}', now()
     FROM generate_series(1, ${cameras}) c`,
    `INSERT INTO "AlertRule" ("id", "workspaceId", "cameraId", "name", "severity", "group", "updatedAt")
     SELECT ${sqlId(idKinds.rule, "r")}, ${workspace}, ${sqlId(idKinds.camera, `((r - 1) / ${size.rulesPerCamera} + 1)::int`)}, (${types})[r % 4 + 1], (${severities})[r % 4 + 1],
       jsonb_build_object('id', ${sqlId(idKinds.rule, "r")}, 'type', 'GROUP', 'name', 'All', 'operator', 'AND', 'children', jsonb_build_array(
         jsonb_build_object('id', ${sqlId(idKinds.area, "r")}, 'type', 'AREA', 'name', 'Area ' || r, 'color', '#ff8800',
           'points', '[{"x":1,"y":1},{"x":100,"y":1},{"x":100,"y":100}]'::jsonb))), now()
     FROM generate_series(1, ${rules}) r`,
    // Rebuilding the counts at the end is much faster than updating them for each alert.
    'ALTER TABLE "Alert" DISABLE TRIGGER USER',
    ...(await withoutIndexes(run, [
      `INSERT INTO "Alert" ("id", "workspaceId", "facilityId", "cameraId", "alertRuleId", "name", "severity", "observation", "count", "createdAt",
         "recordedAt", "url", "thumbnailUrl", "imageDimensions", "canvasDimensions", "violatingCoordinates", "area", "areaIds", "storageClass",
         "info", "bookmark", "falsePositive")
       SELECT md5(n::text)::uuid, ${workspace}, ${sqlId(idKinds.facility, `((${camera} - 1) / ${size.camerasPerFacility} + 1)::int`)},
         ${sqlId(idKinds.camera, camera)}, ${sqlId(idKinds.rule, rule)}, (${types})[(${rule}) % 4 + 1], (${severities})[(${rule}) % 4 + 1],
         n % 10 = 0, n % 5 + 1, at, at, 'bench/alert.jpg', 'bench/alert-small.jpg', '{"width":1280,"height":720}', '{"width":1280,"height":720}',
         ${polygon}, ${polygon}, ARRAY[${sqlId(idKinds.area, rule)}], 'local', '{"detector":"yolo","score":0.93}', n % 50 = 0, n % 40 = 0
       FROM (SELECT n::int, timestamptz '${datasetEnd.toISOString()}' - (n + 1) * (interval '${size.days} days' / ${size.alerts}) AS at
             FROM generate_series(0, ${size.alerts - 1}) n) AS series`,
    ])),
    'ALTER TABLE "Alert" ENABLE TRIGGER USER',
    'SELECT "rebuildAlertCounts"()',
    "VACUUM ANALYZE",
  ];
  for (const statement of statements) await run(statement);
}

/** Adds workspaces with a facility, a camera and some alerts each; deterministic. */
export async function addWorkspaces(url: string, count: number): Promise<void> {
  const idOfRow = (kind: string) => `md5('${kind} of workspace ' || w)::uuid`;
  const workspaces = `generate_series(1, ${count}) w`;
  const statements = [
    `INSERT INTO "Workspace" ("id", "name") SELECT ${idOfRow("key")}, 'Workspace ' || w FROM ${workspaces}`,
    `INSERT INTO "Facility" ("id", "workspaceId", "name", "timeZoneId", "updatedAt")
     SELECT ${idOfRow("facility")}, ${idOfRow("key")}, 'Facility', 'Europe/Istanbul', now() FROM ${workspaces}`,
    `INSERT INTO "Camera" ("id", "workspaceId", "facilityId", "name", "url", "streamType", "streamProtocol", "updatedAt")
     SELECT ${idOfRow("camera")}, ${idOfRow("key")}, ${idOfRow("facility")}, 'Camera', 'rtsp://camera.example/1', 'DIRECT', 'RTSP', now()
     FROM ${workspaces}`,
    `INSERT INTO "Alert" ("id", "workspaceId", "facilityId", "cameraId", "name", "createdAt", "url", "thumbnailUrl", "imageDimensions", "storageClass")
     SELECT md5('alert ' || n || ' of workspace ' || w)::uuid, ${idOfRow("key")}, ${idOfRow("facility")}, ${idOfRow("camera")}, 'NO_HELMET',
       timestamptz '${datasetEnd.toISOString()}' - n * interval '1 hour', 'bench/alert.jpg', 'bench/alert-small.jpg', '{"width":1280,"height":720}', 'local'
     FROM ${workspaces} CROSS JOIN generate_series(1, 100) n`,
    "VACUUM ANALYZE",
  ];
  for (const statement of statements) await onServer(url, statement);
}

/**
 * Wraps the statements so that they run before the indexes of Alert are created, which is
 * much faster.
 */
async function withoutIndexes(run: RunStatement, statements: string[]): Promise<string[]> {
  const indexes = await run(
    `SELECT indexname AS name, indexdef AS definition FROM pg_indexes WHERE tablename = 'Alert' AND indexname NOT LIKE '%_pkey'`,
  );
  return [
    ...indexes.map(({ name }) => `DROP INDEX "${name}"`),
    ...statements,
    ...indexes.map(({ definition }) => String(definition)),
  ];
}
