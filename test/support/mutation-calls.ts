import { randomUUID } from "node:crypto";
import type { PrismaClient } from "../../src/generated/prisma/client.js";
import {
  createAlertComment,
  createAlertRule,
  createApiKey,
  createDelivery,
  createInvitation,
  createMarkChange,
  createSavedView,
} from "./factories.js";
import type { Sender } from "./harness.js";
import type { Call } from "./test-user.js";
import type { TestWorkspace } from "./test-workspace.js";

const group = {
  type: "GROUP",
  operator: "AND",
  children: [{ type: "STATIC_DELIMITATION_AREA", objects: ["PERSON"] }],
};

/**
 * Makes a valid call of a mutation in a workspace; each workspace takes each call once.
 */
type MakeCall = (workspace: TestWorkspace) => Call;

/** The administrator who sends a mutation: as an API key where it takes one. */
export const senderOf = (mutation: string, { admin }: TestWorkspace): Sender =>
  mutation === "reportConnector" ? admin.key : admin.user;

/** Rows besides the workspace itself, for the mutations that need them. */
export interface Prepared {
  /** A rule of the camera that is evaluated, every day, on whatever is in view. */
  ruleId: string;
  commentId: string;
  deliveryId: string;
  apiKeyId: string;
  viewId: string;
  invitationId: string;
  changeId: string;
}

/** What a gateway needs to send text messages, to a provider that does not answer. */
export const unansweredMessages = {
  TWILIO_ACCOUNT_SID: "AC0",
  TWILIO_AUTH_TOKEN: "token",
  TWILIO_FROM: "+12025550123",
  TWILIO_URL: "http://127.0.0.1:1",
};

/**
 * Makes these rows. The delivery stays where {@link unansweredMessages} are set: the rule
 * wants it, and nobody takes it.
 */
export async function prepareCalls(prisma: PrismaClient, { ids, adminId }: TestWorkspace): Promise<Prepared> {
  const { workspaceId, facilityId, cameraId, alertId } = ids;
  const target = "+905321234567";
  const ruleId = await createAlertRule(prisma, {
    ...{ workspaceId, cameraId, phoneNumbers: [target] },
    ...{ evaluated: true, dayRange: [0, 1, 2, 3, 4, 5, 6] },
  });
  return {
    ruleId,
    commentId: await createAlertComment(prisma, {
      ...{ workspaceId, facilityId, cameraId, alertId, authorId: adminId },
    }),
    deliveryId: await createDelivery(prisma, {
      ...{ workspaceId, facilityId, cameraId, alertId, alertRuleId: ruleId },
      ...{ channel: "SMS", target, expiresAt: new Date("2100-01-01") },
    }),
    apiKeyId: (await createApiKey(prisma, { workspaceId, permissions: ["alerts:read"] })).id,
    viewId: await createSavedView(prisma, { workspaceId, userId: adminId }),
    invitationId: await createInvitation(prisma, { workspaceId }),
    changeId: await createMarkChange(prisma, { workspaceId, alertId, callerId: adminId }),
  };
}

/** The fields of mutations without variables, by their names. */
const withoutVariables = {
  createApiKey:
    'createApiKey(input: { name: "Made", permissions: ["alerts:read"] }) { key apiKey { id name } }',
  createFacility: 'createFacility(input: { name: "Made", timeZoneId: "Europe/Berlin" }) { id name }',
  markMatchingAlerts: `markMatchingAlerts(
        filter: { start: "2000-01-01T00:00:00Z", end: "2100-01-01T00:00:00Z" }, marks: { bookmark: true }
      ) { alertIds changeId }`,
  markSeen: 'markSeen(at: "2026-11-20T12:00:00Z") { id seenAt }',
  reportConnector:
    'reportConnector(input: { name: "yard", kind: OTHER, version: "1.0.0" }) { id name lastReportedAt }',
  saveView: 'saveView(input: { name: "Made", query: "open=true" }) { savedViews { id name } }',
  setDigest:
    'setDigest(input: { enabled: false, timeZoneId: "Europe/Istanbul" }) { id digest { enabled at } }',
  signOutEverywhere: "signOutEverywhere",
  updateMe:
    'updateMe(input: { firstName: "Grace", lastName: "Hopper", jobTitle: "Admiral" }) { id fullName }',
  updateMyLocale: 'updateMyLocale(locale: "de-AT") { id locale }',
  updateMyPhoneNumber: 'updateMyPhoneNumber(input: { phoneNumber: "0532 123 45 67", region: "TR" }) { id }',
  updateWorkspace: 'updateWorkspace(input: { name: "Made" }) { id name }',
};

/** The fields of mutations whose only variable is an id, and what it is the id of. */
const ofId: Record<string, [field: string, id: string]> = {
  commentAlert: ['commentAlert(id: $id, text: "Seen") { id text }', "alertId"],
  createAlertUpload: ["createAlertUpload(cameraId: $id) { uploadId url }", "cameraId"],
  createCamera: [
    'createCamera(facilityId: $id, input: { name: "Made", url: "rtsp://camera.example/1", streamType: DIRECT }) { camera { id name } requestId streamRequest { id } }',
    "facilityId",
  ],
  deleteAlertComment: ["deleteAlertComment(id: $id) { id }", "commentId"],
  deleteAlertRule: ["deleteAlertRule(id: $id) { id name }", "ruleId"],
  deleteAlerts: ["deleteAlerts(ids: [$id]) { deletedIds }", "alertId"],
  deleteCamera: ["deleteCamera(id: $id) { id name state openAlertCount }", "cameraId"],
  deleteFacility: ["deleteFacility(id: $id) { id name cameraCount openAlertCount }", "facilityId"],
  markAlerts: ["markAlerts(ids: [$id], marks: { acknowledged: true }) { alerts { id } }", "alertId"],
  recordHeartbeat: ["recordHeartbeat(facilityId: $id) { id online }", "facilityId"],
  recordStreamError: [
    'recordStreamError(requestId: $id, input: { operation: "open", error: "refused" }) { id }',
    "requestId",
  ],
  recordStreamThumbnail: [
    'recordStreamThumbnail(requestId: $id, input: { url: "https://feed.example/1.jpg" }) { id }',
    "requestId",
  ],
  recordStreamMetadata: [
    'recordStreamMetadata(requestId: $id, input: { width: "1280", height: "720" }) { id }',
    "requestId",
  ],
  deleteView: ["deleteView(id: $id) { id }", "viewId"],
  editAlertComment: ['editAlertComment(id: $id, text: "Made") { id text }', "commentId"],
  redeliver: ["redeliver(ids: [$id]) { id }", "deliveryId"],
  removeUser: ["removeUser(userId: $id) { id }", "memberId"],
  renameFacility: ['renameFacility(id: $id, name: "Made") { id name }', "facilityId"],
  requestStreamProbe: ["requestStreamProbe(cameraId: $id) { requestId streamRequest { id } }", "cameraId"],
  resendInvitation: ["resendInvitation(id: $id) { id expiresAt }", "invitationId"],
  revokeInvitation: ["revokeInvitation(id: $id) { id revokedAt }", "invitationId"],
  revokeApiKey: ["revokeApiKey(id: $id) { id }", "apiKeyId"],
  rotateApiKey: ["rotateApiKey(id: $id) { key apiKey { id name } }", "apiKeyId"],
  sendTestDelivery: ["sendTestDelivery(alertRuleId: $id) { id }", "ruleId"],
  setAlertBookmark: ["setAlertBookmark(id: $id, bookmark: true) { id bookmark }", "alertId"],
  setAlertFalsePositive: ["setAlertFalsePositive(id: $id, falsePositive: true) { id }", "alertId"],
  setCameraStatusDetail: [
    'setCameraStatusDetail(id: $id, input: { statusDetail: "DIRTY", source: TRACKER }) { id statusDetail }',
    "cameraId",
  ],
  setUserRoles: ['setUserRoles(userId: $id, roles: ["alerts:read"]) { id roles }', "memberId"],
  undoMarks: ["undoMarks(changeId: $id) { alertIds }", "changeId"],
  updateAlertRule: ['updateAlertRule(id: $id, input: { severity: "HIGH" }) { id severity }', "ruleId"],
  updateApiKey: ['updateApiKey(id: $id, input: { name: "Made" }) { id name }', "apiKeyId"],
  updateCamera: ['updateCamera(id: $id, input: { url: "rtsp://camera.example/2" }) { id url }', "cameraId"],
  updateFacility: [
    'updateFacility(id: $id, input: { timeZoneId: "Asia/Tokyo" }) { id timeZoneId }',
    "facilityId",
  ],
  updateUser: ['updateUser(id: $id, input: { firstName: "Grace" }) { id firstName }', "memberId"],
};

/** A valid call of each mutation that takes no file, by its name. */
export function mutationCalls(prepared: Prepared): Record<string, MakeCall> {
  const simple = Object.entries(withoutVariables).map(([name, field]): [string, MakeCall] => [
    name,
    () => [`mutation { ${field} }`, {}],
  ]);
  const byId = Object.entries(ofId).map(([name, [field, key]]): [string, MakeCall] => [
    name,
    ({ ids, memberId }) => {
      const known: Record<string, string> = { ...ids, ...prepared, memberId };
      return [`mutation ($id: UUID!) { ${field} }`, { id: known[key] }];
    },
  ]);
  return {
    ...Object.fromEntries([...simple, ...byId]),
    createAlertRule: ({ ids }) => [
      'mutation ($id: UUID!, $group: JSONObject!) { createAlertRule(cameraId: $id, input: { name: "STATIC_DELIMITATION_AREA", severity: "LOW", group: $group }) { id name } }',
      { id: ids.cameraId, group },
    ],
    createUser: () => [
      `mutation ($authId: String!) { createUser(input: { authId: $authId, email: "made@test.example", roles: ["alerts:read"] }) { id email } }`,
      { authId: `made|${randomUUID()}` },
    ],
    grantFacilityAccess: ({ ids, memberId }) => [
      `mutation ($id: UUID!, $user: UUID!) { grantFacilityAccess(facilityId: $id, userId: $user, actions: ["alerts:read"]) { actions user { id } } }`,
      { id: ids.facilityId, user: memberId },
    ],
    inviteUser: () => [
      `mutation ($email: String!) { inviteUser(input: { email: $email, roles: ["alerts:read"] }) { id email url } }`,
      { email: `made-${randomUUID()}@test.example` },
    ],
    recordAlerts: ({ ids }) => [
      `mutation ($id: UUID!, $camera: UUID!) {
        recordAlerts(input: [{ id: $id, cameraId: $camera, name: "ALERT", createdAt: "2025-11-20T09:30:00Z" }]) { recorded alreadyRecorded alerts { id } }
      }`,
      { id: randomUUID(), camera: ids.cameraId },
    ],
    // Somebody in view for a second, which raises an alert.
    recordDetections: ({ ids }) => [
      `mutation ($input: [DetectionFrameInput!]!) { recordDetections(input: $input) { processed dropped alerts { id } } }`,
      {
        input: [1, 2].map((second) => ({
          cameraId: ids.cameraId,
          at: `2025-11-20T09:30:0${second}Z`,
          width: 640,
          height: 480,
          objects: [{ label: "person", box: { x: 10, y: 10, width: 10, height: 10 } }],
        })),
      },
    ],
    removeFacilityAccess: ({ ids, localId }) => [
      `mutation ($id: UUID!, $user: UUID!) { removeFacilityAccess(facilityId: $id, userId: $user, actions: ["alerts:read"]) { actions } }`,
      { id: ids.facilityId, user: localId },
    ],
    snoozeAlertRule: () => [
      "mutation ($id: UUID!, $until: DateTimeISO!) { snoozeAlertRule(id: $id, until: $until) { id snoozedUntil } }",
      { id: prepared.ruleId, until: new Date(Date.now() + 86_400_000).toISOString() },
    ],
    snoozeCamera: ({ ids }) => [
      "mutation ($id: UUID!, $until: DateTimeISO!) { snoozeCamera(id: $id, until: $until) { id snoozedUntil } }",
      { id: ids.cameraId, until: new Date(Date.now() + 86_400_000).toISOString() },
    ],
    testAlertRule: ({ ids }) => [
      `mutation ($id: UUID!, $group: JSONObject!) {
        testAlertRule(cameraId: $id, group: $group, frames: [{ cameraId: $id, at: "2026-11-20T09:30:00Z", width: 640, height: 360, objects: [] }]) { alerts { count } }
      }`,
      { id: ids.cameraId, group },
    ],
  };
}
