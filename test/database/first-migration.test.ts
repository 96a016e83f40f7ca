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
import { migrationsBefore, openEmptyDatabase } from "./fresh-database.js";

/** The n-th id of a kind of record. */
const id = (kind: number, n = 1) =>
  `e0000000-0000-4000-8000-${String(kind).padStart(6, "0")}${String(n).padStart(6, "0")}`;
const [workspaceId, userId, facilityId, cameraId, ruleId] = [id(1), id(2), id(4), id(5), id(10)];
const areaId = id(20);
const time = (minute: number) => `2026-11-20T09:${String(minute).padStart(2, "0")}:00.125Z`;
const picture = (name: string) => `https://pictures.example/${name}.jpg`;
const { key, id: keyId, secretHash } = createKey();

const area = { id: areaId, type: "AREA", name: "Zone", color: "#ff8800", points: [{ x: 1.5, y: 2 }] };
const stream = { streamType: "HOSTEDSERVER", streamProtocol: "RTMPS" };

/**
 * Rows of every table that the first migration made: of each one with all values, and
 * where values may be missing one without.
 */
const rows = {
  Workspace: [{ id: workspaceId, name: "Plant", createdAt: time(0) }],
  User: [
    {
      ...{
        id: userId,
        workspaceId,
        authId: "first|admin",
        createdAt: time(1),
        updatedAt: time(2),
        lastLogin: time(3),
        email: "ada@plant.example",
      },
      ...{
        emailVerified: true,
        firstName: "Ada",
        lastName: "Lovelace",
        roles: [...permissions],
        lastIp: "192.0.2.1",
        loginsCount: 7,
        locale: "en",
      },
      ...{
        picture: picture("ada"),
        isSso: true,
        connection: "directory",
        groupId: id(21),
        jobTitle: "Safety",
      },
      phoneNumber: {
        nationalNumber: 15123456789,
        region: "DE",
        countryCode: 49,
        e164Format: "+4915123456789",
      },
    },
    {
      ...{
        id: id(2, 2),
        workspaceId,
        authId: "first|site",
        createdAt: time(1),
        updatedAt: time(2),
        lastLogin: null,
        email: "site@plant.example",
      },
      ...{
        emailVerified: false,
        firstName: null,
        lastName: null,
        roles: [],
        lastIp: null,
        loginsCount: 0,
        locale: null,
        picture: null,
      },
      ...{ isSso: false, connection: null, groupId: null, jobTitle: null, phoneNumber: null },
    },
  ],
  Facility: [
    {
      ...{
        id: facilityId,
        workspaceId,
        name: "Quay",
        address: "1 Quay",
        latitude: 40.5,
        longitude: 29.25,
        timeZoneId: "Asia/Tokyo",
      },
      ...{ lastHeartbeatAt: time(4), createdAt: time(5), updatedAt: time(6) },
    },
    {
      ...{
        id: id(4, 2),
        workspaceId,
        name: "Yard",
        address: null,
        latitude: null,
        longitude: null,
        timeZoneId: "UTC",
      },
      ...{ lastHeartbeatAt: null, createdAt: time(5), updatedAt: time(6) },
    },
  ],
  FacilityAccess: [{ userId: id(2, 2), facilityId, workspaceId, actions: ["alerts:read"] }],
  ApiKey: [
    {
      ...{
        id: keyId,
        workspaceId,
        name: "Detector",
        secretHash: `\\x${secretHash.toString("hex")}`,
        permissions: ["alerts:read", "cameras:write"],
      },
      ...{
        allFacilities: false,
        facilityIds: [facilityId],
        createdAt: time(7),
        expiresAt: "2100-01-01T00:00:00.000Z",
        lastUsedAt: null,
        revokedAt: null,
      },
    },
    {
      ...{
        id: id(3),
        workspaceId,
        name: "Revoked",
        secretHash: "\\x00",
        permissions: [],
        allFacilities: true,
        facilityIds: [],
      },
      ...{ createdAt: time(7), expiresAt: null, lastUsedAt: time(8), revokedAt: time(9) },
    },
  ],
  Camera: [
    {
      ...{
        id: cameraId,
        workspaceId,
        facilityId,
        name: "Gate",
        status: "RUNNING",
        statusDetail: "LENS_DIRTY",
        imageLink: picture("gate"),
      },
      ...{
        createdAt: time(10),
        updatedAt: time(11),
        dataCollectionEnabled: true,
        dataCollectionObjects: ["PERSON", "VEHICLE"],
      },
      dataCollectionConfig: { minWidth: 10.5, minHeight: 20, interval: 30 },
      customDataCollectionConfigs: [{ type: "CLEAN_VEHICLE_ROADS", sensitivity: 0.5 }],
      ...{
        groundTruthKey: "truth",
        collectSampleVideos: true,
        imageDimensions: { width: 1280, height: 720 },
        url: "rtsp://camera.example/gate",
        ...stream,
      },
      ...{
        advancedSettings: { nested: { deep: [1, null, "x"] } },
        proxyHost: "proxy.example",
        facilityNodeId: id(22),
      },
      ...{ emailAddresses: ["ada@plant.example"], removedAt: null },
    },
    {
      ...{
        id: id(5, 2),
        workspaceId,
        facilityId,
        name: "Wharf",
        status: "IDLE",
        statusDetail: "OPERATIONAL",
        imageLink: null,
      },
      ...{
        createdAt: time(10),
        updatedAt: time(11),
        dataCollectionEnabled: false,
        dataCollectionObjects: [],
        dataCollectionConfig: null,
      },
      ...{
        customDataCollectionConfigs: [],
        groundTruthKey: null,
        collectSampleVideos: false,
        imageDimensions: null,
        url: null,
        streamType: null,
      },
      ...{
        streamProtocol: null,
        advancedSettings: null,
        proxyHost: null,
        facilityNodeId: null,
        emailAddresses: [],
        removedAt: null,
      },
    },
  ],
  StatusChange: [
    { id: id(6), cameraId, statusDetail: "LENS_DIRTY", source: "ON_PREMISE_FACILITY", createdAt: time(12) },
  ],
  StreamRequest: [
    {
      ...{
        id: id(7),
        requestId: id(23),
        cameraId,
        url: "rtsp://camera.example/gate",
        ...stream,
        createdAt: time(13),
      },
      ...{
        expiresAt: "2100-01-01T00:00:00.000Z",
        supersededAt: time(14),
        thumbnailUrl: picture("stream"),
        metadata: { codec_name: "h264" },
      },
      ...{ errorOperation: "open stream", errorMessage: "refused", lastCallbackAt: time(15) },
    },
  ],
  Calibration: [
    {
      ...{
        id: id(8),
        cameraId,
        pixelLength: 0.25,
        width: 1280,
        height: 720,
        homographyMatrix: [1, 0, 0, 0, 1, 0, 0, 0, 0.5],
        points: [{ x: 1, y: 2.5 }],
      },
      ...{
        calibratedImage: picture("calibrated"),
        croppedImage: picture("cropped"),
        gridImage: picture("grid"),
        updatedAt: time(16),
      },
    },
  ],
  AnalysisJob: [
    {
      ...{
        id: id(9),
        cameraId,
        configId: id(24),
        videoId: id(25),
        state: "VALIDATING",
        isTest: true,
        createdAt: time(17),
        updatedAt: time(18),
      },
      ...{ startedAt: time(19), endedAt: time(20) },
    },
  ],
  AlertRule: [
    {
      ...{
        id: ruleId,
        cameraId,
        name: "STATIC_DELIMITATION_AREA",
        severity: "MEDIUM",
        status: "PAUSED",
        dayRange: [0, 6],
      },
      ...{
        timeRangeStart: time(21),
        timeRangeEnd: time(22),
        emails: ["ada@plant.example"],
        phoneNumbers: ["+4915123456789"],
        observation: true,
      },
      ...{
        notificationUrl: "https://hooks.example/alerts",
        notificationSecret: "never shown",
        notificationEnabled: true,
        pretty: "In words",
      },
      ...{
        group: { id: id(26), type: "GROUP", name: "All", operator: "AND", children: [area] },
        createdAt: time(23),
        updatedAt: time(24),
      },
    },
  ],
  Alert: [
    {
      ...{
        id: id(11),
        workspaceId,
        facilityId,
        cameraId,
        alertRuleId: ruleId,
        name: "STATIC_DELIMITATION_AREA",
        severity: "MEDIUM",
        observation: true,
      },
      ...{
        count: 3,
        createdAt: time(30),
        recordedAt: time(31),
        url: "alerts/first.jpg",
        thumbnailUrl: picture("small"),
      },
      ...{
        imageDimensions: { width: 1280, height: 720 },
        canvasDimensions: { width: 640, height: 360.5 },
        violatingCoordinates: [{ x: 3, y: 4.5 }],
      },
      ...{
        area: [{ x: 1.5, y: 2 }],
        areaIds: [areaId],
        storageClass: "s3",
        info: { speed: 3.5, tags: ["a"] },
        bookmark: true,
        falsePositive: true,
      },
    },
    {
      ...{
        id: id(11, 2),
        workspaceId,
        facilityId,
        cameraId,
        alertRuleId: null,
        name: "SMOKE",
        severity: null,
        observation: false,
        count: 1,
      },
      ...{
        createdAt: time(29),
        recordedAt: time(31),
        url: null,
        thumbnailUrl: null,
        imageDimensions: null,
        canvasDimensions: null,
      },
      ...{
        violatingCoordinates: null,
        area: null,
        areaIds: [],
        storageClass: "local",
        info: null,
        bookmark: false,
        falsePositive: false,
      },
    },
  ],
  AuditEntry: [
    {
      ...{
        id: id(12),
        workspaceId,
        actorId: userId,
        actorKind: "USER",
        action: "updateCamera",
        targetType: "Camera",
        targetId: cameraId,
        facilityId,
      },
      ...{ changes: { name: ["Old", "Gate"] }, createdAt: time(32) },
    },
  ],
} satisfies Record<string, object[]>;

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
    const mutation = `mutation { recordAlerts(input: [{ id: "${id(11, 3)}", cameraId: "${cameraId}", name: "SMOKE", createdAt: "${time(33)}" }]) { recorded } }`;
    expect(await gateway.data(mutation, { as: admin })).toEqual({ recordAlerts: { recorded: 1 } });
    expect(await gateway.prisma.$queryRaw`SELECT * FROM "alertCountDifferences"()`).toEqual([]);
    expect(await gateway.data(`{ alertCounts${counts} }`, { as: admin })).toEqual({
      alertCounts: [{ key: "2026-11-20", count: 3 }],
    });
  });
});
