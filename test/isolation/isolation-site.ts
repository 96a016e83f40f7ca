import { randomUUID } from "node:crypto";
import { permissions } from "../../src/engine/access/permissions.js";
import { decodeNodeId } from "../../src/engine/nodes/node-id.js";
import { Prisma, type PrismaClient } from "../../src/generated/prisma/client.js";
import { type CompleteFacility, createCompleteFacility } from "../support/complete-facility.js";
import {
  createApiKey,
  createConnector,
  createDigest,
  createInvitation,
  createInvitationMail,
  createMarkChange,
  createSavedView,
  createSession,
  createSignInMail,
  createUser,
  createWorkspace,
  grantAccess,
} from "../support/factories.js";
import type { Gateway, Sender } from "../support/harness.js";
import { walPosition } from "../support/test-workspace.js";
import { uuids } from "../support/uuids.js";

/** A facility with one object of each kind, and with its workspace. */
export interface MarkedFacility extends CompleteFacility {
  /** A text that all texts in its rows contain, and no others. */
  marker: string;
  /** The same for the rows of its workspace. */
  workspaceMarker: string;
  workspaceId: string;
  /** The capability of its stream request. */
  requestId: string;
  uploadId: string;
  /** Of the workspace. */
  userId: string;
  keyId: string;
  connectorId: string;
  viewId: string;
  sessionId: string;
  invitationId: string;
  /** The mail of the invitation. */
  mailId: string;
  changeId: string;
  keptFrameId: string;
  entryId: string;
}

/** A caller, with exactly the visible objects. */
export interface Caller {
  as: Sender;
  workspaceId: string;
  /** The user's id; absent for an API key. */
  userId?: string;
  /** The facilities that are visible. */
  sites: MarkedFacility[];
  /** The facilities that are not. */
  hidden: MarkedFacility[];
  /**
   * The ids of the workspace's users, keys, connectors, invitations with their mails, and audit
   * entries, for callers with every permission in the workspace.
   */
  users: string[] | null;
  keys: string[] | null;
  connectors: string[] | null;
  invitations: string[] | null;
  mails: string[] | null;
  entries: string[] | null;
}

export const callerNames = [
  "admin",
  "otherAdmin",
  "otherKey",
  "siteUser",
  "limitedKey",
  "withoutPermissions",
  "emptyGrant",
] as const;
export type CallerName = (typeof callerNames)[number];

/** Two facilities in one workspace, one in another, and all callers. */
export interface IsolationSite {
  near: MarkedFacility;
  far: MarkedFacility;
  other: MarkedFacility;
  callers: Record<CallerName, Caller>;
  /** The users with a grant at the near facility. */
  granted: string[];
}

const all = [...permissions];

/** Creates them; several have different names. */
export async function createIsolationSite(prisma: PrismaClient, name: string): Promise<IsolationSite> {
  const ours = await createWorkspace(prisma);
  const theirs = await createWorkspace(prisma);
  const complete = (workspaceId: string, name: string, alerts: number, hour: string, alertRuleId?: string) =>
    createCompleteFacility(prisma, {
      workspaceId,
      name,
      alerts,
      newest: `2026-11-20T${hour}:00:00Z`,
      ...(alertRuleId && { alertRuleId }),
    });
  const nearFacility = await complete(ours, "A", 2, "12");
  // Some callers see these alerts but not their rule, and the rule but not these alerts.
  const farFacility = await complete(ours, "B", 3, "10", nearFacility.ruleId);
  const otherFacility = await complete(theirs, "C", 4, "11", nearFacility.ruleId);

  const authId = (user: string) => `${name}|${user}`;
  const user = (workspaceId: string, named: string, roles = all.slice(0, 0)) =>
    createUser(prisma, { workspaceId, authId: authId(named), roles });
  const adminId = await user(ours, "admin", all);
  const siteUserId = await user(ours, "site");
  const withoutId = await user(ours, "without-permissions");
  const emptyGrantId = await user(ours, "empty-grant");
  const otherAdminId = await user(theirs, "other-admin", all);
  const grant = (userId: string, workspaceId: string, facilityId: string, actions = all) =>
    grantAccess(prisma, { userId, workspaceId, facilityId, actions });
  await grant(siteUserId, ours, nearFacility.facilityId);
  await grant(emptyGrantId, ours, nearFacility.facilityId, []);
  await grant(adminId, ours, farFacility.facilityId);
  await grant(otherAdminId, theirs, otherFacility.facilityId);
  const digest = (userId: string, workspaceId: string, { facilityId }: CompleteFacility) =>
    createDigest(prisma, { userId, workspaceId, facilityIds: [facilityId] });
  await digest(adminId, ours, farFacility);
  await digest(siteUserId, ours, nearFacility);
  await digest(otherAdminId, theirs, otherFacility);
  const limitedKey = await createApiKey(prisma, {
    workspaceId: ours,
    permissions: all,
    facilityIds: [farFacility.facilityId, otherFacility.facilityId],
  });
  const otherKey = await createApiKey(prisma, { workspaceId: theirs, permissions: all });

  const ourConnector = await createConnector(prisma, { workspaceId: ours, apiKeyId: limitedKey.id });
  const theirConnector = await createConnector(prisma, { workspaceId: theirs, apiKeyId: otherKey.id });

  const ourInvitation = await createInvitation(prisma, { workspaceId: ours, invitedById: adminId });
  const theirInvitation = await createInvitation(prisma, { workspaceId: theirs, invitedById: otherAdminId });
  const mail = (workspaceId: string, invitationId: string) =>
    createInvitationMail(prisma, { workspaceId, invitationId, createdAt: new Date("2026-11-19T12:00:00Z") });
  const [ourMail, theirMail] = [await mail(ours, ourInvitation), await mail(theirs, theirInvitation)];
  for (const [workspaceId, userId] of [
    [ours, adminId],
    [theirs, otherAdminId],
  ] as const)
    await createSignInMail(prisma, { workspaceId, userId });

  const marked = async (
    site: CompleteFacility,
    place: string,
    workspaceId: string,
    {
      userId,
      keyId,
      connectorId,
      invitationId,
      mailId,
    }: Pick<MarkedFacility, "userId" | "keyId" | "connectorId" | "invitationId" | "mailId">,
  ): Promise<MarkedFacility> => {
    const { facilityId, cameraId } = site;
    const marker = `${name}-${place}`;
    const workspaceMarker = `${name}-${workspaceId === ours ? "ours" : "theirs"}`;
    const upload = await prisma.alertUpload.create({
      data: { workspaceId, facilityId, dueAt: new Date(Date.now() + 1_800_000) },
    });
    const change = {
      workspaceId,
      actorId: userId,
      actorKind: "USER",
      targetId: cameraId,
      facilityId,
      changes: {},
      client: `${marker} audit client`,
    };
    const entry = await prisma.auditEntry.create({
      data: { ...change, action: "updateCamera", targetType: "Camera" },
    });
    const marks = { acknowledgedById: userId, bookmarkChangedById: userId, falsePositiveChangedById: userId };
    await prisma.alert.updateMany({
      where: { workspaceId, id: site.alertIds[0] as string },
      data: { ...marks, acknowledgedAt: new Date() },
    });
    const snooze = {
      snoozedAt: new Date(),
      snoozedUntil: new Date("2100-01-01T00:00:00Z"),
      snoozedById: userId,
    };
    await prisma.camera.updateMany({ where: { workspaceId, id: cameraId }, data: snooze });
    await prisma.facility.updateMany({ where: { workspaceId, id: site.facilityId }, data: snooze });
    await prisma.alertRule.updateMany({ where: { workspaceId, id: site.ruleId }, data: snooze });
    await prisma.removedAlertRule.create({
      data: { workspaceId, cameraId, id: randomUUID(), removedAt: new Date(), rule: {} },
    });
    await prisma.alertComment.updateMany({
      where: { workspaceId, id: site.commentId },
      data: { authorId: userId },
    });
    const viewId = await createSavedView(prisma, { workspaceId, userId });
    const sessionId = await createSession(prisma, { workspaceId, userId });
    const alertId = site.alertIds[0] as string;
    const changeId = await createMarkChange(prisma, { workspaceId, alertId, callerId: userId });
    const keptFrame = await prisma.keptFrame.create({
      data: {
        ...{ workspaceId, cameraId, number: 1, id: randomUUID(), createdAt: new Date() },
        ...{ width: 640, height: 480, objects: [] },
      },
    });
    const { requestId } = await prisma.streamRequest.findFirstOrThrow({ where: { cameraId } });
    return {
      ...site,
      marker,
      workspaceMarker,
      workspaceId,
      requestId,
      uploadId: upload.id,
      userId,
      keyId,
      connectorId,
      viewId,
      sessionId,
      invitationId,
      mailId,
      changeId,
      keptFrameId: keptFrame.id,
      entryId: entry.id,
    };
  };
  const ofOurs = {
    ...{ userId: adminId, keyId: limitedKey.id, connectorId: ourConnector },
    ...{ invitationId: ourInvitation, mailId: ourMail },
  };
  const ofTheirs = {
    ...{ userId: otherAdminId, keyId: otherKey.id, connectorId: theirConnector },
    ...{ invitationId: theirInvitation, mailId: theirMail },
  };
  const near = await marked(nearFacility, "near", ours, ofOurs);
  const far = await marked(farFacility, "far", ours, ofOurs);
  const other = await marked(otherFacility, "other", theirs, ofTheirs);
  const site = { near, far, other };
  await markTexts(prisma, site);

  const limited = {
    ...{ workspaceId: ours, users: null, keys: null, connectors: null },
    ...{ invitations: null, mails: null, entries: null },
  };
  const ofOther = {
    workspaceId: theirs,
    sites: [other],
    hidden: [near, far],
    users: [otherAdminId],
    keys: [otherKey.id],
    connectors: [theirConnector],
    invitations: [theirInvitation],
    mails: [theirMail],
    entries: [other.entryId],
  };
  const callers: IsolationSite["callers"] = {
    admin: {
      ...{
        as: { user: authId("admin") },
        userId: adminId,
        workspaceId: ours,
        sites: [near, far],
        hidden: [other],
      },
      ...{
        users: [adminId, emptyGrantId, siteUserId, withoutId],
        keys: [limitedKey.id],
        connectors: [ourConnector],
        invitations: [ourInvitation],
        mails: [ourMail],
        entries: [near.entryId, far.entryId],
      },
    },
    otherAdmin: { as: { user: authId("other-admin") }, userId: otherAdminId, ...ofOther },
    otherKey: { as: otherKey, ...ofOther },
    siteUser: {
      ...limited,
      as: { user: authId("site") },
      userId: siteUserId,
      sites: [near],
      hidden: [far, other],
    },
    limitedKey: { ...limited, as: limitedKey, sites: [far], hidden: [near, other] },
    withoutPermissions: {
      ...limited,
      as: { user: authId("without-permissions") },
      userId: withoutId,
      sites: [],
      hidden: [near, far, other],
    },
    emptyGrant: {
      ...limited,
      as: { user: authId("empty-grant") },
      userId: emptyGrantId,
      sites: [],
      hidden: [near, far, other],
    },
  };
  return { ...site, callers, granted: [siteUserId, emptyGrantId] };
}

/**
 * Columns of text or JSON whose values are from a fixed set, are numbers, or are made
 * from another by a trigger.
 */
const unmarked = new Set([
  ...[
    "AuthIdLookup.authId",
    "EmailLookup.email",
    "Camera.streamType",
    "Camera.streamProtocol",
    "StreamRequest.streamType",
    "StreamRequest.streamProtocol",
    "StreamRequest.errorCode",
    "CameraFeed.errorCode",
  ],
  ...[
    "StatusChange.source",
    "User.authId",
    "User.roles",
    "ApiKey.permissions",
    "Connector.kind",
    "Invitation.roles",
    "Invitation.invitedByKind",
    "FacilityAccess.actions",
    "AuditEntry.actorKind",
    "AuditEntry.via",
    "Facility.timeZoneId",
    "Facility.effectiveTimeZoneId",
    "Camera.foldedName",
  ],
  ...["AlertClip.state", "AlertUpload.kind", "Delivery.kind", "Delivery.channel", "Delivery.state"],
  ...[
    "User.phoneNumber",
    "Camera.dataCollectionConfig",
    "Camera.imageDimensions",
    "Calibration.points",
    "AlertUpload.imageDimensions",
  ],
  ...["Alert.imageDimensions", "Alert.canvasDimensions", "Alert.violatingCoordinates", "Alert.area"],
]);

/**
 * The values of JSON columns that have a shape; the condition tree of a rule keeps its
 * area.
 */
const shaped: Record<string, (text: string) => string> = {
  "Camera.customDataCollectionConfigs": (text) =>
    `jsonb_build_array(jsonb_build_object('type', '${text}', 'sensitivity', 0.5))`,
  ...Object.fromEntries(
    ["Facility.contacts", "Camera.contacts"].map((column) => [
      column,
      (text: string) => `jsonb_build_array(jsonb_build_object('name', '${text}', 'note', '${text}'))`,
    ]),
  ),
  "Invitation.accesses": (text) =>
    `jsonb_build_array(jsonb_build_object('facilityId', '00000000-0000-4000-8000-000000000000', 'actions', jsonb_build_array('${text}')))`,
  "Connector.unmapped": (text) =>
    `jsonb_build_array(jsonb_build_object('kind', 'CAMERA', 'name', '${text}', 'cameraId', NULL, 'count', 1, 'lastSeenAt', '2026-11-20T12:30:00.000Z'))`,
  "AlertRule.group": (text) => `jsonb_set("group", '{children,0,name}', to_jsonb('${text}'::text))`,
  "KeptFrame.objects": (text) =>
    `jsonb_build_array(jsonb_build_object('label', '${text}', 'confidence', 1, 'box', '{"x": 1, "y": 1, "width": 1, "height": 1}'::jsonb,
      'trackId', '${text}', 'attributes', jsonb_build_object('text', '${text}')))`,
};

// Objects that wait to be removed and requests for sign-in links belong to nobody, the
// counts are made from the alerts, outcomes of requests are encrypted, marks to put back
// have no texts, and nothing shows states of detections and the keys of shared pictures.
const unreadTables = [
  "DetectionState",
  "SharedPicture",
  "ObjectRemoval",
  "SignInLinkRequest",
  "AlertDayCount",
  "AlertDayKindCount",
  "OpenAlertCount",
  "KeyedOutcome",
  "AlertMarkChange",
];
const tables = Object.values(Prisma.ModelName).filter((name) => !unreadTables.includes(name));

interface Column {
  table: string;
  name: string;
  type: string;
}

async function textColumns(prisma: PrismaClient): Promise<Column[]> {
  const columns = await prisma.$queryRaw<Column[]>`
    SELECT table_name AS "table", column_name AS "name", udt_name AS "type" FROM information_schema.columns
    WHERE table_schema = current_schema() AND udt_name IN ('text', '_text', 'jsonb') ORDER BY 1, 2`;
  return columns.filter(
    ({ table, name }) => tables.includes(table as never) && !unmarked.has(`${table}.${name}`),
  );
}

/**
 * Writes the marker of each row's facility, or of its workspace, into all columns of text
 * and JSON.
 */
async function markTexts(
  prisma: PrismaClient,
  sites: Pick<IsolationSite, "near" | "far" | "other">,
): Promise<void> {
  const columns = await textColumns(prisma);
  for (const table of tables) {
    for (const site of Object.values(sites)) {
      const values = columns
        .filter((column) => column.table === table)
        .map(({ name, type }) => {
          const text = `https://${isOfWorkspace(table) ? site.workspaceMarker : site.marker}.example/${table}.${name}`;
          if (type === "_text") return `"${name}" = ARRAY['${text}']`;
          if (type === "text") return `"${name}" = '${text}'`;
          return `"${name}" = ${shaped[`${table}.${name}`]?.(text) ?? `jsonb_build_object('text', '${text}')`}`;
        });
      if (values.length > 0)
        await prisma.$executeRawUnsafe(
          `UPDATE "${table}" SET ${values.join(", ")} WHERE ${ownership(table, site)}`,
        );
    }
  }
}

const tablesOfWorkspaces = new Set([
  ...["User", "ApiKey", "Connector", "AuditEntry", "AuthIdLookup", "ApiKeyLookup", "StreamRequestLookup"],
  ...[
    "Invitation",
    "InvitationLookup",
    "EmailLookup",
    "UsedSignInCode",
    "Session",
    "DeliveryQueue",
    "DeliveryTarget",
    "MessageCount",
    "SavedView",
    "Digest",
  ],
]);
const tablesOfFacilities = new Set([
  "FacilityAccess",
  "Camera",
  "Alert",
  "AlertClip",
  "AlertComment",
  "AlertUpload",
  "Delivery",
]);

/**
 * The condition for the rows of a table that belong to a facility, or, if they belong to
 * none, to its workspace.
 */
function ownership(table: string, site: MarkedFacility): string {
  if (table === "Workspace") return `"id" = '${site.workspaceId}'`;
  if (tablesOfWorkspaces.has(table)) return `"workspaceId" = '${site.workspaceId}'`;
  if (table === "Facility") return `"id" = '${site.facilityId}'`;
  if (tablesOfFacilities.has(table)) return `"facilityId" = '${site.facilityId}'`;
  return `"cameraId" = '${site.cameraId}'`;
}

/**
 * Columns of text and JSON without the marker in the rows of a facility or of its
 * workspace.
 */
export async function unmarkedColumns(prisma: PrismaClient, site: MarkedFacility): Promise<string[]> {
  const columns = await textColumns(prisma);
  const missing = columns.map(async ({ table, name }) => {
    const marker = isOfWorkspace(table) ? site.workspaceMarker : site.marker;
    const marked = `SELECT count(*)::int AS "count" FROM "${table}" WHERE "${name}"::text LIKE '%${marker}%' AND ${ownership(table, site)}`;
    const [row] = await prisma.$queryRawUnsafe<{ count: number }[]>(marked);
    return row?.count ? [] : [`${table}.${name}`];
  });
  return (await Promise.all(missing)).flat();
}

/** The rows of facilities, and of workspaces that a caller does not belong to. */
export async function hiddenRows({ prisma }: Gateway, { hidden, workspaceId }: Caller): Promise<string> {
  const statements = tables.flatMap((table) => {
    const conditions = hidden
      .filter((site) => site.workspaceId !== workspaceId || !isOfWorkspace(table))
      .map((site) => ownership(table, site));
    return conditions.length === 0
      ? []
      : [
          `SELECT '${table}' AS "table", (to_jsonb(item) - 'lastUsedAt')::text AS "row" FROM "${table}" AS item WHERE ${conditions.join(" OR ")}`,
        ];
  });
  if (statements.length === 0) return "";
  const rows = await prisma.$queryRawUnsafe<{ table: string; row: string }[]>(
    `${statements.join(" UNION ALL ")} ORDER BY 1, 2`,
  );
  // By lines, so that a failure shows what changed.
  return rows.map(({ table, row }) => `${table} ${row}`).join("\n");
}

/** Detects changes to the rows that a caller may not see. */
export class HiddenRows {
  readonly #known = new Map<Caller, { position: string; rows: string }>();

  constructor(readonly gateway: Gateway) {}

  /** The rows; they are only read again if anything has been written since. */
  async of(caller: Caller): Promise<string> {
    const known = this.#known.get(caller);
    const position = await walPosition(this.gateway);
    if (known?.position === position) return known.rows;
    const rows = await hiddenRows(this.gateway, caller);
    this.#known.set(caller, { position, rows });
    return rows;
  }
}

function isOfWorkspace(table: string): boolean {
  return table === "Workspace" || tablesOfWorkspaces.has(table);
}

/** Longer than an id. */
const nodeIdPattern = /[\w-]{40,}/g;

/** Finds ids and texts that a caller may not see. */
export class HiddenContent {
  readonly #ids = new Map<Caller, Set<string>>();

  /**
   * Reads the rows of all callers. What visible rows name as well is not hidden: an alert
   * names its rule, for example.
   */
  async read(gateway: Gateway, callers: Iterable<Caller>): Promise<void> {
    for (const caller of callers) {
      const shown = await hiddenRows(gateway, {
        ...caller,
        hidden: caller.sites,
        ...(caller.users && { workspaceId: "none" }),
      });
      const ids = new Set((await hiddenRows(gateway, caller)).match(uuids) ?? []);
      for (const id of [caller.workspaceId, caller.userId, ...(shown.match(uuids) ?? [])])
        if (id) ids.delete(id);
      this.#ids.set(caller, ids);
    }
  }

  /**
   * The parts of a text that are hidden from the caller, except for parts that the caller
   * sent.
   */
  in(text: string, caller: Caller, sent: readonly string[] = []): string[] {
    const ids = this.#ids.get(caller) ?? new Set();
    const markers = caller.hidden.map(({ marker }) => marker).filter((marker) => text.includes(marker));
    const found = [
      ...(text.match(uuids) ?? []),
      ...(text.match(nodeIdPattern) ?? []).flatMap((nodeId) => decodeNodeId(nodeId)?.id ?? []),
    ];
    return [...markers, ...found.filter((id) => ids.has(id) && !sent.includes(id))];
  }
}
