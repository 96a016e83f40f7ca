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

/** A valid call of each mutation that takes no file, by its name. */
export function mutationCalls(prepared: Prepared): Record<string, MakeCall> {
  const { ruleId, commentId, deliveryId, apiKeyId, viewId, invitationId, changeId } = prepared;
  return {
    commentAlert: ({ ids }) => [
      `mutation ($id: UUID!) { commentAlert(id: $id, text: "Seen") { id text } }`,
      { id: ids.alertId },
    ],
    createAlertRule: ({ ids }) => [
      'mutation ($id: UUID!, $group: JSONObject!) { createAlertRule(cameraId: $id, input: { name: "STATIC_DELIMITATION_AREA", severity: "LOW", group: $group }) { id name } }',
      { id: ids.cameraId, group },
    ],
    createAlertUpload: ({ ids }) => [
      "mutation ($id: UUID!) { createAlertUpload(cameraId: $id) { uploadId url } }",
      { id: ids.cameraId },
    ],
    createApiKey: () => [
      `mutation { createApiKey(input: { name: "Made", permissions: ["alerts:read"] }) { key apiKey { id name } } }`,
      {},
    ],
    createCamera: ({ ids }) => [
      `mutation ($id: UUID!) {
        createCamera(facilityId: $id, input: { name: "Made", url: "rtsp://camera.example/1", streamType: DIRECT }) { camera { id name } requestId streamRequest { id } }
      }`,
      { id: ids.facilityId },
    ],
    createFacility: () => [
      `mutation { createFacility(input: { name: "Made", timeZoneId: "Europe/Berlin" }) { id name } }`,
      {},
    ],
    createUser: () => [
      `mutation ($authId: String!) { createUser(input: { authId: $authId, email: "made@test.example", roles: ["alerts:read"] }) { id email } }`,
      { authId: `made|${randomUUID()}` },
    ],
    deleteAlertComment: () => [
      "mutation ($id: UUID!) { deleteAlertComment(id: $id) { id } }",
      { id: commentId },
    ],
    deleteAlertRule: () => ["mutation ($id: UUID!) { deleteAlertRule(id: $id) { id name } }", { id: ruleId }],
    deleteAlerts: ({ ids }) => [
      "mutation ($id: UUID!) { deleteAlerts(ids: [$id]) { deletedIds } }",
      { id: ids.alertId },
    ],
    deleteCamera: ({ ids }) => [
      "mutation ($id: UUID!) { deleteCamera(id: $id) { id name state openAlertCount } }",
      { id: ids.cameraId },
    ],
    deleteFacility: ({ ids }) => [
      "mutation ($id: UUID!) { deleteFacility(id: $id) { id name cameraCount openAlertCount } }",
      { id: ids.facilityId },
    ],
    grantFacilityAccess: ({ ids, memberId }) => [
      `mutation ($id: UUID!, $user: UUID!) { grantFacilityAccess(facilityId: $id, userId: $user, actions: ["alerts:read"]) { actions user { id } } }`,
      { id: ids.facilityId, user: memberId },
    ],
    inviteUser: () => [
      `mutation ($email: String!) { inviteUser(input: { email: $email, roles: ["alerts:read"] }) { id email url } }`,
      { email: `made-${randomUUID()}@test.example` },
    ],
    markAlerts: ({ ids }) => [
      "mutation ($id: UUID!) { markAlerts(ids: [$id], marks: { acknowledged: true }) { alerts { id } } }",
      { id: ids.alertId },
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
    recordHeartbeat: ({ ids }) => [
      "mutation ($id: UUID!) { recordHeartbeat(facilityId: $id) { id online } }",
      { id: ids.facilityId },
    ],
    recordStreamError: ({ ids }) => [
      `mutation ($id: UUID!) { recordStreamError(requestId: $id, input: { operation: "open", error: "refused" }) { id } }`,
      { id: ids.requestId },
    ],
    recordStreamMetadata: ({ ids }) => [
      "mutation ($id: UUID!, $input: StreamMetadataInput!) { recordStreamMetadata(requestId: $id, input: $input) { id } }",
      { id: ids.requestId, input: { width: "1280", height: "720" } },
    ],
    recordStreamThumbnail: ({ ids }) => [
      `mutation ($id: UUID!) { recordStreamThumbnail(requestId: $id, input: { url: "https://feed.example/1.jpg" }) { id } }`,
      { id: ids.requestId },
    ],
    deleteView: () => ["mutation ($id: UUID!) { deleteView(id: $id) { id } }", { id: viewId }],
    editAlertComment: () => [
      `mutation ($id: UUID!) { editAlertComment(id: $id, text: "Made") { id text } }`,
      { id: commentId },
    ],
    markMatchingAlerts: () => [
      `mutation { markMatchingAlerts(
        filter: { start: "2000-01-01T00:00:00Z", end: "2100-01-01T00:00:00Z" }, marks: { bookmark: true }
      ) { alertIds changeId } }`,
      {},
    ],
    markSeen: () => [`mutation { markSeen(at: "2026-11-20T12:00:00Z") { id seenAt } }`, {}],
    redeliver: () => ["mutation ($id: UUID!) { redeliver(ids: [$id]) { id } }", { id: deliveryId }],
    removeFacilityAccess: ({ ids, localId }) => [
      `mutation ($id: UUID!, $user: UUID!) { removeFacilityAccess(facilityId: $id, userId: $user, actions: ["alerts:read"]) { actions } }`,
      { id: ids.facilityId, user: localId },
    ],
    removeUser: ({ memberId }) => [
      "mutation ($id: UUID!) { removeUser(userId: $id) { id } }",
      { id: memberId },
    ],
    renameFacility: ({ ids }) => [
      `mutation ($id: UUID!) { renameFacility(id: $id, name: "Made") { id name } }`,
      { id: ids.facilityId },
    ],
    reportConnector: () => [
      `mutation { reportConnector(input: { name: "yard", kind: OTHER, version: "1.0.0" }) { id name lastReportedAt } }`,
      {},
    ],
    requestStreamProbe: ({ ids }) => [
      "mutation ($id: UUID!) { requestStreamProbe(cameraId: $id) { requestId streamRequest { id } } }",
      { id: ids.cameraId },
    ],
    resendInvitation: () => [
      "mutation ($id: UUID!) { resendInvitation(id: $id) { id expiresAt } }",
      { id: invitationId },
    ],
    revokeInvitation: () => [
      "mutation ($id: UUID!) { revokeInvitation(id: $id) { id revokedAt } }",
      { id: invitationId },
    ],
    revokeApiKey: () => ["mutation ($id: UUID!) { revokeApiKey(id: $id) { id } }", { id: apiKeyId }],
    rotateApiKey: () => [
      "mutation ($id: UUID!) { rotateApiKey(id: $id) { key apiKey { id name } } }",
      { id: apiKeyId },
    ],
    saveView: () => [
      `mutation { saveView(input: { name: "Made", query: "open=true" }) { savedViews { id name } } }`,
      {},
    ],
    sendTestDelivery: () => [
      "mutation ($id: UUID!) { sendTestDelivery(alertRuleId: $id) { id } }",
      { id: ruleId },
    ],
    setAlertBookmark: ({ ids }) => [
      "mutation ($id: UUID!) { setAlertBookmark(id: $id, bookmark: true) { id bookmark } }",
      { id: ids.alertId },
    ],
    setAlertFalsePositive: ({ ids }) => [
      "mutation ($id: UUID!) { setAlertFalsePositive(id: $id, falsePositive: true) { id } }",
      { id: ids.alertId },
    ],
    setDigest: () => [
      `mutation { setDigest(input: { enabled: false, timeZoneId: "Europe/Istanbul" }) { id digest { enabled at } } }`,
      {},
    ],
    setCameraStatusDetail: ({ ids }) => [
      `mutation ($id: UUID!) { setCameraStatusDetail(id: $id, input: { statusDetail: "DIRTY", source: TRACKER }) { id statusDetail } }`,
      { id: ids.cameraId },
    ],
    setUserRoles: ({ memberId }) => [
      `mutation ($id: UUID!) { setUserRoles(userId: $id, roles: ["alerts:read"]) { id roles } }`,
      { id: memberId },
    ],
    snoozeAlertRule: () => [
      "mutation ($id: UUID!, $until: DateTimeISO!) { snoozeAlertRule(id: $id, until: $until) { id snoozedUntil } }",
      { id: ruleId, until: new Date(Date.now() + 86_400_000).toISOString() },
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
    undoMarks: () => ["mutation ($id: UUID!) { undoMarks(changeId: $id) { alertIds } }", { id: changeId }],
    signOutEverywhere: () => ["mutation { signOutEverywhere }", {}],
    updateAlertRule: () => [
      'mutation ($id: UUID!) { updateAlertRule(id: $id, input: { severity: "HIGH" }) { id severity } }',
      { id: ruleId },
    ],
    updateApiKey: () => [
      `mutation ($id: UUID!) { updateApiKey(id: $id, input: { name: "Made" }) { id name } }`,
      { id: apiKeyId },
    ],
    updateCamera: ({ ids }) => [
      `mutation ($id: UUID!) { updateCamera(id: $id, input: { url: "rtsp://camera.example/2" }) { id url } }`,
      { id: ids.cameraId },
    ],
    updateFacility: ({ ids }) => [
      `mutation ($id: UUID!) { updateFacility(id: $id, input: { timeZoneId: "Asia/Tokyo" }) { id timeZoneId } }`,
      { id: ids.facilityId },
    ],
    updateMe: () => [
      `mutation { updateMe(input: { firstName: "Grace", lastName: "Hopper", jobTitle: "Admiral" }) { id fullName } }`,
      {},
    ],
    updateMyLocale: () => [`mutation { updateMyLocale(locale: "de-AT") { id locale } }`, {}],
    updateMyPhoneNumber: () => [
      `mutation { updateMyPhoneNumber(input: { phoneNumber: "0532 123 45 67", region: "TR" }) { id } }`,
      {},
    ],
    updateWorkspace: () => [`mutation { updateWorkspace(input: { name: "Made" }) { id name } }`, {}],
    updateUser: ({ memberId }) => [
      'mutation ($id: UUID!) { updateUser(id: $id, input: { firstName: "Grace" }) { id firstName } }',
      { id: memberId },
    ],
  };
}
