// Not on a cluster: migrates databases that are not distributed.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { createKey } from "../../src/access/api-key.js";
import { permissions } from "../../src/access/permissions.js";
import { migrate } from "../../src/database/migrate.js";
import type { MigrationConnection } from "../../src/database/migration-connection.js";
import { type Gateway, gatewayOn, type Sender } from "../support/harness.js";
import { type RouteCase, requestOf, routeCases, titled } from "../support/route-cases.js";
// Rows of every table that the first migration made: of each one with all values, and
// where values may be missing one without.
import rows from "./first-rows.json" with { type: "json" };
import { migrationsBefore, openEmptyDatabase } from "./fresh-database.js";

/** The n-th id of a kind of record. */
const id = (kind: number, n = 1) =>
  `e0000000-0000-4000-8000-${String(kind).padStart(6, "0")}${String(n).padStart(6, "0")}`;
const [workspaceId, facilityId, cameraId] = [id(1), id(4), id(5)];
const { key, id: keyId, secretHash } = createKey();
Object.assign(rows.ApiKey[0] as object, { id: keyId, secretHash: `\\x${secretHash.toString("hex")}` });
Object.assign(rows.User[0] as object, { roles: [...permissions] });
const area = rows.AlertRule[0]?.group.children[0] as object;

type Table = keyof typeof rows;
const tables = Object.keys(rows) as Table[];

const counts = `(filter: { start: "2026-11-01T00:00:00Z", end: "2026-12-01T00:00:00Z" }, aggregate: DAY) { key count }`;

const query = `{
  workspace {
    id name
    users {
      id authId createdAt updatedAt lastLogin email emailVerified firstName lastName roles lastIp loginsCount locale picture isSso connection groupId
      jobTitle phoneNumber { nationalNumber region countryCode e164Format }
    }
    apiKeys { id name permissions facilityIds expiresAt lastUsedAt revokedAt }
  }
  facilities {
    id workspaceId name address geographicCoordinates { lat lng } timeZoneId lastHeartbeatAt
    access { user { id } actions }
    cameras {
      id facilityId name status statusDetail imageLink createdAt updatedAt dataCollectionEnabled dataCollectionObjects
      dataCollectionConfig { minWidth minHeight interval } customDataCollectionConfigs { type sensitivity } groundTruthKey collectSampleVideos
      imageDimensions { width height } url streamType streamProtocol advancedSettings proxyHost facilityNodeId emailAddresses
      statusHistory(first: 5) { nodes { id statusDetail source createdAt } }
      streamRequests(first: 5) { nodes {
        id cameraId streamType streamProtocol createdAt expiresAt supersededAt thumbnailUrl metadata errorOperation errorMessage lastCallbackAt
      } }
      calibration { id cameraId pixelLength width height homographyMatrix points { x y } calibratedImage croppedImage gridImage updatedAt }
      analysisJobs { id cameraId configId videoId state isTest createdAt updatedAt startedAt endedAt }
      alertRules {
        id cameraId name severity status dayRange timeRange emails phoneNumbers observation apiNotification { url enabled hasSecret } pretty group
        areas { id name color points { x y } }
      }
      alerts(first: 5) { nodes {
        id workspaceId facilityId cameraId alertRuleId name severity observation count createdAt url thumbnailUrl imageDimensions { width height }
        canvasDimensions { width height } violatingCoordinates { x y } area { x y } areaIds storageClass info bookmark falsePositive
      } }
    }
  }
  auditLog { nodes { id actorId actorKind action targetType targetId facilityId changes createdAt } }
  alertCounts${counts}
}`;

/** An object without some of its members. */
const without = (row: object, ...names: string[]) =>
  Object.fromEntries(Object.entries(row).filter(([name]) => !names.includes(name)));
const ofCamera = (table: Table, camera: { id: string }) =>
  (rows[table] as { cameraId?: string }[]).filter((row) => row.cameraId === camera.id);

/** The answer of the query if all values are unchanged. */
const expected = {
  workspace: {
    id: workspaceId,
    name: "Plant",
    users: rows.User.map((user) => without(user, "workspaceId")),
    apiKeys: rows.ApiKey.map((each) => ({
      ...without(each, "workspaceId", "secretHash", "allFacilities", "createdAt"),
      facilityIds: each.allFacilities ? null : each.facilityIds,
    })),
  },
  facilities: rows.Facility.map(({ latitude, longitude, ...facility }) => ({
    ...without(facility, "createdAt", "updatedAt"),
    geographicCoordinates: latitude === null ? null : { lat: latitude, lng: longitude },
    access: rows.FacilityAccess.filter((access) => access.facilityId === facility.id).map(
      ({ actions, userId }) => ({
        user: { id: userId },
        actions,
      }),
    ),
    cameras: rows.Camera.filter((camera) => camera.facilityId === facility.id).map((camera) => ({
      ...without(camera, "workspaceId", "removedAt"),
      statusHistory: { nodes: ofCamera("StatusChange", camera).map((change) => without(change, "cameraId")) },
      streamRequests: {
        nodes: ofCamera("StreamRequest", camera).map((request) => without(request, "requestId", "url")),
      },
      calibration: ofCamera("Calibration", camera)[0] ?? null,
      analysisJobs: ofCamera("AnalysisJob", camera),
      alertRules: rows.AlertRule.filter((rule) => rule.cameraId === camera.id).map((rule) => ({
        ...without(
          rule,
          "createdAt",
          "updatedAt",
          "timeRangeStart",
          "timeRangeEnd",
          "notificationUrl",
          "notificationSecret",
          "notificationEnabled",
        ),
        timeRange: [rule.timeRangeStart, rule.timeRangeEnd],
        apiNotification: { url: rule.notificationUrl, enabled: rule.notificationEnabled, hasSecret: true },
        areas: [without(area, "type")],
      })),
      alerts: {
        nodes: rows.Alert.filter((alert) => alert.cameraId === camera.id).map((alert) => ({
          ...without(alert, "recordedAt"),
          url: alert.url && expect.stringContaining(`/files/${alert.url}?expires=`),
        })),
      },
    })),
  })),
  auditLog: { nodes: rows.AuditEntry.map((entry) => without(entry, "workspaceId")) },
  alertCounts: [{ key: "2026-11-20", count: 2 }],
};

async function insert(connection: MigrationConnection): Promise<void> {
  for (const table of tables) {
    const values = [JSON.stringify(rows[table])];
    await connection.query(
      `INSERT INTO "${table}" SELECT (jsonb_populate_recordset(NULL::"${table}", $1::jsonb)).*`,
      values,
    );
  }
}

/** All rows as JSON, in the order of insertion. */
async function storedRows(
  connection: MigrationConnection,
): Promise<Record<string, Record<string, unknown>[]>> {
  const stored: Record<string, Record<string, unknown>[]> = {};
  for (const table of tables) {
    const found = await connection.query(
      `SELECT to_jsonb(item) AS "row" FROM "${table}" AS item ORDER BY to_jsonb(item)->>'id'`,
    );
    stored[table] = found.map(({ row }) => row as Record<string, unknown>);
  }
  return stored;
}

describe("a database that was filled when there was only the first migration", () => {
  let gateway: Gateway;
  let before: Awaited<ReturnType<typeof storedRows>>;
  let after: typeof before;
  beforeAll(async () => {
    const directory = await mkdtemp(path.join(tmpdir(), ".gateway-data-"));
    const cleanUps = [() => rm(directory, { recursive: true })];
    const { connection, variables, close, remove } = await openEmptyDatabase(directory);
    cleanUps.push(remove);
    await migrate(connection, await migrationsBefore("20261121", (cleanUp) => void cleanUps.push(cleanUp)));
    await insert(connection);
    before = await storedRows(connection);
    await migrate(connection);
    after = await storedRows(connection);
    await close();
    gateway = await gatewayOn({ ...variables, SEED: "none" });
    return async () => {
      await gateway.close();
      for (const cleanUp of cleanUps) await cleanUp();
    };
  });

  const admin: Sender = { user: "first|admin" };

  it("keeps every value of every column", () => {
    for (const table of tables) {
      // Otherwise a column would not be tested.
      for (const row of rows[table])
        expect(Object.keys(row).sort(), table).toEqual(Object.keys(before[table]?.[0] ?? {}).sort());
      const kept = after[table]?.map((row) =>
        Object.fromEntries(Object.entries(row).filter(([name]) => name in (rows[table][0] as object))),
      );
      expect(kept, table).toEqual(before[table]);
    }
  });

  it("shows all values by GraphQL as they were put in", async () => {
    expect(await gateway.data(query, { as: admin })).toEqual(expected);
  });

  const reads = routeCases.filter(({ method }) => method === "get");
  it.each(reads.map(titled))("is read by REST: %s", async (_title, each: RouteCase) => {
    const response = await gateway.fetch(requestOf(each, { facilityId, cameraId, jobId: id(9) }), {
      as: admin,
    });
    expect(response.status, await response.text()).toBe(200);
  });

  it("still knows its API key and the capability of its stream request, and counts recorded alerts", async () => {
    const authorization = `Basic ${Buffer.from(`${key}:`).toString("base64")}`;
    const headers = { "content-type": "application/json" };
    const change = {
      method: "PATCH",
      headers,
      body: JSON.stringify({ status_detail: "OPERATIONAL", status_detail_source: "TRACKER" }),
    };
    expect(
      (await gateway.fetch(`/cameras/${cameraId}/status_detail`, { as: { authorization }, ...change }))
        .status,
    ).toBe(200);
    const metadata = { method: "POST", headers, body: JSON.stringify({ width: "1280", height: "720" }) };
    expect((await gateway.fetch(`/cameras/metadata/${id(23)}`, metadata)).status).toBe(200);
    const mutation = `mutation { recordAlerts(input: [{ id: "${id(11, 3)}", cameraId: "${cameraId}", name: "SMOKE", createdAt: "2026-11-20T09:33:00.125Z" }]) { recorded } }`;
    expect(await gateway.data(mutation, { as: admin })).toEqual({ recordAlerts: { recorded: 1 } });
    expect(await gateway.prisma.$queryRaw`SELECT * FROM "alertCountDifferences"()`).toEqual([]);
    expect(await gateway.data(`{ alertCounts${counts} }`, { as: admin })).toEqual({
      alertCounts: [{ key: "2026-11-20", count: 3 }],
    });
  });
});
