import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { permissions } from "../../src/access/permissions.js";
import { schema } from "../../src/graphql/schema.js";
import { createSite, type Site } from "../access/fleet.js";
import { createApiKey, createWorkspace } from "../support/factories.js";
import { type Gateway, type Sender, startGateway } from "../support/harness.js";
import { plainPng } from "../support/png.js";
import { newWriter, unknownId, type Writer } from "./writer.js";

/** The secrets that are sent in the cases; none of them may be in the audit log. */
const secrets = ["camera-word", "other-word", "notification-word"];

let gateway: Gateway;
let workspaceId: string;
let admin: Writer;
/** Sees everything, and may write nothing. */
let reader: Writer;
beforeAll(async () => {
  gateway = await startGateway({ seed: "none" });
  workspaceId = await createWorkspace(gateway.prisma, {});
  admin = await newWriter(gateway.prisma, { workspaceId, roles: permissions });
  reader = await newWriter(gateway.prisma, { workspaceId, roles: ["users:read"] });
});
afterAll(() => gateway.close());

interface Entry {
  targetType: string;
  targetId: unknown;
  facilityId: unknown;
  changes: unknown;
}

/** One mutation: how it succeeds, which entries that leaves, and how it is refused. */
interface Case {
  /** The field with good arguments, as GraphQL text; `$image` is a picture that comes along. */
  good: string;
  /** The field with a target that is not there; none where there is no target. */
  missing?: string;
  /** The field with bad input. */
  bad: string;
  /** Whether somebody who sees the target needs a permission besides. */
  needsPermission?: false;
  /** Whether it is the feed server's, which has no credentials. */
  isFeedServers?: true;
  /** What the entries say, from what the mutation answered. */
  entries: (answer: Record<string, unknown>) => Entry[];
}

const change = (from: unknown, to: unknown) => ({ from, to });
const uuid = expect.stringMatching(/^[0-9a-f-]{36}$/);
const tree = '{ type: "GROUP", operator: "AND", children: [{ type: "PERSON_DETECTION", objects: ["person"] }] }';

/** A case of a mutation of a user's own data, which finds nothing and needs nothing. */
const ofMe = (good: string, bad: string, changes: object): Case => ({
  good,
  bad,
  needsPermission: false,
  entries: () => [{ targetType: "User", targetId: admin.id, facilityId: null, changes }],
});

/** A case of what the feed server reports of a site's camera. */
async function ofFeedServer(site: Site, name: string, input: { good: string; bad: string }, changes: object): Promise<Case> {
  const { streamRequestId, cameraId, facilityId } = site;
  const requestId = randomUUID();
  await gateway.prisma.streamRequest.update({ where: { id: streamRequestId }, data: { requestId, expiresAt: new Date("2100-01-01T00:00:00Z") } });
  const field = (capability: string, given: string) => `${name}(requestId: "${capability}", input: { ${given} }) { id }`;
  return {
    good: field(requestId, input.good),
    missing: field(unknownId, input.good),
    bad: field(requestId, input.bad),
    needsPermission: false,
    isFeedServers: true,
    entries: () => [{ targetType: "Camera", targetId: cameraId, facilityId, changes }],
  };
}

const cases: Record<string, (site: Site) => Case | Promise<Case>> = {
  createCamera: ({ facilityId }) => {
    const field = (id: string, name: string) =>
      `createCamera(facilityId: "${id}", input: { name: "${name}", url: "rtsp://admin:camera-word@10.0.0.1/", streamType: DIRECT }) { requestId camera { id } }`;
    return {
      good: field(facilityId, "Gate"),
      missing: field(unknownId, "Gate"),
      bad: field(facilityId, ""),
      needsPermission: false,
      entries: ({ camera }) => [
        {
          targetType: "Camera",
          targetId: (camera as { id: string }).id,
          facilityId,
          changes: { name: change(null, "Gate"), url: change(null, "rtsp://admin:***@10.0.0.1/"), streamType: change(null, "DIRECT") },
        },
      ],
    };
  },
  createClientCamera: ({ facilityId }) => {
    const field = (id: string, name: string) =>
      `createClientCamera(facilityId: "${id}", input: { name: "${name}", image: $image, metadata: { site: "north", width: 80 } }) { id }`;
    return {
      good: field(facilityId, "Gate"),
      missing: field(unknownId, "Gate"),
      bad: field(facilityId, ""),
      needsPermission: false,
      entries: ({ id }) => [
        {
          targetType: "Camera",
          targetId: id,
          facilityId,
          changes: {
            name: change(null, "Gate"),
            imageDimensions: change(null, { width: 80, height: 6 }),
            advancedSettings: change(null, { metadata: { site: "north", width: 80 } }),
          },
        },
      ],
    };
  },
  updateCamera: async ({ cameraId, facilityId }) => {
    await gateway.prisma.camera.update({ where: { id: cameraId }, data: { url: "rtsp://admin:camera-word@10.0.0.1/" } });
    const field = (id: string, name: string) =>
      `updateCamera(id: "${id}", input: { name: "${name}", url: "rtsp://admin:other-word@10.0.0.2/", emailAddresses: [] }) { id }`;
    return {
      good: field(cameraId, "Gate"),
      missing: field(unknownId, "Gate"),
      bad: field(cameraId, ""),
      entries: () => [
        {
          targetType: "Camera",
          targetId: cameraId,
          facilityId,
          changes: { name: change("Site", "Gate"), url: change("rtsp://admin:***@10.0.0.1/", "rtsp://admin:***@10.0.0.2/") },
        },
      ],
    };
  },
  deleteCamera: ({ cameraId, facilityId }) => ({
    good: `deleteCamera(id: "${cameraId}") { id }`,
    missing: `deleteCamera(id: "${unknownId}") { id }`,
    bad: 'deleteCamera(id: "gate") { id }',
    entries: () => [{ targetType: "Camera", targetId: cameraId, facilityId, changes: { name: change("Site", null) } }],
  }),
  requestStreamProbe: async ({ cameraId, facilityId }) => {
    await gateway.prisma.camera.update({ where: { id: cameraId }, data: { url: "rtsp://admin:camera-word@10.0.0.1/" } });
    return {
      good: `requestStreamProbe(cameraId: "${cameraId}") { requestId }`,
      missing: `requestStreamProbe(cameraId: "${unknownId}") { requestId }`,
      bad: 'requestStreamProbe(cameraId: "gate") { requestId }',
      entries: () => [{ targetType: "Camera", targetId: cameraId, facilityId, changes: null }],
    };
  },
  recordStreamThumbnail: (site) => {
    const url = "https://feeds.example/yard.jpg";
    const input = { good: `url: "${url}"`, bad: 'url: "yard.jpg"' };
    return ofFeedServer(site, "recordStreamThumbnail", input, { thumbnailUrl: change(null, url), imageLink: change(null, url) });
  },
  recordStreamMetadata: (site) => {
    const input = { good: 'width: "1280", height: "720", codecName: "h264"', bad: 'width: "1280", height: "0"' };
    return ofFeedServer(site, "recordStreamMetadata", input, {
      metadata: change(null, { width: "1280", height: "720", codec_name: "h264" }),
      imageDimensions: change(null, { width: 1280, height: 720 }),
    });
  },
  recordStreamError: (site) => {
    const input = { good: 'operation: "open", error: "refused"', bad: 'operation: "", error: "refused"' };
    return ofFeedServer(site, "recordStreamError", input, {
      errorOperation: change(null, "open"),
      errorMessage: change(null, "refused"),
      statusDetail: change("OPERATIONAL", "STREAM_ERROR"),
    });
  },
  setCameraStatusDetail: ({ cameraId, facilityId }) => {
    const field = (id: string, detail: string) => `setCameraStatusDetail(id: "${id}", input: { statusDetail: "${detail}", source: TRACKER }) { id }`;
    return {
      good: field(cameraId, "DIRTY_LENS"),
      missing: field(unknownId, "DIRTY_LENS"),
      bad: field(cameraId, ""),
      entries: () => [
        {
          targetType: "Camera",
          targetId: cameraId,
          facilityId,
          changes: { statusDetail: change("OPERATIONAL", "DIRTY_LENS"), source: change(null, "TRACKER") },
        },
      ],
    };
  },
  renameFacility: ({ facilityId }) => ({
    good: `renameFacility(id: "${facilityId}", name: "Depot") { id }`,
    missing: `renameFacility(id: "${unknownId}", name: "Depot") { id }`,
    bad: `renameFacility(id: "${facilityId}", name: "") { id }`,
    entries: () => [{ targetType: "Facility", targetId: facilityId, facilityId, changes: { name: change("Site", "Depot") } }],
  }),
  recordHeartbeat: ({ facilityId }) => ({
    good: `recordHeartbeat(facilityId: "${facilityId}") { id }`,
    missing: `recordHeartbeat(facilityId: "${unknownId}") { id }`,
    bad: 'recordHeartbeat(facilityId: "depot") { id }',
    needsPermission: false,
    entries: () => [{ targetType: "Facility", targetId: facilityId, facilityId, changes: null }],
  }),
  createFacility: () => {
    const field = (zone: string) =>
      `createFacility(input: { name: "Depot", timeZoneId: "${zone}", geographicCoordinates: { lat: 1, lng: 2 } }) { id }`;
    return {
      good: field("UTC"),
      bad: field("Mars/Olympus"),
      entries: ({ id }) => [
        {
          targetType: "Facility",
          targetId: id,
          facilityId: id,
          changes: { name: change(null, "Depot"), timeZoneId: change(null, "UTC"), geographicCoordinates: change(null, { lat: 1, lng: 2 }) },
        },
      ],
    };
  },
  updateMe: () => {
    const field = (name: string) => `updateMe(input: { firstName: "${name}", lastName: "Lovelace", jobTitle: "Lead" }) { id }`;
    return ofMe(field("Ada"), field(""), { firstName: change(null, "Ada"), lastName: change(null, "Lovelace"), jobTitle: change(null, "Lead") });
  },
  updateMyPhoneNumber: () => {
    const field = (phoneNumber: string) => `updateMyPhoneNumber(input: { phoneNumber: "${phoneNumber}", region: "TR" }) { id }`;
    const number = { countryCode: 90, e164Format: "+905321234567", nationalNumber: 5321234567, region: "TR" };
    return ofMe(field("0532 123 45 67"), field("1"), { phoneNumber: change(null, number) });
  },
  updateMyPicture: async () => {
    const { picture: before } = await gateway.prisma.user.findUniqueOrThrow({ where: { id: admin.id } });
    const key = expect.stringMatching(/^users\/[0-9a-f-]{36}-picture\.webp$/);
    return ofMe("updateMyPicture(image: $image) { id }", 'updateMyPicture(image: "a text") { id }', { picture: change(before, key) });
  },
  createUser: () => {
    const authId = `new|${randomUUID()}`;
    const field = (email: string) => `createUser(input: { authId: "${authId}", email: "${email}", roles: ["alerts:read"] }) { id }`;
    return {
      good: field("new@test.example"),
      bad: field("new"),
      entries: ({ id }) => [
        {
          targetType: "User",
          targetId: id,
          facilityId: null,
          changes: { authId: change(null, authId), email: change(null, "new@test.example"), roles: change(null, ["alerts:read"]) },
        },
      ],
    };
  },
  setUserRoles: async () => {
    const { id } = await newWriter(gateway.prisma, { workspaceId, roles: ["alerts:read"] });
    return {
      good: `setUserRoles(userId: "${id}", roles: ["cameras:read"]) { id }`,
      missing: `setUserRoles(userId: "${unknownId}", roles: []) { id }`,
      bad: `setUserRoles(userId: "${id}", roles: ["root"]) { id }`,
      entries: () => [{ targetType: "User", targetId: id, facilityId: null, changes: { roles: change(["alerts:read"], ["cameras:read"]) } }],
    };
  },
  removeUser: async () => {
    const { id, authId } = await newWriter(gateway.prisma, { workspaceId, roles: ["alerts:read"] });
    const email = `${authId.replaceAll("|", ".")}@test.example`;
    return {
      good: `removeUser(userId: "${id}") { id }`,
      missing: `removeUser(userId: "${unknownId}") { id }`,
      bad: 'removeUser(userId: "ada") { id }',
      entries: () => [
        {
          targetType: "User",
          targetId: id,
          facilityId: null,
          changes: { authId: change(authId, null), email: change(email, null), roles: change(["alerts:read"], []) },
        },
      ],
    };
  },
  grantFacilityAccess: async ({ facilityId }) => {
    const { id } = await newWriter(gateway.prisma, { workspaceId, at: { [facilityId]: ["alerts:read"] } });
    const field = (facility: string, action: string) =>
      `grantFacilityAccess(facilityId: "${facility}", actions: ["${action}"], userId: "${id}") { actions }`;
    return {
      good: field(facilityId, "cameras:read"),
      missing: field(unknownId, "cameras:read"),
      bad: field(facilityId, "root"),
      entries: () => [
        { targetType: "FacilityAccess", targetId: id, facilityId, changes: { actions: change(["alerts:read"], ["alerts:read", "cameras:read"]) } },
      ],
    };
  },
  removeFacilityAccess: async ({ facilityId }) => {
    const { id } = await newWriter(gateway.prisma, { workspaceId, at: { [facilityId]: ["alerts:read"] } });
    const field = (facility: string, action: string) =>
      `removeFacilityAccess(facilityId: "${facility}", actions: ["${action}"], userId: "${id}") { actions }`;
    return {
      good: field(facilityId, "alerts:read"),
      missing: field(unknownId, "alerts:read"),
      bad: field(facilityId, "root"),
      entries: () => [{ targetType: "FacilityAccess", targetId: id, facilityId, changes: { actions: change(["alerts:read"], []) } }],
    };
  },
  createAlertRule: ({ cameraId, facilityId }) => {
    const field = (id: string, severity: string) =>
      `createAlertRule(cameraId: "${id}", input: { name: "RULE", severity: "${severity}", group: ${tree}, apiNotification: { url: "https://hook.example/", secret: "notification-word" } }) { id }`;
    return {
      good: field(cameraId, "HIGH"),
      missing: field(unknownId, "HIGH"),
      bad: field(cameraId, " "),
      entries: ({ id }) => [
        {
          targetType: "AlertRule",
          targetId: id,
          facilityId,
          changes: expect.objectContaining({
            name: change(null, "RULE"),
            severity: change(null, "HIGH"),
            notificationUrl: change(null, "https://hook.example/"),
          }),
        },
      ],
    };
  },
  updateAlertRule: async ({ ruleId, facilityId }) => {
    await gateway.prisma.alertRule.update({ where: { id: ruleId }, data: { notificationUrl: "https://hook.example/" } });
    const field = (id: string, severity: string) =>
      `updateAlertRule(id: "${id}", input: { severity: "${severity}", apiNotification: { url: "https://hook.example/", secret: "notification-word" } }) { id }`;
    return {
      good: field(ruleId, "HIGH"),
      missing: field(unknownId, "HIGH"),
      bad: field(ruleId, " "),
      entries: () => [
        {
          targetType: "AlertRule",
          targetId: ruleId,
          facilityId,
          changes: { severity: change("MEDIUM", "HIGH"), notificationEnabled: change(false, true), notificationSecret: expect.anything() },
        },
      ],
    };
  },
  deleteAlertRule: ({ ruleId, facilityId }) => ({
    good: `deleteAlertRule(id: "${ruleId}") { id }`,
    missing: `deleteAlertRule(id: "${unknownId}") { id }`,
    bad: 'deleteAlertRule(id: "rule") { id }',
    entries: () => [{ targetType: "AlertRule", targetId: ruleId, facilityId, changes: { name: change("STATIC_DELIMITATION_AREA", null) } }],
  }),
  setAlertBookmark: ({ alertIds: [id], facilityId }) => ({
    good: `setAlertBookmark(id: "${id}", bookmark: true) { id }`,
    missing: `setAlertBookmark(id: "${unknownId}", bookmark: true) { id }`,
    bad: 'setAlertBookmark(id: "alert", bookmark: true) { id }',
    entries: () => [{ targetType: "Alert", targetId: id, facilityId, changes: { bookmark: change(false, true) } }],
  }),
  setAlertFalsePositive: ({ alertIds: [id], facilityId }) => ({
    good: `setAlertFalsePositive(id: "${id}", falsePositive: true) { id }`,
    missing: `setAlertFalsePositive(id: "${unknownId}", falsePositive: true) { id }`,
    bad: 'setAlertFalsePositive(id: "alert", falsePositive: true) { id }',
    entries: () => [{ targetType: "Alert", targetId: id, facilityId, changes: { falsePositive: change(false, true) } }],
  }),
  deleteAlerts: ({ alertIds, facilityId }) => ({
    good: `deleteAlerts(ids: ${JSON.stringify(alertIds)}) { deletedIds }`,
    missing: `deleteAlerts(ids: ["${alertIds[0]}", "${unknownId}"]) { deletedIds }`,
    bad: "deleteAlerts(ids: []) { deletedIds }",
    entries: () => alertIds.map((id) => ({ targetType: "Alert", targetId: id, facilityId, changes: null })),
  }),
  recordAlerts: ({ cameraId, facilityId }) => {
    const id = randomUUID();
    const field = (camera: string, name: string) =>
      `recordAlerts(input: [{ id: "${id}", cameraId: "${camera}", name: "${name}", createdAt: "2025-11-20T12:00:00Z" }]) { recorded }`;
    return {
      good: field(cameraId, "NO_HELMET"),
      missing: field(unknownId, "NO_HELMET"),
      bad: field(cameraId, ""),
      entries: () => [{ targetType: "Alert", targetId: id, facilityId, changes: { recorded: change(null, 1), cameraIds: change(null, [cameraId]) } }],
    };
  },
  createAlertUpload: ({ cameraId, facilityId }) => ({
    good: `createAlertUpload(cameraId: "${cameraId}") { uploadId }`,
    missing: `createAlertUpload(cameraId: "${unknownId}") { uploadId }`,
    bad: 'createAlertUpload(cameraId: "gate") { uploadId }',
    entries: ({ uploadId }) => [{ targetType: "AlertUpload", targetId: uploadId, facilityId, changes: null }],
  }),
  createApiKey: ({ facilityId }) => {
    const field = (facility: string, name: string) =>
      `createApiKey(input: { name: "${name}", permissions: ["alerts:read"], facilityIds: ["${facility}"] }) { key apiKey { id } }`;
    return {
      good: field(facilityId, "Recorder"),
      missing: field(unknownId, "Recorder"),
      bad: field(facilityId, ""),
      entries: ({ apiKey }) => [
        {
          targetType: "ApiKey",
          targetId: (apiKey as { id: string }).id,
          facilityId: null,
          changes: { name: change(null, "Recorder"), permissions: change(null, ["alerts:read"]), facilityIds: change(null, [facilityId]) },
        },
      ],
    };
  },
  revokeApiKey: async () => {
    const { id } = await createApiKey(gateway.prisma, { workspaceId, permissions: ["alerts:read"] });
    return {
      good: `revokeApiKey(id: "${id}") { id }`,
      missing: `revokeApiKey(id: "${unknownId}") { id }`,
      bad: 'revokeApiKey(id: "key") { id }',
      entries: () => [{ targetType: "ApiKey", targetId: id, facilityId: null, changes: expect.any(Object) }],
    };
  },
};

const newSite = () => createSite(gateway.prisma, { workspaceId, name: "Site", alerts: 2, newest: "2026-11-20T12:00:00Z" });
const entriesAfter = (known: string[]) => gateway.prisma.auditEntry.findMany({ where: { id: { notIn: known } }, orderBy: { targetId: "asc" } });
const known = async () => (await gateway.prisma.auditEntry.findMany({ select: { id: true } })).map(({ id }) => id);
function send(field: string, as: Sender) {
  type Answer = Record<string, Record<string, unknown>>;
  if (!field.includes("$image")) return gateway.graphql<Answer>(`mutation { ${field} }`, { as });
  const query = `mutation ($image: Upload!) { ${field} }`;
  return gateway.upload<Answer>({ query, variables: {}, variable: "image", file: plainPng() }, { as });
}

it("has a case for every mutation", () => {
  expect(Object.keys(cases).toSorted()).toEqual(Object.keys(schema.getMutationType()?.getFields() ?? {}).toSorted());
});

describe.each(Object.entries(cases))("%s", (mutation, make) => {
  it("leaves its entries when it succeeds: who, what, to what, where, and the fields that changed", async () => {
    const { good, entries, isFeedServers } = await make(await newSite());
    const before = await known();
    const { data, errors } = await send(good, isFeedServers ? "nobody" : admin.as);
    expect(errors).toBeUndefined();
    const expected = entries(data[mutation] as Record<string, unknown>).toSorted((a, b) => String(a.targetId).localeCompare(String(b.targetId)));
    const actor = isFeedServers ? { actorId: null, actorKind: "FEED_SERVER" } : { actorId: admin.id, actorKind: "USER" };
    const common = { id: uuid, workspaceId, ...actor, action: mutation, createdAt: expect.any(Date) };
    expect(await entriesAfter(before)).toEqual(expected.map((entry) => ({ ...common, ...entry })));
    for (const { changes } of await entriesAfter(before)) {
      for (const [name, value] of Object.entries(changes ?? {})) expect(Object.keys(value as object).toSorted(), name).toEqual(["from", "to"]);
    }
  });

  it("leaves none when it is refused", async () => {
    const { good, missing, bad, needsPermission = true, isFeedServers } = await make(await newSite());
    const before = await known();
    const codes = async (field: string, as: Sender) => (await send(field, as)).errors?.map(({ extensions }) => extensions.code);
    // An id that is none, written into the document, is a fault of the document.
    expect(["BAD_REQUEST", "GRAPHQL_VALIDATION_FAILED"]).toContain((await codes(bad, admin.as))?.[0]);
    if (missing) expect(await codes(missing, admin.as)).toEqual(["NOT_FOUND"]);
    if (needsPermission) expect(await codes(good, reader.as)).toEqual(["FORBIDDEN"]);
    if (!isFeedServers) expect(await codes(good, "nobody")).toEqual(["UNAUTHENTICATED"]);
    expect(await entriesAfter(before)).toEqual([]);
  });
});

it("names an API key as the one who did it", async () => {
  const { facilityId } = await newSite();
  const key = await createApiKey(gateway.prisma, { workspaceId, permissions: ["facilities:read"] });
  const before = await known();
  await send(`renameFacility(id: "${facilityId}", name: "By a key") { id }`, key);
  expect(await entriesAfter(before)).toMatchObject([{ actorId: key.id, actorKind: "API_KEY", action: "renameFacility" }]);
});

it("notes that a password alone changed, without showing it", async () => {
  const { cameraId } = await newSite();
  await gateway.prisma.camera.update({ where: { id: cameraId }, data: { url: "rtsp://admin:camera-word@10.0.0.1/" } });
  const before = await known();
  await send(`updateCamera(id: "${cameraId}", input: { url: "rtsp://admin:other-word@10.0.0.1/" }) { id }`, admin.as);
  const masked = "rtsp://admin:***@10.0.0.1/";
  expect(await entriesAfter(before)).toMatchObject([{ changes: { url: change(masked, masked) } }]);
});

it("names nobody as the one who reported of a stream, whoever's credentials came along", async () => {
  const { good } = await (cases.recordStreamThumbnail as (site: Site) => Promise<Case>)(await newSite());
  const before = await known();
  await send(good, admin.as);
  expect(await entriesAfter(before)).toMatchObject([{ actorId: null, actorKind: "FEED_SERVER", action: "recordStreamThumbnail" }]);
});

it("leaves none for a mark that changes nothing", async () => {
  const { alertIds } = await newSite();
  const before = await known();
  await send(`setAlertBookmark(id: "${alertIds[0]}", bookmark: false) { id }`, admin.as);
  expect(await entriesAfter(before)).toEqual([]);
});

it("holds no secret in the whole table: no password, no notification's or key's secret, no requestId", async () => {
  const { facilityId, cameraId } = await newSite();
  const { data } = await gateway.graphql<{ a: { key: string }; b: { requestId: string }; c: { requestId: string } }>(
    `mutation {
      a: createApiKey(input: { name: "Key", permissions: ["alerts:read"] }) { key }
      b: createCamera(facilityId: "${facilityId}", input: { name: "Gate", url: "rtsp://admin:camera-word@10.0.0.1/", streamType: DIRECT }) { requestId }
      u: updateCamera(id: "${cameraId}", input: { url: "rtsp://admin:other-word@10.0.0.1/" }) { id }
      c: requestStreamProbe(cameraId: "${cameraId}") { requestId }
    }`,
    admin,
  );
  const reported = await gateway.graphql(`mutation {
    d: recordStreamError(requestId: "${data.b.requestId}", input: { operation: "open", error: "refused" }) { id }
    e: recordStreamThumbnail(requestId: "${data.c.requestId}", input: { url: "https://feeds.example/yard.jpg" }) { id }
  }`);
  expect(reported.errors).toBeUndefined();
  const table = JSON.stringify(await gateway.prisma.auditEntry.findMany());
  const found = [...secrets, data.a.key.split("_")[2] as string, data.b.requestId, data.c.requestId].filter((secret) => table.includes(secret));
  expect(found).toEqual([]);
});
