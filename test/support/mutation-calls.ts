import { randomUUID } from "node:crypto";
import type { PrismaClient } from "../../src/generated/prisma/client.js";
import {
  createAlertComment,
  createAlertRule,
  createApiKey,
  createCamera,
  createDelivery,
  createInvitation,
  createMarkChange,
  createSavedView,
  createSession,
} from "./factories.js";
import type { Call, Sender } from "./harness.js";
import type { MadeRow, TestWorkspace } from "./test-workspace.js";

const group = {
  type: "GROUP",
  operator: "AND",
  children: [{ type: "STATIC_DELIMITATION_AREA", objects: ["PERSON"] }],
};

/** The administrator who sends a mutation: as an API key where it takes one. */
export const senderOf = (mutation: string, { admin }: TestWorkspace): Sender =>
  mutation === "reportConnector" ? admin.key : admin.user;

/** What a gateway needs to send text messages, to a provider that does not answer. */
export const unansweredMessages = {
  TWILIO_ACCOUNT_SID: "AC0",
  TWILIO_AUTH_TOKEN: "token",
  TWILIO_FROM: "+12025550123",
  TWILIO_URL: "http://127.0.0.1:1",
};

type MakeRow = (prisma: PrismaClient, workspace: TestWorkspace) => Promise<string>;

/** Makes what some mutations need besides the workspace itself. */
const makers: Record<MadeRow, MakeRow> = {
  // Evaluated, every day, on whatever is in view.
  ruleId: (prisma, { ids: { workspaceId, cameraId } }) =>
    createAlertRule(prisma, {
      ...{ workspaceId, cameraId, phoneNumbers: ["+905321234567"] },
      ...{ evaluated: true, dayRange: [0, 1, 2, 3, 4, 5, 6] },
    }),
  commentId: (prisma, { ids: { requestId, ...place }, adminId: authorId }) =>
    createAlertComment(prisma, { ...place, authorId }),
  // It stays where unansweredMessages are set: the rule wants it, and nobody takes it.
  deliveryId: async (prisma, workspace) => {
    const { requestId, ...place } = workspace.ids;
    return createDelivery(prisma, {
      ...{ ...place, alertRuleId: await rowOf("ruleId", prisma, workspace) },
      ...{ channel: "SMS", target: "+905321234567", expiresAt: new Date("2100-01-01") },
    });
  },
  apiKeyId: async (prisma, { ids: { workspaceId } }) =>
    (await createApiKey(prisma, { workspaceId, permissions: ["alerts:read"] })).id,
  viewId: (prisma, { ids: { workspaceId }, adminId: userId }) =>
    createSavedView(prisma, { workspaceId, userId }),
  sessionId: (prisma, { ids: { workspaceId }, adminId: userId }) =>
    createSession(prisma, { workspaceId, userId }),
  invitationId: (prisma, { ids: { workspaceId } }) => createInvitation(prisma, { workspaceId }),
  changeId: (prisma, { ids: { workspaceId, alertId }, adminId: callerId }) =>
    createMarkChange(prisma, { workspaceId, alertId, callerId }),
};

/** Makes one of these rows, unless the workspace has it. Returns its id. */
async function rowOf(name: MadeRow, prisma: PrismaClient, workspace: TestWorkspace): Promise<string> {
  const id = workspace.made[name] ?? (await makers[name](prisma, workspace));
  workspace.made[name] = id;
  return id;
}

/** The fields of mutations without variables, by their names. */
const withoutVariables: Record<string, string> = {
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
const ofId: Record<string, [field: string, id: MadeRow | keyof TestWorkspace["ids"] | "memberId"]> = {
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
  monitorFacility: ["monitorFacility(id: $id, monitored: false) { id monitored }", "facilityId"],
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
  endSession: ["endSession(id: $id) { id }", "sessionId"],
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

/** Makes the calls of all other mutations, by their names. */
const others: Record<string, (prisma: PrismaClient, workspace: TestWorkspace) => Call | Promise<Call>> = {
  addAlertClip: async (prisma, { ids: { workspaceId, facilityId, alertId } }) => {
    const clip = {
      kind: "CLIP",
      url: `clips/${randomUUID()}.mp4`,
      contentType: "video/mp4",
      duration: 1,
      width: 64,
      height: 48,
      size: 1_000,
    };
    const upload = await prisma.alertUpload.create({
      data: { workspaceId, facilityId, dueAt: new Date(Date.now() + 1_800_000), ...clip },
    });
    return [
      "mutation ($id: UUID!, $upload: UUID!) { addAlertClip(alertId: $id, uploadId: $upload) { id } }",
      { id: alertId, upload: upload.id },
    ];
  },
  createAlertRule: (_prisma, { ids }) => [
    'mutation ($id: UUID!, $group: JSONObject!) { createAlertRule(cameraId: $id, input: { name: "STATIC_DELIMITATION_AREA", severity: "LOW", group: $group }) { id name } }',
    { id: ids.cameraId, group },
  ],
  createUser: () => [
    `mutation ($authId: String!) { createUser(input: { authId: $authId, email: "made@test.example", roles: ["alerts:read"] }) { id email } }`,
    { authId: `made|${randomUUID()}` },
  ],
  grantFacilityAccess: (_prisma, { ids, memberId }) => [
    `mutation ($id: UUID!, $user: UUID!) { grantFacilityAccess(facilityId: $id, userId: $user, actions: ["alerts:read"]) { actions user { id } } }`,
    { id: ids.facilityId, user: memberId },
  ],
  inviteUser: () => [
    `mutation ($email: String!) { inviteUser(input: { email: $email, roles: ["alerts:read"] }) { id email url } }`,
    { email: `made-${randomUUID()}@test.example` },
  ],
  recordAlerts: (_prisma, { ids }) => [
    `mutation ($id: UUID!, $camera: UUID!) {
      recordAlerts(input: [{ id: $id, cameraId: $camera, name: "ALERT", createdAt: "2025-11-20T09:30:00Z" }]) { recorded alreadyRecorded alerts { id } }
    }`,
    { id: randomUUID(), camera: ids.cameraId },
  ],
  // Somebody in view for a second, which raises an alert.
  recordDetections: async (prisma, workspace) => {
    await rowOf("ruleId", prisma, workspace);
    const input = [1, 2].map((second) => ({
      ...{ cameraId: workspace.ids.cameraId, at: `2025-11-20T09:30:0${second}Z`, width: 640, height: 480 },
      objects: [{ label: "person", box: { x: 10, y: 10, width: 10, height: 10 } }],
    }));
    return [
      `mutation ($input: [DetectionFrameInput!]!) { recordDetections(input: $input) { processed dropped alerts { id } } }`,
      { input },
    ];
  },
  removeFacilityAccess: (_prisma, { ids, localId }) => [
    `mutation ($id: UUID!, $user: UUID!) { removeFacilityAccess(facilityId: $id, userId: $user, actions: ["alerts:read"]) { actions } }`,
    { id: ids.facilityId, user: localId },
  ],
  restoreAlertRule: async (prisma, { ids: { workspaceId, cameraId } }) => {
    const rule = await prisma.alertRule.findFirstOrThrow({
      where: { id: await createAlertRule(prisma, { workspaceId, cameraId }) },
    });
    await prisma.alertRule.deleteMany({ where: { id: rule.id } });
    await prisma.removedAlertRule.create({
      data: {
        ...{ workspaceId, cameraId, id: rule.id, removedAt: new Date() },
        rule: JSON.parse(JSON.stringify(rule)),
      },
    });
    return ["mutation ($id: UUID!) { restoreAlertRule(id: $id) { id name } }", { id: rule.id }];
  },
  restoreCamera: async (prisma, { ids: { workspaceId, facilityId } }) => [
    "mutation ($id: UUID!) { restoreCamera(id: $id) { id name } }",
    { id: await createCamera(prisma, { workspaceId, facilityId, removedAt: new Date() }) },
  ],
  snoozeAlertRule: async (prisma, workspace) => [
    "mutation ($id: UUID!, $until: DateTimeISO!) { snoozeAlertRule(id: $id, until: $until) { id snoozedUntil } }",
    { id: await rowOf("ruleId", prisma, workspace), until: new Date(Date.now() + 86_400_000).toISOString() },
  ],
  snoozeCamera: (_prisma, { ids }) => [
    "mutation ($id: UUID!, $until: DateTimeISO!) { snoozeCamera(id: $id, until: $until) { id snoozedUntil } }",
    { id: ids.cameraId, until: new Date(Date.now() + 86_400_000).toISOString() },
  ],
  snoozeFacility: (_prisma, { ids }) => [
    "mutation ($id: UUID!, $until: DateTimeISO!) { snoozeFacility(id: $id, until: $until) { id snoozedUntil } }",
    { id: ids.facilityId, until: new Date(Date.now() + 86_400_000).toISOString() },
  ],
  testAlertRule: (_prisma, { ids }) => [
    `mutation ($id: UUID!, $group: JSONObject!) {
      testAlertRule(cameraId: $id, group: $group, frames: [{ cameraId: $id, at: "2026-11-20T09:30:00Z", width: 640, height: 360, objects: [] }]) { alerts { count } }
    }`,
    { id: ids.cameraId, group },
  ],
};

/** The mutations that take no file. */
export const mutations = [withoutVariables, ofId, others].flatMap((calls) => Object.keys(calls));

/**
 * A valid call of one of these mutations in a workspace, which takes each call once.
 * Makes the rows that the mutation needs besides the workspace itself.
 */
export async function callOf(prisma: PrismaClient, name: string, workspace: TestWorkspace): Promise<Call> {
  const field = withoutVariables[name];
  if (field) return [`mutation { ${field} }`, {}];
  const [fieldOfId, key] = ofId[name] ?? [];
  if (!key) return (others[name] as (typeof others)[string])(prisma, workspace);
  const known: Record<string, string> = { ...workspace.ids, memberId: workspace.memberId };
  const id = known[key] ?? (await rowOf(key as MadeRow, prisma, workspace));
  return [`mutation ($id: UUID!) { ${fieldOfId} }`, { id }];
}
