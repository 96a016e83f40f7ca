// Not on a cluster: migrates databases that are not distributed.
import { beforeEach, describe, expect, it } from "vitest";
import { migrate } from "../../src/database/migrate.js";
import type { MigrationConnection } from "../../src/database/migration-connection.js";
import { emptyDatabase, migrationsBefore } from "./fresh-database.js";

const migration = "20261122120000_workspace_keys";

/**
 * The n-th id of a kind in workspace w; the kinds are in the order of the insertions
 * below.
 */
const id = (w: number, kind: number, n = 1) =>
  `c0000000-0000-4000-8000-${String(w).padStart(4, "0")}${String(kind).padStart(4, "0")}${String(n).padStart(4, "0")}`;

/**
 * Fills all tables as they were before: two alerts of one camera, and one of a camera
 * that is being removed.
 */
const fill = (w: number) => `
  INSERT INTO "Workspace" ("id", "name") VALUES ('${id(w, 1)}', 'Workspace ${w}');
  INSERT INTO "User" ("id", "workspaceId", "authId", "email", "updatedAt") VALUES ('${id(w, 2)}', '${id(w, 1)}', 'user|${w}', 'a@b.example', now());
  INSERT INTO "ApiKey" ("id", "workspaceId", "name", "secretHash", "allFacilities") VALUES ('${id(w, 3)}', '${id(w, 1)}', 'Key', '\\x00', true);
  INSERT INTO "Facility" ("id", "workspaceId", "name", "timeZoneId", "updatedAt") VALUES ('${id(w, 4)}', '${id(w, 1)}', 'Facility', 'Asia/Tokyo', now());
  INSERT INTO "FacilityAccess" ("userId", "facilityId", "workspaceId") VALUES ('${id(w, 2)}', '${id(w, 4)}', '${id(w, 1)}');
  INSERT INTO "Camera" ("id", "workspaceId", "facilityId", "name", "streamType", "streamProtocol", "updatedAt", "removedAt") VALUES
    ('${id(w, 5)}', '${id(w, 1)}', '${id(w, 4)}', 'Camera', 'VPN', 'HLS', now(), NULL), ('${id(w, 5, 2)}', '${id(w, 1)}', '${id(w, 4)}', 'Removed', NULL, NULL, now(), now());
  INSERT INTO "StatusChange" ("id", "cameraId", "statusDetail", "source") VALUES ('${id(w, 6)}', '${id(w, 5)}', 'OPERATIONAL', 'ON_PREMISE_FACILITY');
  INSERT INTO "StreamRequest" ("id", "requestId", "cameraId", "url", "streamType", "expiresAt") VALUES ('${id(w, 7)}', '${id(w, 7, 2)}', '${id(w, 5)}', 'rtsp://a', 'DIRECT', now());
  INSERT INTO "Calibration" ("id", "cameraId", "pixelLength", "width", "height", "points", "updatedAt") VALUES ('${id(w, 8)}', '${id(w, 5)}', 1, 2, 3, '[]', now());
  INSERT INTO "AnalysisJob" ("id", "cameraId", "configId", "state", "updatedAt") VALUES ('${id(w, 9)}', '${id(w, 5)}', '${id(w, 9, 2)}', 'DONE', now());
  INSERT INTO "AlertRule" ("id", "cameraId", "name", "severity", "group", "updatedAt") VALUES ('${id(w, 10)}', '${id(w, 5)}', 'Rule', 'LOW', '{}', now());
  INSERT INTO "Alert" ("id", "workspaceId", "facilityId", "cameraId", "name", "createdAt", "storageClass") VALUES
    ('${id(w, 11)}', '${id(w, 1)}', '${id(w, 4)}', '${id(w, 5)}', 'SMOKE', '2026-11-20T14:59:00Z', 'local'),
    ('${id(w, 11, 2)}', '${id(w, 1)}', '${id(w, 4)}', '${id(w, 5)}', 'SMOKE', '2026-11-20T15:00:00Z', 'local'),
    ('${id(w, 11, 3)}', '${id(w, 1)}', '${id(w, 4)}', '${id(w, 5, 2)}', 'SMOKE', '2026-11-20T15:00:00Z', 'local');
  INSERT INTO "AlertUpload" ("id", "workspaceId", "facilityId", "dueAt") VALUES ('${id(w, 12)}', '${id(w, 1)}', '${id(w, 4)}', now());
  INSERT INTO "ObjectRemoval" ("id", "key") VALUES ('${id(w, 13)}', 'cameras/${w}');
  INSERT INTO "AuditEntry" ("id", "workspaceId", "actorKind", "action", "targetType") VALUES ('${id(w, 14)}', '${id(w, 1)}', 'USER', 'createCamera', 'Camera');`;

describe("a filled database whose tables are keyed by their workspace from now on", () => {
  let connection: MigrationConnection;
  const rows = (sql: string) => connection.query(sql);
  beforeEach(async () => {
    connection = await emptyDatabase();
    await migrate(connection, await migrationsBefore(migration));
    await connection.script(fill(1) + fill(2));
    expect(await migrate(connection)).toContain(migration);
  });

  it("keeps every row, in the workspace of its camera", async () => {
    const tables = ["AlertRule", "AnalysisJob", "Calibration", "StatusChange", "StreamRequest"];
    const each = tables.map(
      (table) => `SELECT '${table}' AS "table", "workspaceId", "id", "cameraId" FROM "${table}"`,
    );
    const kinds = { AlertRule: 10, AnalysisJob: 9, Calibration: 8, StatusChange: 6, StreamRequest: 7 };
    expect(await rows(`${each.join(" UNION ALL ")} ORDER BY 1, 2`)).toEqual(
      Object.entries(kinds).flatMap(([table, kind]) =>
        [1, 2].map((w) => ({ table, workspaceId: id(w, 1), id: id(w, kind), cameraId: id(w, 5) })),
      ),
    );
    const others = ["User", "ApiKey", "Facility", "FacilityAccess", "AlertUpload", "AuditEntry"];
    const counts = others.map(
      (table) => `SELECT '${table}' AS "table", count(*)::int AS "rows" FROM "${table}"`,
    );
    expect(await rows(counts.join(" UNION ALL "))).toEqual(others.map((table) => ({ table, rows: 2 })));
    expect(await rows(`SELECT "key" FROM "ObjectRemoval" ORDER BY 1`)).toEqual([
      { key: "cameras/1" },
      { key: "cameras/2" },
    ]);
  });

  it("keeps the values of columns that were enums, and rejects others", async () => {
    expect(await rows(`SELECT DISTINCT "streamType", "streamProtocol" FROM "Camera" ORDER BY 1`)).toEqual([
      { streamType: "VPN", streamProtocol: "HLS" },
      { streamType: null, streamProtocol: null },
    ]);
    expect(await rows(`SELECT DISTINCT "source" FROM "StatusChange"`)).toEqual([
      { source: "ON_PREMISE_FACILITY" },
    ]);
    const columns = [
      "Camera.streamType",
      "Camera.streamProtocol",
      "StreamRequest.streamType",
      "StreamRequest.streamProtocol",
      "StatusChange.source",
    ];
    for (const column of columns) {
      const [table, name] = column.split(".");
      await expect(rows(`UPDATE "${table}" SET "${name}" = 'OTHER'`), column).rejects.toThrow(
        `${table}_${name}_check`,
      );
    }
  });

  it("leads from a caller's credentials to the workspace", async () => {
    const expected = (names: (w: number) => object) =>
      [1, 2].map((w) => ({ workspaceId: id(w, 1), ...names(w) }));
    expect(await rows(`SELECT * FROM "AuthIdLookup" ORDER BY 1`)).toEqual(
      expected((w) => ({ authId: `user|${w}`, userId: id(w, 2) })),
    );
    expect(await rows(`SELECT * FROM "ApiKeyLookup" ORDER BY 1`)).toEqual(
      expected((w) => ({ id: id(w, 3) })),
    );
    expect(await rows(`SELECT * FROM "StreamRequestLookup" ORDER BY 1`)).toEqual(
      expected((w) => ({ requestId: id(w, 7, 2) })),
    );
  });

  it("keeps the counts of alerts, and continues counting in each workspace", async () => {
    const counts = `SELECT "workspaceId", "day"::text, "count" FROM "AlertDayCount" ORDER BY 1, 2`;
    const before = [1, 2].flatMap((w) =>
      ["2026-11-20", "2026-11-21"].map((day) => ({ workspaceId: id(w, 1), day, count: 1 })),
    );
    expect(await rows(counts)).toEqual(before);
    expect(await rows(`SELECT * FROM "alertCountDifferences"()`)).toEqual([]);
    await rows(`INSERT INTO "Alert" ("id", "workspaceId", "facilityId", "cameraId", "name", "createdAt", "storageClass")
      SELECT gen_random_uuid(), "workspaceId", "facilityId", "cameraId", "name", "createdAt", "storageClass" FROM "Alert"`);
    expect(await rows(counts)).toEqual(before.map((each) => ({ ...each, count: 2 })));
    await rows(`UPDATE "Facility" SET "timeZoneId" = 'UTC' WHERE "workspaceId" = '${id(1, 1)}'`);
    await rows(
      `DELETE FROM "Alert" WHERE "workspaceId" = '${id(2, 1)}' AND "createdAt" = '2026-11-20T14:59:00Z'`,
    );
    expect(await rows(counts)).toEqual([
      { workspaceId: id(1, 1), day: "2026-11-20", count: 4 },
      { workspaceId: id(2, 1), day: "2026-11-21", count: 2 },
    ]);
    expect(await rows(`SELECT * FROM "alertCountDifferences"()`)).toEqual([]);
  });
});

/** The first column of an index or of a reference. */
const firstColumn = (keys: string, table: string) =>
  `(SELECT attname FROM pg_attribute WHERE attrelid = ${table} AND attnum = ${keys})`;
/** The tables of no workspace or that lead to one, and the workspaces themselves. */
const leading = [
  "ApiKeyLookup",
  "AuthIdLookup",
  "EmailLookup",
  "InvitationLookup",
  "SignInLinkRequest",
  "StreamRequestLookup",
  "Workspace",
];

describe("the schema", () => {
  it("has the workspace first in every index, except where workers look for the next due work of any workspace", async () => {
    const connection = await emptyDatabase();
    await migrate(connection);
    const others = await connection.query(`
      SELECT indexrelid::regclass::text AS "index" FROM pg_index JOIN pg_class AS item ON item.oid = indrelid
      WHERE relnamespace = 'public'::regnamespace AND relname <> '_prisma_migrations' AND ${firstColumn("indkey[0]", "indrelid")} <> 'workspaceId'
      ORDER BY 1`);
    const exceptions = [
      ...leading.map((table) => `"${table}_pkey"`),
      '"AlertUpload_dueAt_idx"',
      '"CameraFeed_dueAt_idx"',
      '"Digest_dueAt_idx"',
      '"InvitationLookup_email_idx"',
      '"ObjectRemoval_dueAt_idx"',
      '"SignInLinkRequest_answeredAt_id_idx"',
      '"SignInLinkRequest_email_idx"',
      '"StreamRequest_nextDeliveryAt_idx"',
    ];
    expect(others.map(({ index }) => index)).toEqual(exceptions.sort());
  });

  it("refers to rows by their workspace, and changes no row because the one it refers to has another key", async () => {
    const connection = await emptyDatabase();
    await migrate(connection);
    const references = await connection.query(`
      SELECT conname AS "name", ${firstColumn("conkey[1]", "conrelid")} AS "column", confupdtype AS "onUpdate" FROM pg_constraint
      WHERE contype = 'f' AND connamespace = 'public'::regnamespace`);
    expect(references).toHaveLength(21);
    expect(references.filter(({ column, onUpdate }) => column !== "workspaceId" || onUpdate !== "a")).toEqual(
      [],
    );
  });
});
