import pg from "pg";
import { permissions } from "../../src/access/permissions.js";
import { migrateServer } from "../../src/database/client.js";

/** The size of the data set. The alerts are spread evenly over its days. */
export interface DatasetSize {
  facilities: number;
  camerasOfFacility: number;
  rulesOfCamera: number;
  alerts: number;
  days: number;
  /** Of each polygon of an alert. */
  points: number;
}

/** Who asks in all cases: a user of the data set's one workspace with every permission. */
export const benchUser = "bench|admin";

/** The moment before which all alerts lie. */
export const newestMoment = new Date("2026-11-21T00:00:00.000Z");

/** The id of the n-th thing of a kind; kinds are hexadecimal digits. */
export const idOf = (kind: string, n: number) => `0000000${kind}-0000-4000-8000-${n.toString(16).padStart(12, "0")}`;

const sqlId = (kind: string, n: string) => `('0000000${kind}-0000-4000-8000-' || lpad(to_hex(${n}), 12, '0'))::uuid`;

/** Kinds of things, as {@link idOf} tells them apart. */
export const kinds = { workspace: "1", user: "2", facility: "3", camera: "4", rule: "5", area: "6" } as const;

/** A fresh database on a server: its address, and how to remove it. */
export async function createBenchDatabase(server: string): Promise<{ url: string; drop: () => Promise<void> }> {
  const name = `gateway_bench_${process.pid}`;
  await run(server, [`CREATE DATABASE ${name}`]);
  const url = new URL(server);
  url.pathname = `/${name}`;
  await migrateServer(url.href);
  return { url: url.href, drop: () => run(server, [`DROP DATABASE ${name} WITH (FORCE)`]) };
}

async function run(url: string, statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

/** Fills an empty database: the same for the same size. */
export async function loadDataset(url: string, size: DatasetSize): Promise<void> {
  const cameras = size.facilities * size.camerasOfFacility;
  const rules = cameras * size.rulesOfCamera;
  const roles = permissions.map((permission) => `'${permission}'`).join(",");
  const workspace = `'${idOf(kinds.workspace, 1)}'::uuid`;
  const zones = "ARRAY['Europe/Istanbul','Europe/Amsterdam','America/Sao_Paulo','Asia/Kathmandu']";
  const types = "ARRAY['STATIC_DELIMITATION_AREA','VEHICLE_IN_PEDESTRIAN_AREA','NO_HELMET','MIN_WORKER_IN_CONFINED_SPACE']";
  const severities = "ARRAY['LOW','MEDIUM','HIGH','CRITICAL']";
  const facilityOfCamera = `((c - 1) / ${size.camerasOfFacility} + 1)::int`;
  const points = `(SELECT jsonb_agg(jsonb_build_object('x', (n * 7 + p * 131) % 1280 + 0.5, 'y', (n * 13 + p * 71) % 720 + 0.25)) FROM generate_series(1, ${size.points}) p)`;
  const camera = `(n % ${cameras} + 1)`;
  const rule = `(${camera} - 1) * ${size.rulesOfCamera} + (n / ${cameras}) % ${size.rulesOfCamera} + 1`;
  await run(url, [
    `INSERT INTO "Workspace" ("id", "name") VALUES (${workspace}, 'Bench')`,
    `INSERT INTO "User" ("id", "workspaceId", "authId", "email", "roles", "updatedAt")
     VALUES ('${idOf(kinds.user, 1)}', ${workspace}, '${benchUser}', 'bench@test.example', ARRAY[${roles}], now())`,
    `INSERT INTO "Facility" ("id", "workspaceId", "name", "timeZoneId", "updatedAt")
     SELECT ${sqlId(kinds.facility, "f")}, ${workspace}, 'Facility ' || lpad(f::text, 2, '0'), (${zones})[f % 4 + 1], now()
     FROM generate_series(1, ${size.facilities}) f`,
    `INSERT INTO "Camera" ("id", "workspaceId", "facilityId", "name", "url", "streamType", "streamProtocol", "imageDimensions", "imageLink",
       "dataCollectionObjects", "dataCollectionConfig", "updatedAt")
     SELECT ${sqlId(kinds.camera, "c")}, ${workspace}, ${sqlId(kinds.facility, facilityOfCamera)}, 'Camera ' || lpad(c::text, 4, '0'),
       'rtsp://camera.example/' || c, 'DIRECT', 'RTSP', '{"width":1280,"height":720}', 'bench/camera.jpg', ARRAY['PERSON','CAR'],
       '{"minWidth":20,"minHeight":40,"interval":5}', now()
     FROM generate_series(1, ${cameras}) c`,
    `INSERT INTO "AlertRule" ("id", "cameraId", "name", "severity", "group", "updatedAt")
     SELECT ${sqlId(kinds.rule, "r")}, ${sqlId(kinds.camera, `((r - 1) / ${size.rulesOfCamera} + 1)::int`)}, (${types})[r % 4 + 1], (${severities})[r % 4 + 1],
       jsonb_build_object('id', ${sqlId(kinds.rule, "r")}, 'type', 'GROUP', 'name', 'All', 'operator', 'AND', 'children', jsonb_build_array(
         jsonb_build_object('id', ${sqlId(kinds.area, "r")}, 'type', 'AREA', 'name', 'Area ' || r, 'color', '#ff8800',
           'points', '[{"x":1,"y":1},{"x":100,"y":1},{"x":100,"y":100}]'::jsonb))), now()
     FROM generate_series(1, ${rules}) r`,
    // Whole days at once are counted in a fraction of the time that their alerts take one after the other.
    'ALTER TABLE "Alert" DISABLE TRIGGER USER',
    ...(await withoutIndexes(url, [
      `INSERT INTO "Alert" ("id", "workspaceId", "facilityId", "cameraId", "alertRuleId", "name", "severity", "observation", "count", "createdAt",
         "recordedAt", "url", "thumbnailUrl", "imageDimensions", "canvasDimensions", "violatingCoordinates", "area", "areaIds", "storageClass",
         "info", "bookmark", "falsePositive")
       SELECT md5(n::text)::uuid, ${workspace}, ${sqlId(kinds.facility, `((${camera} - 1) / ${size.camerasOfFacility} + 1)::int`)},
         ${sqlId(kinds.camera, camera)}, ${sqlId(kinds.rule, rule)}, (${types})[(${rule}) % 4 + 1], (${severities})[(${rule}) % 4 + 1],
         n % 10 = 0, n % 5 + 1, at, at, 'bench/alert.jpg', 'bench/alert-small.jpg', '{"width":1280,"height":720}', '{"width":1280,"height":720}',
         ${points}, ${points}, ARRAY[${sqlId(kinds.area, rule)}], 'local', '{"detector":"yolo","score":0.93}', n % 50 = 0, n % 40 = 0
       FROM (SELECT n::int, timestamptz '${newestMoment.toISOString()}' - (n + 1) * (interval '${size.days} days' / ${size.alerts}) AS at
             FROM generate_series(0, ${size.alerts - 1}) n) AS series`,
    ])),
    'ALTER TABLE "Alert" ENABLE TRIGGER USER',
    'SELECT "rebuildAlertCounts"()',
    "VACUUM ANALYZE",
  ]);
}

/** The statements with the alerts' indexes built after them, which is much faster than on the way. */
async function withoutIndexes(url: string, statements: string[]): Promise<string[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string; definition: string }>(
      `SELECT indexname AS name, indexdef AS definition FROM pg_indexes WHERE tablename = 'Alert' AND indexname NOT LIKE '%_pkey'`,
    );
    return [...rows.map(({ name }) => `DROP INDEX "${name}"`), ...statements, ...rows.map(({ definition }) => definition)];
  } finally {
    await client.end();
  }
}
