import { randomUUID } from "node:crypto";
import { createKey } from "../../src/engine/access/api-key.js";
import { type Permission, permissions } from "../../src/engine/access/permissions.js";
import { bulkInsert } from "../../src/engine/database/bulk-insert.js";
import type { Prisma, PrismaClient } from "../../src/generated/prisma/client.js";
import type { Sender } from "./harness.js";

/** Makes one record with defaults that may be overridden. Returns its id. */
type Factory<Input> = (prisma: PrismaClient, values: Input) => Promise<string>;

type Given<Input, Required extends keyof Input> = Partial<Input> & Pick<Input, Required>;

export const createWorkspace = async (
  prisma: PrismaClient,
  values: Partial<Prisma.WorkspaceUncheckedCreateInput> = {},
): Promise<string> => (await prisma.workspace.create({ data: { name: "Workspace", ...values } })).id;

export const createUser: Factory<Given<Prisma.UserUncheckedCreateInput, "workspaceId">> = async (
  prisma,
  values,
) => {
  const authId = values.authId ?? `test|${randomUUID()}`;
  return prisma.$transaction(async (transaction) => {
    const { id: userId, ...user } = await transaction.user.create({
      data: { email: `${authId.replaceAll("|", ".")}@test.example`, ...values, authId },
    });
    const { workspaceId, email } = user;
    await transaction.authIdLookup.create({ data: { authId, workspaceId, userId } });
    await transaction.emailLookup.create({ data: { email: email.toLowerCase(), workspaceId, userId } });
    return userId;
  });
};

/** Makes an invitation that does not expire, with its lookup row. */
export const createInvitation: Factory<Given<Prisma.InvitationUncheckedCreateInput, "workspaceId">> = async (
  prisma,
  values,
) => {
  const email = values.email ?? `invited-${randomUUID()}@test.example`;
  const times = { createdAt: new Date(), expiresAt: new Date("2100-01-01T00:00:00Z") };
  const invitedByKind = values.invitedById ? "USER" : null;
  const invitation = await prisma.invitation.create({
    data: { ...times, invitedByKind, ...values, email, foldedEmail: email.toLowerCase() },
  });
  const { id, workspaceId, foldedEmail, createdAt } = invitation;
  await prisma.invitationLookup.create({ data: { id, workspaceId, email: foldedEmail, createdAt } });
  return id;
};

export const createFacility: Factory<Given<Prisma.FacilityUncheckedCreateInput, "workspaceId">> = async (
  prisma,
  values,
) =>
  (await prisma.facility.create({ data: { name: "Facility", timeZoneId: "Europe/Istanbul", ...values } })).id;

export const createCamera: Factory<
  Given<Prisma.CameraUncheckedCreateInput, "workspaceId" | "facilityId">
> = async (prisma, values) => (await prisma.camera.create({ data: { name: "Camera", ...values } })).id;

/** A camera in a facility of a workspace, all of which are new, or in a given workspace. */
export async function createPlace(
  prisma: PrismaClient,
  { workspaceId, ...facility }: Partial<Prisma.FacilityUncheckedCreateInput> = {},
): Promise<{ workspaceId: string; facilityId: string; cameraId: string }> {
  const place = { workspaceId: workspaceId ?? (await createWorkspace(prisma)) };
  const facilityId = await createFacility(prisma, { ...place, ...facility });
  return { ...place, facilityId, cameraId: await createCamera(prisma, { ...place, facilityId }) };
}

export const createAlertRule: Factory<Given<Prisma.AlertRuleUncheckedCreateInput, "cameraId">> = async (
  prisma,
  values,
) => {
  const group = { id: randomUUID(), type: "GROUP", name: "All", operator: "AND", children: [] };
  const workspaceId =
    values.workspaceId ??
    (await prisma.camera.findFirstOrThrow({ where: { id: values.cameraId } })).workspaceId;
  return (
    await prisma.alertRule.create({
      data: { name: "STATIC_DELIMITATION_AREA", severity: "MEDIUM", group, ...values, workspaceId },
    })
  ).id;
};

/**
 * Makes a stream request with a capability that does not expire, and with the lookup row
 * for its callbacks.
 */
export const createStreamRequest: Factory<
  Given<Prisma.StreamRequestUncheckedCreateInput, "workspaceId" | "cameraId">
> = async (prisma, values) => {
  const defaults = { url: "rtsp://camera.example/yard", expiresAt: new Date("2100-01-01T00:00:00Z") };
  const { id, requestId, workspaceId } = await prisma.streamRequest.create({
    data: { ...defaults, ...values },
  });
  await prisma.streamRequestLookup.create({ data: { requestId, workspaceId } });
  return id;
};

type AlertValues = Given<Prisma.AlertUncheckedCreateInput, "workspaceId" | "facilityId" | "cameraId">;

/**
 * Makes alerts in one statement. Alerts without a given time happened one minute apart,
 * the first one the newest.
 */
export async function createAlerts(
  prisma: PrismaClient,
  values: readonly AlertValues[],
  newest = new Date("2026-11-20T12:00:00.000Z"),
): Promise<string[]> {
  const alerts = values.map((value, index) => ({
    id: randomUUID(),
    name: "STATIC_DELIMITATION_AREA",
    severity: null,
    observation: false,
    count: 1,
    alertRuleId: null,
    createdAt: new Date(newest.getTime() - index * 60_000),
    url: null,
    thumbnailUrl: null,
    imageDimensions: null,
    canvasDimensions: null,
    violatingCoordinates: null,
    area: null,
    areaIds: [],
    storageClass: "local",
    info: null,
    bookmark: false,
    falsePositive: false,
    acknowledgedAt: null,
    acknowledgedById: null,
    ...value,
  }));
  await bulkInsert(prisma, "Alert", alerts);
  return alerts.map((alert) => alert.id);
}

export const createAlertComment: Factory<
  Given<Prisma.AlertCommentUncheckedCreateInput, "workspaceId" | "facilityId" | "cameraId" | "alertId">
> = async (prisma, values) => {
  const comment = {
    authorId: randomUUID(),
    authorName: "Ada Lovelace",
    text: "Seen",
    createdAt: new Date("2026-11-20T12:30:00Z"),
  };
  return (await prisma.alertComment.create({ data: { ...comment, ...values } })).id;
};

/** A clip that is ready. */
export const createAlertClip: Factory<
  Given<
    Prisma.AlertClipUncheckedCreateInput,
    "workspaceId" | "facilityId" | "cameraId" | "alertId" | "alertCreatedAt"
  >
> = async (prisma, values) => {
  const clip = {
    ...{ state: "READY", key: "clips/clip.mp4", contentType: "video/mp4" },
    ...{ duration: 30.04, width: 1280, height: 720, size: 7_500_000 },
  };
  return (await prisma.alertClip.create({ data: { ...clip, ...values } })).alertId;
};

export const createSavedView: Factory<
  Given<Prisma.SavedViewUncheckedCreateInput, "workspaceId" | "userId">
> = async (prisma, values) => {
  const view = { name: "Open", query: "open=true", createdAt: new Date("2026-11-20T12:30:00Z") };
  return (await prisma.savedView.create({ data: { ...view, ...values } })).id;
};

export const createSession: Factory<
  Given<Prisma.SessionUncheckedCreateInput, "workspaceId" | "userId">
> = async (prisma, values) => {
  const times = { createdAt: new Date("2026-11-20T12:30:00Z"), expiresAt: new Date("2100-01-01") };
  return (
    await prisma.session.create({ data: { id: randomUUID(), name: "Firefox, Windows", ...times, ...values } })
  ).id;
};

export const createConnector: Factory<
  Given<Prisma.ConnectorUncheckedCreateInput, "workspaceId" | "apiKeyId">
> = async (prisma, values) => {
  // Not long ago by the clock: those that are no longer heard are purged.
  const reported = new Date();
  const connector = {
    ...{ name: "yard", kind: "FRIGATE", version: "1.0.0", unmapped: [] },
    ...{ firstReportedAt: reported, lastReportedAt: reported },
  };
  return (await prisma.connector.create({ data: { ...connector, ...values } })).id;
};

/** Makes a digest that is not sent, unless `dueAt` says when. */
export const createDigest = (
  prisma: PrismaClient,
  values: Given<Prisma.DigestUncheckedCreateInput, "workspaceId" | "userId">,
) =>
  prisma.digest.create({
    data: { enabled: false, at: "07:00", timeZoneId: "Europe/Istanbul", ...values },
  });

/** What `undoMarks` finds of an alert that was not bookmarked. */
export const createMarkChange: Factory<
  Given<Prisma.AlertMarkChangeUncheckedCreateInput, "workspaceId" | "alertId" | "callerId">
> = async (prisma, values) => {
  const change = { changeId: randomUUID(), createdAt: new Date(), bookmark: false };
  return (await prisma.alertMarkChange.create({ data: { ...change, ...values } })).changeId;
};

/** Makes a delivery that has been sent just now: old ones are purged. */
export const createDelivery: Factory<
  Given<Prisma.DeliveryUncheckedCreateInput, "workspaceId"> & { facilityId: string | null }
> = async (prisma, values) => {
  const target = {
    channel: "WEBHOOK",
    target: "https://hooks.example/1",
    targetId: randomUUID(),
    host: "hooks.example",
  };
  const queuedAt = new Date();
  const expiresAt = new Date(queuedAt.getTime() + 24 * 3_600_000);
  const sent = {
    kind: "ALERT",
    ...target,
    state: "SENT",
    attempts: 1,
    queuedAt,
    createdAt: queuedAt,
    sentAt: queuedAt,
    expiresAt,
  };
  return (await prisma.delivery.create({ data: { ...sent, ...values } })).id;
};

type PersonalMailValues = "workspaceId" | "kind";
const createPersonalMail: Factory<
  Omit<Given<Prisma.DeliveryUncheckedCreateInput, PersonalMailValues>, "facilityId">
> = (prisma, values) => {
  const id = randomUUID();
  const target = { channel: "EMAIL", target: "ada@test.example", host: "EMAIL" };
  return createDelivery(prisma, { id, facilityId: null, cameraId: id, ...target, ...values });
};

/** Makes the mail of an invitation that has been sent. */
export const createInvitationMail = (
  prisma: PrismaClient,
  values: { workspaceId: string; invitationId: string; createdAt?: Date },
): Promise<string> => createPersonalMail(prisma, { kind: "INVITATION", ...values });

/** Makes a mail with a sign-in link that has been sent. */
export const createSignInMail = (
  prisma: PrismaClient,
  values: { workspaceId: string; userId: string },
): Promise<string> => createPersonalMail(prisma, { kind: "SIGN_IN_LINK", ...values });

export const grantAccess = (
  prisma: PrismaClient,
  access: { userId: string; facilityId: string; workspaceId: string; actions: Permission[] },
): Promise<unknown> => prisma.facilityAccess.create({ data: access });

/** The values of an API key. */
export type ApiKeyValues = {
  workspaceId: string;
  name?: string;
  permissions: Permission[];
  facilityIds?: string[];
  expiresAt?: Date;
  revokedAt?: Date;
};

/** The row of a new API key, the key, and the header that presents it. */
export function newApiKey(values: ApiKeyValues) {
  const { key, id, secretHash } = createKey();
  const row = {
    id,
    name: "Key",
    secretHash: new Uint8Array(secretHash),
    allFacilities: values.facilityIds === undefined,
    ...values,
  };
  return { row, id, key, authorization: `Basic ${Buffer.from(`${key}:`).toString("base64")}` };
}

export async function createApiKey(
  prisma: PrismaClient,
  values: ApiKeyValues,
): Promise<{ id: string; key: string; authorization: string }> {
  const { row, ...presented } = newApiKey(values);
  await prisma.apiKeyLookup.create({ data: { id: row.id, workspaceId: row.workspaceId } });
  await prisma.apiKey.create({ data: row });
  return presented;
}

/** A valid id that no record has. */
export const unknownId = "00000000-0000-4000-8000-000000000000";

/** A user for tests, and how to send requests as that user. */
export interface TestUser {
  id: string;
  authId: string;
  as: Sender;
}

/**
 * Creates a user with roles, and with permissions at single facilities; without a
 * workspace, in one of their own.
 */
export async function createTestUser(
  prisma: PrismaClient,
  values: { workspaceId?: string; roles?: readonly Permission[]; at?: Record<string, Permission[]> },
): Promise<TestUser & { workspaceId: string }> {
  const { workspaceId = await createWorkspace(prisma), roles = [], at = {} } = values;
  const authId = `test-user|${randomUUID()}`;
  const id = await createUser(prisma, { workspaceId, authId, roles: [...roles] });
  for (const [facilityId, actions] of Object.entries(at))
    await grantAccess(prisma, { userId: id, facilityId, workspaceId, actions });
  return { id, workspaceId, authId, as: { user: authId } };
}

/** Creates a user with all permissions; without a workspace, in one of their own. */
export const createAdmin = (prisma: PrismaClient, workspaceId?: string) =>
  createTestUser(prisma, { ...(workspaceId && { workspaceId }), roles: permissions });

/** Lets a camera be purged as soon as it is deleted, as if it could not be restored any more. */
export async function endKeeping(prisma: PrismaClient, id: string): Promise<void> {
  await prisma.camera.updateMany({ where: { id }, data: { keptUntil: new Date(0) } });
}
