// Needs no gateway.
import { loadParser, tablesWithoutWorkspace } from "../support/workspace-statements.js";

beforeAll(() => loadParser());

it.each([
  `SELECT * FROM "Camera" WHERE "workspaceId" = $1 AND "id" = $2`,
  `SELECT "public"."Camera"."id" FROM "public"."Camera" WHERE ("public"."Camera"."workspaceId" = $1 AND 1=1)`,
  `SELECT * FROM "Workspace" WHERE "id" = $1::uuid`,
  `SELECT * FROM (SELECT * FROM "Camera" WHERE "workspaceId" = $1) AS item WHERE item."facilityId" = $2`,
  `SELECT * FROM "Alert" AS a JOIN "Facility" AS f ON f."workspaceId" = a."workspaceId" WHERE a."workspaceId" = ANY($1)`,
  `INSERT INTO "Camera" ("id", "workspaceId") VALUES ($1, $2)`,
  `INSERT INTO "Workspace" ("id", "name") VALUES ($1, $2)`,
  `INSERT INTO "Alert" ("id", "workspaceId") SELECT "id", "workspaceId" FROM "Camera" WHERE "workspaceId" = $1`,
  `DELETE FROM "Alert" WHERE "workspaceId" = $1 AND ctid = ANY(ARRAY(SELECT ctid FROM "Alert" WHERE "workspaceId" = $1))`,
  `SELECT * FROM "AuthIdLookup" WHERE "authId" = $1`,
])("the check of statements accepts %s", (sql) => {
  expect(tablesWithoutWorkspace(sql)).toEqual([]);
});

it.each([
  `SELECT * FROM "Camera" WHERE "id" = $1`,
  `SELECT * FROM "Camera" WHERE "workspaceId" = $1 OR "id" = $2`,
  `SELECT * FROM "Camera" WHERE "workspaceId" <> $1`,
  `select * from "Camera" where not ("workspaceId" = $1)`,
  `UPDATE "Camera" SET "workspaceId" = $1 WHERE "id" = $2`,
  `SELECT * FROM "Camera" AS c, "Facility" AS f WHERE f."workspaceId" = $1 AND f."id" = c."facilityId"`,
  `SELECT * FROM "Camera" AS c JOIN "Facility" AS f ON f."workspaceId" = c."workspaceId" AND c."workspaceId" = f."workspaceId"`,
  `SELECT * FROM (SELECT * FROM "Camera") AS item WHERE item."workspaceId" = $1`,
  `SELECT (SELECT "name" FROM "Facility" WHERE "id" = item."facilityId") FROM "Camera" AS item WHERE "workspaceId" = $1`,
  `DELETE FROM "Alert" USING "Camera" AS c WHERE "Alert"."workspaceId" = $1 AND c."id" = "Alert"."cameraId"`,
  `WITH gone AS (DELETE FROM "Alert" RETURNING "id") SELECT * FROM gone`,
  `INSERT INTO "Camera" ("id") VALUES ($1)`,
  `TRUNCATE "Alert"`,
])("the check of statements rejects %s", (sql) => {
  expect(tablesWithoutWorkspace(sql)).toHaveLength(1 + Number(sql.includes('f."workspaceId" = c')));
});
