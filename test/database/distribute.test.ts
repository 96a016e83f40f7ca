import { describe, expect, inject, it } from "vitest";
import { distributeServer, migrateServer } from "../../src/database/client.js";
import { onServer } from "../support/databases.js";
import { runCommand } from "../support/running-command.js";
import { emptyServerDatabase } from "./fresh-database.js";

const { server } = inject("templates");
const id = (kind: number, n = 1) => `d0000000-0000-4000-8000-${String(kind).padStart(6, "0")}${String(n).padStart(6, "0")}`;

const fill = `
  INSERT INTO "Workspace" ("id", "name") SELECT ('${id(1, 0).slice(0, -1)}' || w)::uuid, 'Workspace' FROM generate_series(1, 4) AS w;
  INSERT INTO "Facility" ("id", "workspaceId", "name", "timeZoneId", "updatedAt") SELECT "id", "id", 'Facility', 'Asia/Tokyo', now() FROM "Workspace";
  INSERT INTO "Camera" ("id", "workspaceId", "facilityId", "name", "updatedAt") SELECT "id", "id", "id", 'Camera', now() FROM "Workspace";
  INSERT INTO "Alert" ("id", "workspaceId", "facilityId", "cameraId", "name", "createdAt", "storageClass")
    SELECT gen_random_uuid(), "id", "id", "id", 'SMOKE', timestamptz '2026-11-20T12:00:00Z' + n * interval '1 hour', 'local' FROM "Workspace", generate_series(1, 30) AS n`;

describe.runIf(server?.isCluster)("npm run distribute", () => {
  it("moves the rows of a filled database with their counts, which are kept from then on, and does nothing the second time", async () => {
    const url = await emptyServerDatabase();
    await migrateServer(url);
    await onServer(url, fill);
    const counts = `SELECT "workspaceId", "day"::text, "count" FROM "AlertDayCount" ORDER BY 1, 2`;
    const before = await onServer(url, counts);
    expect(before).toHaveLength(12);
    const { code, output, errors } = await runCommand("commands/distribute", { environment: { DATABASE_URL: url } });
    expect({ code, errors }).toEqual({ code: 0, errors: "" });
    expect(output).toMatch(/^Distributed Workspace, .*Alert, /);
    expect(await onServer(url, counts)).toEqual(before);
    expect(await onServer(url, `SELECT count(*)::int AS "alerts" FROM "Alert"`)).toEqual([{ alerts: 120 }]);
    await onServer(url, `DELETE FROM "Alert" WHERE "workspaceId" = '${id(1)}'`);
    expect(await onServer(url, counts)).toEqual(before.filter(({ workspaceId }) => workspaceId !== id(1)));
    expect(await onServer(url, `SELECT * FROM "alertCountDifferences"()`)).toEqual([]);
    expect(await distributeServer(url)).toEqual([]);
  });
});

describe.runIf(server && !server.isCluster)("npm run distribute on a single server", () => {
  it("says what is missing, and changes nothing", async () => {
    const url = await emptyServerDatabase();
    await migrateServer(url);
    await expect(distributeServer(url)).rejects.toThrow("The database has no Citus extension");
  });
});
