// Runs once: both kinds of databases run the same statements.
import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { permissions } from "../../src/access/permissions.js";
import { english } from "../../src/console/administration/audit/english.js";
import { german } from "../../src/console/administration/audit/german.js";
import { schema } from "../../src/graphql/schema.js";
import { type CompleteFacility, createCompleteFacility } from "../support/complete-facility.js";
import {
  createApiKey,
  createInvitation,
  createMarkChange,
  createSavedView,
  createWorkspace,
} from "../support/factories.js";
import { type Gateway, type Sender, sharedGateway } from "../support/harness.js";
import { plainPng } from "../support/png.js";
import { signInLink } from "../support/sign-in-link.js";
import { createTestUser, type TestUser, unknownId } from "../support/test-user.js";

/** The secrets that the cases send; none may appear in the audit log. */
const secrets = ["camera-word", "other-word", "notification-word"];

let gateway: Gateway;
let workspaceId: string;
let admin: TestUser;
/** May read everything but write nothing. */
let reader: TestUser;
beforeAll(async () => {
  gateway = await sharedGateway();
  workspaceId = await createWorkspace(gateway.prisma, {});
  admin = await createTestUser(gateway.prisma, { workspaceId, roles: permissions });
  reader = await createTestUser(gateway.prisma, { workspaceId, roles: ["users:read"] });
});

interface Entry {
  targetType: string;
  targetId: unknown;
  facilityId: unknown;
  changes: unknown;
}

/** A mutation: how it succeeds, which entries it then writes, and how it fails. */
interface Case {
  /**
   * The field with valid arguments, as GraphQL text; `$image` stands for an uploaded
   * image.
   */
  valid: string;
  /** The field with an unknown target; omitted if the mutation has no target. */
  missing?: string;
  /** The field with invalid input. */
  invalid: string;
  /** Whether a caller who can see the target also needs a permission. */
  needsPermission?: false;
  /** Whether the mutation is for the feed server, which has no credentials. */
  isFromFeedServer?: true;
  /** Who sends it; by default the administrator, whom the entries name in any case. */
  as?: Sender;
  /** The API key that sends it, and that the entries name; it takes no user. */
  key?: { id: string; authorization: string };
  /** The code of the refusal, if what it needs is not set up here. */
  refusedAs?: string;
  /** The expected entries, given the mutation's result. */
  entries: (result: Record<string, unknown>) => Entry[];
}

const change = (from: unknown, to: unknown) => ({ from, to });
const uuid = expect.stringMatching(/^[0-9a-f-]{36}$/);
const tree =
  '{ type: "GROUP", operator: "AND", children: [{ type: "PERSON_DETECTION", objects: ["person"] }] }';

/**
 * A case for a mutation of the caller's own data, which has no target to look up and
 * needs no permission.
 */
const ownDataCase = (valid: string, invalid: string, changes: object): Case => ({
  valid,
  invalid,
  needsPermission: false,
  entries: () => [{ targetType: "User", targetId: admin.id, facilityId: null, changes }],
});

/** A case for snoozing a camera or rule of a facility. */
function snoozeCase(mutation: string, targetType: string, targetId: string, facilityId: string): Case {
  const until = new Date(Date.now() + 3_600_000).toISOString();
  const field = (id: string, time: string) => `${mutation}(id: "${id}", until: "${time}") { id }`;
  return {
    valid: field(targetId, until),
    missing: field(unknownId, until),
    invalid: field(targetId, "2000-01-01T00:00:00Z"),
    entries: () => [{ targetType, targetId, facilityId, changes: { snoozedUntil: change(null, until) } }],
  };
}

/** A case for a report by the feed server about a site's camera. */
async function feedServerCase(
  site: CompleteFacility,
  name: string,
  input: { valid: string; invalid: string },
  changes: object,
): Promise<Case> {
  const { streamRequestId, cameraId, facilityId } = site;
  await gateway.prisma.streamRequest.updateMany({
    where: { id: streamRequestId },
    data: { expiresAt: new Date("2100-01-01T00:00:00Z") },
  });
  const { requestId } = await gateway.prisma.streamRequest.findFirstOrThrow({
    where: { id: streamRequestId },
  });
  const field = (capability: string, given: string) =>
    `${name}(requestId: "${capability}", input: { ${given} }) { id }`;
  return {
    valid: field(requestId, input.valid),
    missing: field(unknownId, input.valid),
    invalid: field(requestId, input.invalid),
    needsPermission: false,
    isFromFeedServer: true,
    entries: () => [{ targetType: "Camera", targetId: cameraId, facilityId, changes }],
  };
}

const cases: Record<string, (site: CompleteFacility) => Case | Promise<Case>> = {
  createCamera: ({ facilityId }) => {
    const field = (id: string, name: string) =>
      `createCamera(facilityId: "${id}", input: { name: "${name}", url: "rtsp://admin:camera-word@10.0.0.1/", streamType: DIRECT }) { requestId camera { id } }`;
    return {
      valid: field(facilityId, "Gate"),
      missing: field(unknownId, "Gate"),
      invalid: field(facilityId, ""),
      needsPermission: false,
      entries: ({ camera }) => [
        {
          targetType: "Camera",
          targetId: (camera as { id: string }).id,
          facilityId,
          changes: {
            name: change(null, "Gate"),
            url: change(null, "rtsp://***@10.0.0.1/"),
            streamType: change(null, "DIRECT"),
          },
        },
      ],
    };
  },
  createClientCamera: ({ facilityId }) => {
    const field = (id: string, name: string) =>
      `createClientCamera(facilityId: "${id}", input: { name: "${name}", image: $image, metadata: { site: "north", width: 80 } }) { id }`;
    return {
      valid: field(facilityId, "Gate"),
      missing: field(unknownId, "Gate"),
      invalid: field(facilityId, ""),
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
    await gateway.prisma.camera.updateMany({
      where: { id: cameraId },
      data: { url: "rtsp://admin:camera-word@10.0.0.1/" },
    });
    const field = (id: string, name: string) =>
      `updateCamera(id: "${id}", input: { name: "${name}", url: "rtsp://admin:other-word@10.0.0.2/", emailAddresses: [] }) { id }`;
    return {
      valid: field(cameraId, "Gate"),
      missing: field(unknownId, "Gate"),
      invalid: field(cameraId, ""),
      entries: () => [
        {
          targetType: "Camera",
          targetId: cameraId,
          facilityId,
          changes: {
            name: change("Site", "Gate"),
            url: change("rtsp://***@10.0.0.1/", "rtsp://***@10.0.0.2/"),
          },
        },
      ],
    };
  },
  deleteCamera: ({ cameraId, facilityId }) => ({
    valid: `deleteCamera(id: "${cameraId}") { id }`,
    missing: `deleteCamera(id: "${unknownId}") { id }`,
    invalid: 'deleteCamera(id: "gate") { id }',
    entries: () => [
      { targetType: "Camera", targetId: cameraId, facilityId, changes: { name: change("Site", null) } },
    ],
  }),
  requestStreamProbe: async ({ cameraId, facilityId }) => {
    await gateway.prisma.camera.updateMany({
      where: { id: cameraId },
      data: { url: "rtsp://admin:camera-word@10.0.0.1/" },
    });
    return {
      valid: `requestStreamProbe(cameraId: "${cameraId}") { requestId }`,
      missing: `requestStreamProbe(cameraId: "${unknownId}") { requestId }`,
      invalid: 'requestStreamProbe(cameraId: "gate") { requestId }',
      entries: () => [{ targetType: "Camera", targetId: cameraId, facilityId, changes: null }],
    };
  },
  recordStreamThumbnail: (site) => {
    const url = "https://feeds.example/yard.jpg";
    const input = { valid: `url: "${url}"`, invalid: 'url: "yard.jpg"' };
    return feedServerCase(site, "recordStreamThumbnail", input, {
      thumbnailUrl: change(null, url),
      imageLink: change(null, url),
    });
  },
  recordStreamMetadata: (site) => {
    const input = {
      valid: 'width: "1280", height: "720", codecName: "h264"',
      invalid: 'width: "1280", height: "0"',
    };
    return feedServerCase(site, "recordStreamMetadata", input, {
      metadata: change(null, { width: "1280", height: "720", codec_name: "h264" }),
      imageDimensions: change(null, { width: 1280, height: 720 }),
    });
  },
  recordStreamError: (site) => {
    const input = {
      valid: 'operation: "open", error: "refused"',
      invalid: 'operation: "", error: "refused"',
    };
    return feedServerCase(site, "recordStreamError", input, {
      errorOperation: change(null, "open"),
      errorMessage: change(null, "refused"),
      statusDetail: change("OPERATIONAL", "STREAM_ERROR"),
    });
  },
  setCameraStatusDetail: ({ cameraId, facilityId }) => {
    const field = (id: string, detail: string) =>
      `setCameraStatusDetail(id: "${id}", input: { statusDetail: "${detail}", source: TRACKER }) { id }`;
    return {
      valid: field(cameraId, "DIRTY_LENS"),
      missing: field(unknownId, "DIRTY_LENS"),
      invalid: field(cameraId, ""),
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
    valid: `renameFacility(id: "${facilityId}", name: "Depot") { id }`,
    missing: `renameFacility(id: "${unknownId}", name: "Depot") { id }`,
    invalid: `renameFacility(id: "${facilityId}", name: "") { id }`,
    entries: () => [
      {
        targetType: "Facility",
        targetId: facilityId,
        facilityId,
        changes: { name: change("Site", "Depot") },
      },
    ],
  }),
  updateFacility: ({ facilityId }) => {
    const field = (id: string, zone: string) =>
      `updateFacility(id: "${id}", input: { name: "Site", timeZoneId: "${zone}", address: "Quay 7", geographicCoordinates: { lat: 1, lng: 2 } }) { id }`;
    return {
      valid: field(facilityId, "Asia/Tokyo"),
      missing: field(unknownId, "Asia/Tokyo"),
      invalid: field(facilityId, "Mars/Olympus"),
      entries: () => [
        {
          targetType: "Facility",
          targetId: facilityId,
          facilityId,
          changes: {
            timeZoneId: change("Europe/Istanbul", "Asia/Tokyo"),
            address: change(null, "Quay 7"),
            geographicCoordinates: change(null, { lat: 1, lng: 2 }),
          },
        },
      ],
    };
  },
  deleteFacility: ({ facilityId }) => ({
    valid: `deleteFacility(id: "${facilityId}") { id }`,
    missing: `deleteFacility(id: "${unknownId}") { id }`,
    invalid: 'deleteFacility(id: "depot") { id }',
    entries: () => [
      {
        targetType: "Facility",
        targetId: facilityId,
        facilityId,
        changes: { name: change("Site", null), cameraCount: change(1, 0) },
      },
    ],
  }),
  updateWorkspace: () => ({
    valid: 'updateWorkspace(input: { name: "Harbour" }) { id }',
    invalid: 'updateWorkspace(input: { name: "" }) { id }',
    entries: () => [
      {
        targetType: "Workspace",
        targetId: workspaceId,
        facilityId: null,
        changes: { name: change("Workspace", "Harbour") },
      },
    ],
  }),
  recordHeartbeat: ({ facilityId }) => ({
    valid: `recordHeartbeat(facilityId: "${facilityId}") { id }`,
    missing: `recordHeartbeat(facilityId: "${unknownId}") { id }`,
    invalid: 'recordHeartbeat(facilityId: "depot") { id }',
    needsPermission: false,
    entries: () => [
      { targetType: "Facility", targetId: facilityId, facilityId, changes: { online: change(false, true) } },
    ],
  }),
  createFacility: () => {
    const field = (zone: string) =>
      `createFacility(input: { name: "Depot", timeZoneId: "${zone}", geographicCoordinates: { lat: 1, lng: 2 } }) { id }`;
    return {
      valid: field("UTC"),
      invalid: field("Mars/Olympus"),
      entries: ({ id }) => [
        {
          targetType: "Facility",
          targetId: id,
          facilityId: id,
          changes: {
            name: change(null, "Depot"),
            timeZoneId: change(null, "UTC"),
            geographicCoordinates: change(null, { lat: 1, lng: 2 }),
          },
        },
      ],
    };
  },
  updateMe: () => {
    const field = (name: string) =>
      `updateMe(input: { firstName: "${name}", lastName: "Lovelace", jobTitle: "Lead" }) { id }`;
    return ownDataCase(field("Ada"), field(""), {
      firstName: change(null, "Ada"),
      lastName: change(null, "Lovelace"),
      jobTitle: change(null, "Lead"),
    });
  },
  updateMyLocale: () => {
    const field = (locale: string) => `updateMyLocale(locale: "${locale}") { id }`;
    return ownDataCase(field("de-at"), field("-"), { locale: change(null, "de-AT") });
  },
  updateMyPhoneNumber: () => {
    const field = (phoneNumber: string) =>
      `updateMyPhoneNumber(input: { phoneNumber: "${phoneNumber}", region: "TR" }) { id }`;
    const number = { countryCode: 90, e164Format: "+905321234567", nationalNumber: 5321234567, region: "TR" };
    return ownDataCase(field("0532 123 45 67"), field("1"), { phoneNumber: change(null, number) });
  },
  updateMyPicture: async () => {
    const { picture: before } = await gateway.prisma.user.findFirstOrThrow({ where: { id: admin.id } });
    const key = expect.stringMatching(/^users\/[0-9a-f-]{36}-picture\.webp$/);
    return ownDataCase("updateMyPicture(image: $image) { id }", 'updateMyPicture(image: "a text") { id }', {
      picture: change(before, key),
    });
  },
  createUser: () => {
    const authId = `new|${randomUUID()}`;
    const field = (email: string) =>
      `createUser(input: { authId: "${authId}", email: "${email}", roles: ["alerts:read"] }) { id }`;
    return {
      valid: field("new@test.example"),
      invalid: field("new"),
      entries: ({ id }) => [
        {
          targetType: "User",
          targetId: id,
          facilityId: null,
          changes: {
            authId: change(null, authId),
            email: change(null, "new@test.example"),
            roles: change(null, ["alerts:read"]),
          },
        },
      ],
    };
  },
  updateUser: async () => {
    const { id } = await createTestUser(gateway.prisma, { workspaceId, roles: ["alerts:read"] });
    const field = (user: string, name: string) =>
      `updateUser(id: "${user}", input: { firstName: "${name}" }) { id }`;
    return {
      valid: field(id, "Ada"),
      missing: field(unknownId, "Ada"),
      invalid: field(id, ""),
      entries: () => [
        { targetType: "User", targetId: id, facilityId: null, changes: { firstName: change(null, "Ada") } },
      ],
    };
  },
  inviteUser: ({ facilityId }) => {
    const email = `${randomUUID()}@test.example`;
    const field = (facility: string, address: string) =>
      `inviteUser(input: { email: "${address}", roles: ["cameras:read"], accesses: [{ facilityId: "${facility}", actions: ["alerts:read"] }] }) { id }`;
    return {
      valid: field(facilityId, email),
      missing: field(unknownId, email),
      invalid: field(facilityId, "nobody"),
      entries: ({ id }) => [
        {
          targetType: "Invitation",
          targetId: id,
          facilityId: null,
          changes: {
            email: change(null, email),
            roles: change(null, ["cameras:read"]),
            accesses: change(null, [{ facilityId, actions: ["alerts:read"] }]),
          },
        },
      ],
    };
  },
  signIn: async () => {
    const { code } = await adminLink();
    return {
      valid: `signIn(code: "${code}") { expiresAt }`,
      invalid: "signIn(code: 1) { expiresAt }",
      needsPermission: false,
      as: "nobody",
      entries: () => [{ targetType: "User", targetId: admin.id, facilityId: null, changes: null }],
    };
  },
  // Of nobody, whoever the address belongs to. The shared gateway sends no mails.
  requestSignInLink: () => ({
    valid: 'requestSignInLink(email: "ada@test.example")',
    invalid: 'requestSignInLink(email: "ada")',
    needsPermission: false,
    as: "nobody",
    refusedAs: "UNAVAILABLE",
    entries: () => [],
  }),
  renewSession: async () => {
    const { code } = await adminLink();
    const { data } = await send(`signIn(code: "${code}") { token }`, "nobody");
    return {
      valid: "renewSession { expiresAt }",
      invalid: "renewSession(code: 1) { expiresAt }",
      as: { authorization: `Bearer ${data.signIn?.token}` },
      entries: () => [],
    };
  },
  signOutEverywhere: () => ({
    valid: "signOutEverywhere",
    invalid: "signOutEverywhere(code: 1)",
    needsPermission: false,
    entries: () => [{ targetType: "User", targetId: admin.id, facilityId: null, changes: null }],
  }),
  revokeInvitation: () => invitationCase("revokeInvitation"),
  resendInvitation: () => invitationCase("resendInvitation"),
  setUserRoles: async () => {
    const { id } = await createTestUser(gateway.prisma, { workspaceId, roles: ["alerts:read"] });
    return {
      valid: `setUserRoles(userId: "${id}", roles: ["cameras:read"]) { id }`,
      missing: `setUserRoles(userId: "${unknownId}", roles: []) { id }`,
      invalid: `setUserRoles(userId: "${id}", roles: ["root"]) { id }`,
      entries: () => [
        {
          targetType: "User",
          targetId: id,
          facilityId: null,
          changes: { roles: change(["alerts:read"], ["cameras:read"]) },
        },
      ],
    };
  },
  removeUser: async () => {
    const { id, authId } = await createTestUser(gateway.prisma, { workspaceId, roles: ["alerts:read"] });
    const email = `${authId.replaceAll("|", ".")}@test.example`;
    return {
      valid: `removeUser(userId: "${id}") { id }`,
      missing: `removeUser(userId: "${unknownId}") { id }`,
      invalid: 'removeUser(userId: "ada") { id }',
      entries: () => [
        {
          targetType: "User",
          targetId: id,
          facilityId: null,
          changes: {
            authId: change(authId, null),
            email: change(email, null),
            roles: change(["alerts:read"], []),
          },
        },
      ],
    };
  },
  grantFacilityAccess: async ({ facilityId }) => {
    const { id } = await createTestUser(gateway.prisma, {
      workspaceId,
      at: { [facilityId]: ["alerts:read"] },
    });
    const field = (facility: string, action: string) =>
      `grantFacilityAccess(facilityId: "${facility}", actions: ["${action}"], userId: "${id}") { actions }`;
    return {
      valid: field(facilityId, "cameras:read"),
      missing: field(unknownId, "cameras:read"),
      invalid: field(facilityId, "root"),
      entries: () => [
        {
          targetType: "FacilityAccess",
          targetId: id,
          facilityId,
          changes: { actions: change(["alerts:read"], ["alerts:read", "cameras:read"]) },
        },
      ],
    };
  },
  removeFacilityAccess: async ({ facilityId }) => {
    const { id } = await createTestUser(gateway.prisma, {
      workspaceId,
      at: { [facilityId]: ["alerts:read"] },
    });
    const field = (facility: string, action: string) =>
      `removeFacilityAccess(facilityId: "${facility}", actions: ["${action}"], userId: "${id}") { actions }`;
    return {
      valid: field(facilityId, "alerts:read"),
      missing: field(unknownId, "alerts:read"),
      invalid: field(facilityId, "root"),
      entries: () => [
        {
          targetType: "FacilityAccess",
          targetId: id,
          facilityId,
          changes: { actions: change(["alerts:read"], []) },
        },
      ],
    };
  },
  createAlertRule: ({ cameraId, facilityId }) => {
    const field = (id: string, severity: string) =>
      `createAlertRule(cameraId: "${id}", input: { name: "RULE", severity: "${severity}", group: ${tree}, apiNotification: { url: "https://hook.example/", secret: "notification-word" } }) { id }`;
    return {
      valid: field(cameraId, "HIGH"),
      missing: field(unknownId, "HIGH"),
      invalid: field(cameraId, " "),
      entries: ({ id }) => [
        {
          targetType: "AlertRule",
          targetId: id,
          facilityId,
          changes: expect.objectContaining({
            name: change(null, "RULE"),
            severity: change(null, "HIGH"),
            notificationUrl: change(null, "https://hook.example"),
          }),
        },
      ],
    };
  },
  updateAlertRule: async ({ ruleId, facilityId }) => {
    await gateway.prisma.alertRule.updateMany({
      where: { id: ruleId },
      data: { notificationUrl: "https://hook.example/" },
    });
    const field = (id: string, severity: string) =>
      `updateAlertRule(id: "${id}", input: { severity: "${severity}", apiNotification: { url: "https://hook.example/", secret: "notification-word" } }) { id }`;
    return {
      valid: field(ruleId, "HIGH"),
      missing: field(unknownId, "HIGH"),
      invalid: field(ruleId, " "),
      entries: () => [
        {
          targetType: "AlertRule",
          targetId: ruleId,
          facilityId,
          changes: {
            severity: change("MEDIUM", "HIGH"),
            notificationEnabled: change(false, true),
            notificationSecret: expect.anything(),
          },
        },
      ],
    };
  },
  deleteAlertRule: ({ ruleId, facilityId }) => ({
    valid: `deleteAlertRule(id: "${ruleId}") { id }`,
    missing: `deleteAlertRule(id: "${unknownId}") { id }`,
    invalid: 'deleteAlertRule(id: "rule") { id }',
    entries: () => [
      {
        targetType: "AlertRule",
        targetId: ruleId,
        facilityId,
        changes: { name: change("STATIC_DELIMITATION_AREA", null) },
      },
    ],
  }),
  snoozeCamera: ({ cameraId, facilityId }) => snoozeCase("snoozeCamera", "Camera", cameraId, facilityId),
  snoozeAlertRule: ({ ruleId, facilityId }) => snoozeCase("snoozeAlertRule", "AlertRule", ruleId, facilityId),
  setAlertBookmark: ({ alertIds: [id], facilityId }) => ({
    valid: `setAlertBookmark(id: "${id}", bookmark: true) { id }`,
    missing: `setAlertBookmark(id: "${unknownId}", bookmark: true) { id }`,
    invalid: 'setAlertBookmark(id: "alert", bookmark: true) { id }',
    entries: () => [
      { targetType: "Alert", targetId: id, facilityId, changes: { bookmark: change(false, true) } },
    ],
  }),
  setAlertFalsePositive: ({ alertIds: [id], facilityId }) => ({
    valid: `setAlertFalsePositive(id: "${id}", falsePositive: true) { id }`,
    missing: `setAlertFalsePositive(id: "${unknownId}", falsePositive: true) { id }`,
    invalid: 'setAlertFalsePositive(id: "alert", falsePositive: true) { id }',
    entries: () => [
      { targetType: "Alert", targetId: id, facilityId, changes: { falsePositive: change(false, true) } },
    ],
  }),
  markAlerts: async ({ alertIds, facilityId }) => {
    const [marked, ...others] = alertIds as [string, ...string[]];
    await gateway.prisma.alert.updateMany({ where: { id: marked }, data: { bookmark: true } });
    const field = (ids: string[], marks: string) =>
      `markAlerts(ids: ${JSON.stringify(ids)}, marks: { ${marks} }) { alerts { id } }`;
    const entry = { targetType: "Alert", facilityId };
    return {
      valid: field(alertIds, "bookmark: true, acknowledged: true, falsePositive: false"),
      missing: field([...alertIds, unknownId], "acknowledged: true"),
      invalid: field(alertIds, "acknowledged: null"),
      entries: () => [
        { ...entry, targetId: marked, changes: { acknowledged: change(false, true) } },
        ...others.map((targetId) => ({
          ...entry,
          targetId,
          changes: { bookmark: change(false, true), acknowledged: change(false, true) },
        })),
      ],
    };
  },
  commentAlert: ({ alertIds: [alertId], facilityId }) => ({
    valid: `commentAlert(id: "${alertId}", text: "A cat") { id }`,
    missing: `commentAlert(id: "${unknownId}", text: "A cat") { id }`,
    invalid: `commentAlert(id: "${alertId}", text: " ") { id }`,
    entries: ({ id }) => [
      {
        targetType: "AlertComment",
        targetId: id,
        facilityId,
        changes: { alertId: change(null, alertId), text: change(null, "A cat") },
      },
    ],
  }),
  editAlertComment: async ({ commentId, facilityId }) => {
    await gateway.prisma.alertComment.updateMany({
      where: { id: commentId },
      data: { authorId: admin.id },
    });
    const field = (id: string, text: string) => `editAlertComment(id: "${id}", text: "${text}") { id }`;
    return {
      valid: field(commentId, "A dog"),
      missing: field(unknownId, "A dog"),
      invalid: field(commentId, " "),
      entries: () => [
        {
          targetType: "AlertComment",
          targetId: commentId,
          facilityId,
          changes: { text: change("Seen", "A dog") },
        },
      ],
    };
  },
  deleteAlertComment: ({ commentId, alertIds: [alertId], facilityId }) => ({
    valid: `deleteAlertComment(id: "${commentId}") { id }`,
    missing: `deleteAlertComment(id: "${unknownId}") { id }`,
    invalid: 'deleteAlertComment(id: "comment") { id }',
    entries: () => [
      {
        targetType: "AlertComment",
        targetId: commentId,
        facilityId,
        changes: { alertId: change(alertId, null), text: change("Seen", null) },
      },
    ],
  }),
  deleteAlerts: ({ alertIds, facilityId }) => ({
    valid: `deleteAlerts(ids: ${JSON.stringify(alertIds)}) { deletedIds }`,
    missing: `deleteAlerts(ids: ["${alertIds[0]}", "${unknownId}"]) { deletedIds }`,
    invalid: "deleteAlerts(ids: []) { deletedIds }",
    entries: () => alertIds.map((id) => ({ targetType: "Alert", targetId: id, facilityId, changes: null })),
  }),
  recordAlerts: ({ cameraId, facilityId }) => {
    const id = randomUUID();
    const field = (camera: string, name: string) =>
      `recordAlerts(input: [{ id: "${id}", cameraId: "${camera}", name: "${name}", createdAt: "2025-11-20T12:00:00Z" }]) { recorded }`;
    return {
      valid: field(cameraId, "NO_HELMET"),
      missing: field(unknownId, "NO_HELMET"),
      invalid: field(cameraId, ""),
      entries: () => [
        {
          targetType: "Alert",
          targetId: id,
          facilityId,
          changes: { recorded: change(null, 1), cameraIds: change(null, [cameraId]) },
        },
      ],
    };
  },
  recordDetections: async ({ cameraId, facilityId, ruleId }) => {
    await gateway.prisma.alertRule.updateMany({
      where: { id: ruleId },
      data: {
        evaluated: true,
        dayRange: [0, 1, 2, 3, 4, 5, 6],
        group: { id: randomUUID(), type: "GROUP", operator: "AND", children: [] },
      },
    });
    const field = (camera: string, width: number) => {
      const frames = [1, 2].map(
        (second) =>
          `{ cameraId: "${camera}", at: "2025-11-20T09:30:0${second}Z", width: ${width}, height: 480, objects: [{ label: "person", box: { x: 1, y: 1, width: 9, height: 9 } }] }`,
      );
      return `recordDetections(input: [${frames}]) { alerts { id } }`;
    };
    return {
      valid: field(cameraId, 640),
      missing: field(unknownId, 640),
      invalid: field(cameraId, 0),
      entries: ({ alerts }) => [
        {
          targetType: "Alert",
          targetId: (alerts as { id: string }[])[0]?.id,
          facilityId,
          changes: { recorded: change(null, 1), cameraIds: change(null, [cameraId]) },
        },
      ],
    };
  },
  testAlertRule: ({ cameraId }) => {
    const field = (camera: string, width: number) =>
      `testAlertRule(cameraId: "${camera}", group: { type: "GROUP", operator: "AND", children: [{ type: "PERSON", objects: [] }] }, frames: [{ cameraId: "${camera}", at: "2025-11-20T12:00:00Z", width: ${width}, height: 360, objects: [] }]) { alerts { count } }`;
    return {
      valid: field(cameraId, 640),
      missing: field(unknownId, 640),
      invalid: field(cameraId, 0),
      entries: () => [],
    };
  },
  createAlertUpload: ({ cameraId, facilityId }) => ({
    valid: `createAlertUpload(cameraId: "${cameraId}") { uploadId }`,
    missing: `createAlertUpload(cameraId: "${unknownId}") { uploadId }`,
    invalid: 'createAlertUpload(cameraId: "gate") { uploadId }',
    entries: ({ uploadId }) => [{ targetType: "AlertUpload", targetId: uploadId, facilityId, changes: null }],
  }),
  createApiKey: ({ facilityId }) => {
    const field = (facility: string, name: string) =>
      `createApiKey(input: { name: "${name}", permissions: ["alerts:read"], facilityIds: ["${facility}"] }) { key apiKey { id } }`;
    return {
      valid: field(facilityId, "Recorder"),
      missing: field(unknownId, "Recorder"),
      invalid: field(facilityId, ""),
      entries: ({ apiKey }) => [
        {
          targetType: "ApiKey",
          targetId: (apiKey as { id: string }).id,
          facilityId: null,
          changes: {
            name: change(null, "Recorder"),
            permissions: change(null, ["alerts:read"]),
            facilityIds: change(null, [facilityId]),
          },
        },
      ],
    };
  },
  redeliver: ({ deliveryId, facilityId }) => {
    const field = (ids: string) => `redeliver(ids: [${ids}]) { id }`;
    return {
      valid: field(`"${deliveryId}"`),
      missing: field(`"${deliveryId}", "${unknownId}"`),
      invalid: field(""),
      entries: () => [
        {
          targetType: "Delivery",
          targetId: deliveryId,
          facilityId,
          changes: { state: change("SENT", "PENDING") },
        },
      ],
    };
  },
  sendTestDelivery: async ({ ruleId, facilityId }) => {
    const webhook = { notificationUrl: "http://127.0.0.1/", notificationEnabled: true };
    await gateway.prisma.alertRule.updateMany({ where: { id: ruleId }, data: webhook });
    const field = (id: string) => `sendTestDelivery(alertRuleId: "${id}") { id }`;
    return {
      valid: field(ruleId),
      missing: field(unknownId),
      invalid: field("rule"),
      entries: () => [{ targetType: "AlertRule", targetId: ruleId, facilityId, changes: null }],
    };
  },
  markMatchingAlerts: ({ cameraId, alertIds }) => {
    const field = (marks: string) =>
      `markMatchingAlerts(filter: { start: "2000-01-01T00:00:00Z", end: "2100-01-01T00:00:00Z", cameraIds: ["${cameraId}"] }, marks: { ${marks} }) { alertIds changeId }`;
    return {
      valid: field("bookmark: true"),
      invalid: field(""),
      entries: ({ changeId }) => [
        {
          targetType: "Alert",
          targetId: null,
          facilityId: null,
          changes: {
            bookmark: change(null, true),
            filter: change(null, expect.objectContaining({ cameraIds: [cameraId] })),
            changeId: change(null, changeId),
            alerts: change(null, alertIds.length),
          },
        },
      ],
    };
  },
  undoMarks: async ({ alertIds: [alertId] }) => {
    const changeId = await createMarkChange(gateway.prisma, {
      workspaceId,
      alertId: alertId as string,
      callerId: admin.id,
    });
    return {
      valid: `undoMarks(changeId: "${changeId}") { alertIds }`,
      missing: `undoMarks(changeId: "${unknownId}") { alertIds }`,
      invalid: 'undoMarks(changeId: "change") { alertIds }',
      // Only whoever made a change can undo it.
      needsPermission: false,
      entries: () => [
        {
          targetType: "Alert",
          targetId: null,
          facilityId: null,
          changes: { changeId: change(changeId, null), alerts: change(null, 0) },
        },
      ],
    };
  },
  // When somebody looked at what happened concerns nobody else.
  markSeen: () => ({
    valid: 'markSeen(at: "2026-11-20T12:00:00Z") { id }',
    invalid: 'markSeen(at: "2100-01-01T00:00:00Z") { id }',
    needsPermission: false,
    entries: () => [],
  }),
  setDigest: () => {
    const field = (timeZoneId: string, facilityIds: string[] = []) =>
      `setDigest(input: { enabled: false, timeZoneId: "${timeZoneId}", facilityIds: ${JSON.stringify(facilityIds)} }) { id }`;
    return {
      valid: field("Europe/Istanbul"),
      missing: field("Europe/Istanbul", [unknownId]),
      invalid: field("Europe/Nowhere"),
      needsPermission: false,
      entries: () => [
        {
          targetType: "User",
          targetId: admin.id,
          facilityId: null,
          changes: {
            enabled: change(null, false),
            at: change(null, "07:00"),
            timeZoneId: change(null, "Europe/Istanbul"),
            facilityIds: change(null, []),
          },
        },
      ],
    };
  },
  saveView: async () => {
    const id = await createSavedView(gateway.prisma, { workspaceId, userId: admin.id });
    const field = (id: string, name: string) =>
      `saveView(input: { id: "${id}", name: "${name}", query: "open=true" }) { id }`;
    return {
      valid: field(id, "New"),
      missing: field(unknownId, "New"),
      invalid: field(id, ""),
      needsPermission: false,
      entries: () => [
        {
          targetType: "SavedView",
          targetId: id,
          facilityId: null,
          changes: { name: change("Open", "New") },
        },
      ],
    };
  },
  deleteView: async () => {
    const id = await createSavedView(gateway.prisma, { workspaceId, userId: admin.id });
    return {
      valid: `deleteView(id: "${id}") { id }`,
      missing: `deleteView(id: "${unknownId}") { id }`,
      invalid: 'deleteView(id: "view") { id }',
      needsPermission: false,
      entries: () => [
        {
          targetType: "SavedView",
          targetId: id,
          facilityId: null,
          changes: { name: change("Open", null), query: change("open=true", null) },
        },
      ],
    };
  },
  rotateApiKey: async () => {
    const { id } = await createApiKey(gateway.prisma, { workspaceId, permissions: ["alerts:read"] });
    const field = (key: string, hours: number) =>
      `rotateApiKey(id: "${key}", keepOldHours: ${hours}) { apiKey { id } }`;
    return {
      valid: field(id, 24),
      missing: field(unknownId, 24),
      invalid: field(id, 169),
      entries: () => [
        {
          targetType: "ApiKey",
          targetId: id,
          facilityId: null,
          changes: { oldSecretUntil: change(null, expect.any(String)) },
        },
      ],
    };
  },
  updateApiKey: async () => {
    const { id } = await createApiKey(gateway.prisma, { workspaceId, permissions: ["alerts:read"] });
    const field = (key: string, name: string) =>
      `updateApiKey(id: "${key}", input: { name: "${name}", expiresAt: "2100-01-01T00:00:00.000Z" }) { id }`;
    return {
      valid: field(id, "B"),
      missing: field(unknownId, "B"),
      invalid: field(id, ""),
      entries: () => [
        {
          targetType: "ApiKey",
          targetId: id,
          facilityId: null,
          changes: { name: change("Key", "B"), expiresAt: change(null, "2100-01-01T00:00:00.000Z") },
        },
      ],
    };
  },
  reportConnector: async () => {
    const field = (name: string) =>
      `reportConnector(input: { name: "${name}", kind: MQTT, version: "1.0.0" }) { id }`;
    return {
      valid: field("yard"),
      invalid: field(""),
      key: await createApiKey(gateway.prisma, { workspaceId, permissions: [] }),
      entries: ({ id }) => [
        {
          targetType: "Connector",
          targetId: id,
          facilityId: null,
          changes: {
            name: change(null, "yard"),
            kind: change(null, "MQTT"),
            version: change(null, "1.0.0"),
          },
        },
      ],
    };
  },
  revokeApiKey: async () => {
    const { id } = await createApiKey(gateway.prisma, { workspaceId, permissions: ["alerts:read"] });
    return {
      valid: `revokeApiKey(id: "${id}") { id }`,
      missing: `revokeApiKey(id: "${unknownId}") { id }`,
      invalid: 'revokeApiKey(id: "key") { id }',
      entries: () => [{ targetType: "ApiKey", targetId: id, facilityId: null, changes: expect.any(Object) }],
    };
  },
};

/** A link that signs the administrator in. */
async function adminLink() {
  const { email } = await gateway.prisma.user.findFirstOrThrow({ where: { id: admin.id } });
  return signInLink({ kind: "user", workspaceId, id: admin.id, email });
}

async function invitationCase(mutation: string): Promise<Case> {
  const id = await createInvitation(gateway.prisma, { workspaceId });
  return {
    valid: `${mutation}(id: "${id}") { id }`,
    missing: `${mutation}(id: "${unknownId}") { id }`,
    invalid: `${mutation}(id: "invitation") { id }`,
    entries: () => [
      { targetType: "Invitation", targetId: id, facilityId: null, changes: expect.any(Object) },
    ],
  };
}

const newSite = () =>
  createCompleteFacility(gateway.prisma, {
    workspaceId,
    name: "Site",
    alerts: 2,
    newest: "2026-11-20T12:00:00Z",
  });
const entriesAfter = (existingIds: string[]) =>
  gateway.prisma.auditEntry.findMany({ where: { id: { notIn: existingIds } }, orderBy: { targetId: "asc" } });
const existingIds = async () =>
  (await gateway.prisma.auditEntry.findMany({ select: { id: true } })).map(({ id }) => id);
function send(field: string, as: Sender) {
  type Result = Record<string, Record<string, unknown>>;
  if (!field.includes("$image")) return gateway.graphql<Result>(`mutation { ${field} }`, { as });
  const query = `mutation ($image: Upload!) { ${field} }`;
  return gateway.upload<Result>({ query, variables: {}, variable: "image", file: plainPng() }, { as });
}

/** Who sends a mutation, who may not, and whom the entries name. */
function sendersOf({ as = admin.as, key, isFromFeedServer }: Pick<Case, "as" | "key" | "isFromFeedServer">) {
  if (isFromFeedServer)
    return { as: "nobody" as const, refused: reader.as, actor: { actorId: null, actorKind: "FEED_SERVER" } };
  if (key) return { as: key, refused: admin.as, actor: { actorId: key.id, actorKind: "API_KEY" } };
  return { as, refused: reader.as, actor: { actorId: admin.id, actorKind: "USER" } };
}

/** Whether the console says in each language what an action is. */
const isInWords = (action: string): boolean =>
  [english, german].every(({ actions }) => Object.hasOwn(actions, action));

it("has a case for every mutation", () => {
  expect(Object.keys(cases).toSorted()).toEqual(
    Object.keys(schema.getMutationType()?.getFields() ?? {}).toSorted(),
  );
});

describe.each(Object.entries(cases))("%s", (mutation, makeCase) => {
  it("writes no entry when rejected, and on success entries with actor, action, target, facility, and changed fields", async () => {
    const {
      valid,
      missing,
      invalid,
      entries,
      needsPermission = true,
      refusedAs,
      ...sent
    } = await makeCase(await newSite());
    const { as, refused, actor } = sendersOf(sent);
    const before = await existingIds();
    const codes = async (field: string, as: Sender) =>
      (await send(field, as)).errors?.map(({ extensions }) => extensions.code);
    // An invalid id literal makes the document itself invalid.
    expect(["BAD_REQUEST", "GRAPHQL_VALIDATION_FAILED"]).toContain((await codes(invalid, admin.as))?.[0]);
    if (missing) expect(await codes(missing, admin.as)).toEqual(["NOT_FOUND"]);
    if (needsPermission) expect(await codes(valid, refused)).toEqual(["FORBIDDEN"]);
    if (as !== "nobody") expect(await codes(valid, "nobody")).toEqual(["UNAUTHENTICATED"]);
    expect(await entriesAfter(before)).toEqual([]);
    const { data, errors } = await send(valid, as);
    expect(errors?.[0]?.extensions.code).toBe(refusedAs);
    const expected = entries((data?.[mutation] ?? {}) as Record<string, unknown>).toSorted((a, b) =>
      String(a.targetId).localeCompare(String(b.targetId)),
    );
    const common = {
      ...{ id: uuid, workspaceId, ...actor, action: mutation, createdAt: expect.any(Date) },
      ...{ via: "GRAPHQL", client: "node" },
    };
    const written = await entriesAfter(before);
    expect(written).toEqual(expected.map((entry) => ({ ...common, ...entry })));
    expect(written.filter(({ action }) => !isInWords(action))).toEqual([]);
    const changed = written.flatMap(({ changes }) => Object.entries(changes ?? {}));
    for (const [name, value] of changed)
      expect(Object.keys(value as object).toSorted(), name).toEqual(["from", "to"]);
  });
});

it("records an API key as the actor", async () => {
  const { facilityId } = await newSite();
  const key = await createApiKey(gateway.prisma, { workspaceId, permissions: ["facilities:read"] });
  const before = await existingIds();
  await send(`renameFacility(id: "${facilityId}", name: "By a key") { id }`, key);
  expect(await entriesAfter(before)).toMatchObject([
    { actorId: key.id, actorKind: "API_KEY", action: "renameFacility" },
  ]);
});

describe("an entry says by which way a change came, and what the client called itself", () => {
  const rename = (facilityId: string) =>
    `mutation { renameFacility(id: "${facilityId}", name: "Sent") { id } }`;

  it.each<[client: string, headers: Record<string, string>, entry: object]>([
    ["has a name", { "apollographql-client-name": "dashboard" }, { via: "GRAPHQL", client: "dashboard" }],
    ["has an empty name", { "apollographql-client-name": "" }, { via: "GRAPHQL", client: "node" }],
    [
      "calls itself a connector",
      { "apollographql-client-name": "connector-frigate" },
      { via: "CONNECTOR", client: "connector-frigate" },
    ],
    ["has a long name", { "user-agent": "x".repeat(200) }, { via: "GRAPHQL", client: "x".repeat(100) }],
    ["has a name with tabs", { "user-agent": "a\tb" }, { via: "GRAPHQL", client: "a b" }],
  ])("if it %s", async (_client, headers, entry) => {
    const { facilityId } = await newSite();
    const before = await existingIds();
    await gateway.graphql(rename(facilityId), { ...admin, headers });
    expect(await entriesAfter(before)).toMatchObject([{ action: "renameFacility", ...entry }]);
  });

  it("if it uses REST", async () => {
    const { cameraId } = await newSite();
    const before = await existingIds();
    const response = await gateway.fetch(`/cameras/${cameraId}`, {
      as: admin.as,
      method: "PATCH",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ name: "Sent" }),
    });
    expect(response.status).toBe(200);
    expect(await entriesAfter(before)).toMatchObject([{ via: "REST", client: "node" }]);
  });
});

it("records a password-only change without revealing the password", async () => {
  const { cameraId } = await newSite();
  await gateway.prisma.camera.updateMany({
    where: { id: cameraId },
    data: { url: "rtsp://admin:camera-word@10.0.0.1/" },
  });
  const before = await existingIds();
  await send(
    `updateCamera(id: "${cameraId}", input: { url: "rtsp://admin:other-word@10.0.0.1/" }) { id }`,
    admin.as,
  );
  const masked = "rtsp://***@10.0.0.1/";
  expect(await entriesAfter(before)).toMatchObject([{ changes: { url: change(masked, masked) } }]);
});

it("records a changed webhook by its origin, also if that stays the same", async () => {
  const { ruleId } = await newSite();
  await gateway.prisma.alertRule.updateMany({
    where: { id: ruleId },
    data: { notificationUrl: "https://hook.example/1" },
  });
  const before = await existingIds();
  await send(
    `updateAlertRule(id: "${ruleId}", input: { apiNotification: { url: "https://hook.example/2", enabled: false } }) { id }`,
    admin.as,
  );
  const origin = "https://hook.example";
  expect(await entriesAfter(before)).toMatchObject([
    { changes: { notificationUrl: change(origin, origin) } },
  ]);
});

it("records no actor id for a stream report, whatever credentials it carries", async () => {
  const { valid } = await (cases.recordStreamThumbnail as (site: CompleteFacility) => Promise<Case>)(
    await newSite(),
  );
  const before = await existingIds();
  await send(valid, admin.as);
  expect(await entriesAfter(before)).toMatchObject([
    { actorId: null, actorKind: "FEED_SERVER", action: "recordStreamThumbnail" },
  ]);
});

it("writes no entry for a mark that changes nothing", async () => {
  const { alertIds } = await newSite();
  const before = await existingIds();
  await send(`setAlertBookmark(id: "${alertIds[0]}", bookmark: false) { id }`, admin.as);
  expect(await entriesAfter(before)).toEqual([]);
});

it("stores no secrets: no passwords, notification or key secrets, or requestIds", async () => {
  const { facilityId, cameraId } = await newSite();
  const { data } = await gateway.graphql<{
    a: { key: string };
    b: { requestId: string };
    c: { requestId: string };
  }>(
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
  const leaked = [...secrets, data.a.key.split("_")[2] as string, data.b.requestId, data.c.requestId].filter(
    (secret) => table.includes(secret),
  );
  expect(leaked).toEqual([]);
});
