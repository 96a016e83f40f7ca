import type { Sender } from "../support/harness.js";
import type { Caller, IsolationSite, MarkedFacility } from "./isolation-site.js";

/** Who follows an edge from where. */
export interface EdgeView {
  caller: Caller;
  /** The facility that the source belongs to; absent for workspaces and users. */
  site?: MarkedFacility | undefined;
  /** The id of the source; absent for records without a source. */
  source?: string | undefined;
  isolation: IsolationSite;
}

type EdgeExpectation = (view: EdgeView) => string[] | number;

/** The records of the users whom the caller may see. */
const ifVisible =
  (users: EdgeExpectation): EdgeExpectation =>
  (followed) => {
    const ids = users(followed);
    return Array.isArray(ids)
      ? ids.filter((id) => visibleUsers(followed.caller, followed.isolation).includes(id))
      : ids;
  };

const everywhere =
  (ids: (site: MarkedFacility) => string | string[]): EdgeExpectation =>
  ({ caller }) =>
    caller.sites.flatMap(ids);
const there =
  (ids: (site: MarkedFacility) => string | string[]): EdgeExpectation =>
  ({ site }) =>
    [site ? ids(site) : []].flat();
const alertsBelow: EdgeExpectation = ({ site }) => site?.alertIds.length ?? 0;
/** Records that only the newest alert of a facility has. */
const ofNewestAlert =
  (id: (site: MarkedFacility) => string): EdgeExpectation =>
  ({ site, source }) =>
    site && source === site.alertIds[0] ? [id(site)] : [];
/** Mails to people are about nothing of a facility. */
const unlessMail =
  (ofNotifications: EdgeExpectation): EdgeExpectation =>
  (followed) =>
    followed.source === followed.site?.mailId ? [] : ofNotifications(followed);
const allAlerts = everywhere(({ alertIds }) => alertIds);
const facility = (site: MarkedFacility) => site.facilityId;
const camera = (site: MarkedFacility) => site.cameraId;
const granted: EdgeExpectation = ({ site, isolation, caller }) => {
  if (site === isolation.near) return isolation.granted;
  if (site === isolation.far) return [isolation.callers.admin.userId as string];
  return caller.sites.includes(isolation.other) ? [isolation.callers.otherAdmin.userId as string] : [];
};

const everyNode: EdgeExpectation = ({ caller, isolation }) =>
  Object.values(visibleNodes).flatMap((visible) => visible(caller, isolation));

/**
 * The records that each edge shows to a caller: exactly these, newest first or by name,
 * or their number.
 */
export const edgeExpectations: Record<string, EdgeExpectation> = {
  "Query.me": ({ caller }) => (caller.userId ? [caller.userId] : []),
  "Query.workspace": ({ caller }) => [caller.workspaceId],
  "Query.facilities": everywhere(facility),
  "Query.facility": ({ caller }) => caller.sites.slice(0, 1).map(facility),
  "Query.cameras": everywhere(camera),
  "Query.searchCameras": everywhere(camera),
  "Query.camera": ({ caller }) => caller.sites.slice(0, 1).map(camera),
  "Query.alerts": allAlerts,
  "Query.alert": ({ caller }) => caller.sites.slice(0, 1).map(({ alertIds }) => alertIds[0] as string),
  "Query.alertCounts": ({ caller }) => caller.sites.flatMap(({ alertIds }) => alertIds).length,
  "Query.auditLog": ({ caller }) => caller.entries?.toReversed() ?? [],
  "Query.node": ({ caller }) => caller.sites.slice(0, 1).map(camera),
  "Query.nodes": everyNode,
  "Query._entities": everyNode,
  "Workspace.facilities": everywhere(facility),
  "Workspace.cameras": everywhere(camera),
  "Workspace.alerts": allAlerts,
  "Workspace.deliveries": ({ caller }) => [
    ...caller.sites.map(({ deliveryId }) => deliveryId),
    ...(caller.mails ?? []),
  ],
  "Workspace.users": ({ caller }) => caller.users ?? [],
  "Workspace.apiKeys": ({ caller }) => caller.keys ?? [],
  "Workspace.connectors": ({ caller }) => caller.connectors ?? [],
  "Connector.apiKey": ({ caller }) => caller.keys ?? [],
  "Workspace.invitations": ({ caller }) => caller.invitations ?? [],
  "Invitation.invitedBy": ({ caller }) =>
    caller.sites.slice(0, 1).flatMap(({ userId }) => (caller.invitations ? [userId] : [])),
  "Facility.workspace": ({ caller }) => [caller.workspaceId],
  "Facility.cameras": there(camera),
  "Facility.alerts": there(({ alertIds }) => alertIds),
  "Facility.alertCounts": alertsBelow,
  "FacilityAccess.user": granted,
  "Camera.facility": there(facility),
  "Camera.detections": there(({ keptFrameId }) => keptFrameId),
  "Camera.snoozedBy": ifVisible(there(({ userId }) => userId)),
  "Camera.alertRules": there(({ ruleId }) => ruleId),
  "Camera.calibration": there(({ calibrationId }) => calibrationId),
  "Camera.analysisJobs": there(({ jobId }) => jobId),
  "Camera.analysisJob": ({ caller, site }) => (site === caller.sites[0] ? [site?.jobId as string] : []),
  "Camera.alerts": there(({ alertIds }) => alertIds),
  "Camera.lastAlert": ({ caller, site }) => (site === caller.sites[0] ? [site?.alertIds[0] as string] : []),
  "Camera.alertCounts": alertsBelow,
  "Camera.statusHistory": there(({ statusChangeId }) => statusChangeId),
  "Camera.streamRequests": there(({ streamRequestId }) => streamRequestId),
  "AlertRule.areas": there(({ areaId }) => areaId),
  "AlertRule.camera": there(camera),
  "AlertRule.snoozedBy": ifVisible(there(({ userId }) => userId)),
  // Alerts of other facilities name this rule, too.
  "AlertRule.alerts": ({ caller, site }) =>
    caller.sites
      .filter(({ alertRuleId }) => alertRuleId === site?.ruleId)
      .flatMap(({ alertIds }) => alertIds),
  "AlertRule.deliveries": ({ caller, site }) =>
    caller.sites
      .filter(({ alertRuleId }) => alertRuleId === site?.ruleId)
      .map(({ deliveryId }) => deliveryId),
  "Alert.camera": there(camera),
  "Alert.facility": there(facility),
  "Alert.alertRule": ({ caller, site }) =>
    caller.sites.map(({ ruleId }) => ruleId).filter((ruleId) => ruleId === site?.alertRuleId),
  "Alert.deliveries": ofNewestAlert(({ deliveryId }) => deliveryId),
  "Alert.comments": ofNewestAlert(({ commentId }) => commentId),
  "Alert.acknowledgedBy": ifVisible(ofNewestAlert(({ userId }) => userId)),
  "Alert.bookmarkChangedBy": ifVisible(ofNewestAlert(({ userId }) => userId)),
  "Alert.falsePositiveChangedBy": ifVisible(ofNewestAlert(({ userId }) => userId)),
  "User.savedViews": ({ caller, source, isolation: { near, far, other } }) =>
    source === caller.userId
      ? [near, far, other].filter(({ userId }) => userId === source).map(({ viewId }) => viewId)
      : [],
  "AlertComment.author": ifVisible(there(({ userId }) => userId)),
  // One group for each facility.
  "AlertStatistic.facility": everywhere(facility),
  "AlertStatistic.camera": everywhere(camera),
  "AlertStatistic.alertRule": ({ caller }) =>
    caller.sites
      .map(({ alertRuleId }) => alertRuleId)
      .filter((alertRuleId) => caller.sites.some(({ ruleId }) => ruleId === alertRuleId)),
  "Delivery.alert": unlessMail(there(({ alertIds }) => alertIds[0] as string)),
  "Delivery.alertRule": unlessMail(({ caller, site }) =>
    caller.sites.map(({ ruleId }) => ruleId).filter((ruleId) => ruleId === site?.alertRuleId),
  ),
  "Delivery.camera": unlessMail(there(camera)),
  "Delivery.facility": unlessMail(there(facility)),
};

/** The kind of object of an id. */
export type IdKind =
  | ("workspace" | "facility" | "camera" | "alert" | "rule" | "area" | "job" | "user" | "key" | "upload")
  | (
      | "streamRequest"
      | "delivery"
      | "comment"
      | "entry"
      | "view"
      | "connector"
      | "invitation"
      | "mail"
      | "change"
    );

/** The ids of a facility, or of its workspace, by kind. */
export const idOf: Record<IdKind, (site: MarkedFacility) => string> = {
  workspace: (site) => site.workspaceId,
  facility,
  camera,
  alert: (site) => site.alertIds[0] as string,
  rule: (site) => site.ruleId,
  area: (site) => site.areaId,
  job: (site) => site.jobId,
  user: (site) => site.userId,
  key: (site) => site.keyId,
  invitation: (site) => site.invitationId,
  mail: (site) => site.mailId,
  upload: (site) => site.uploadId,
  streamRequest: (site) => site.streamRequestId,
  delivery: (site) => site.deliveryId,
  comment: (site) => site.commentId,
  entry: (site) => site.entryId,
  connector: (site) => site.connectorId,
  view: (site) => site.viewId,
  change: (site) => site.changeId,
};

/** The kinds of ids that belong to the workspace as a whole. */
export const kindsOfWorkspace = new Set<IdKind>([
  "workspace",
  "user",
  "key",
  "connector",
  "invitation",
  "mail",
  "entry",
]);

/** The kind of the ids in the node ids of each type. */
export const kindsOfNodes: Record<string, IdKind> = {
  ...{
    Workspace: "workspace",
    Facility: "facility",
    Camera: "camera",
    AlertRule: "rule",
    Alert: "alert",
    User: "user",
    ApiKey: "key",
    Connector: "connector",
  },
  ...{ AuditEntry: "entry", StreamRequest: "streamRequest", Delivery: "delivery" },
};

type VisibleIds = (caller: Caller, isolation: IsolationSite) => string[];
const atSites =
  (ids: (site: MarkedFacility) => string | string[]): VisibleIds =>
  ({ sites }) =>
    sites.flatMap(ids);
/**
 * Callers who may read users only at single facilities see the users with permissions
 * there. Users always see themselves.
 */
const visibleUsers: VisibleIds = ({ users, userId, sites }, { near, far, granted, callers }) => {
  const ofSites = sites.flatMap((site) =>
    site === near ? granted : site === far ? [callers.admin.userId as string] : [],
  );
  return users ?? [...new Set([...(userId ? [userId] : []), ...ofSites])];
};

/** The ids of the objects of each type that are visible as nodes. */
export const visibleNodes: Record<string, VisibleIds> = {
  Workspace: ({ workspaceId }) => [workspaceId],
  Facility: atSites(facility),
  Camera: atSites(camera),
  AlertRule: atSites(idOf.rule),
  Alert: atSites(({ alertIds }) => alertIds),
  StreamRequest: atSites(idOf.streamRequest),
  Delivery: ({ sites, mails }) => [...sites.map(idOf.delivery), ...(mails ?? [])],
  User: visibleUsers,
  ApiKey: ({ keys }) => keys ?? [],
  Connector: ({ connectors }) => connectors ?? [],
  AuditEntry: ({ entries }) => entries ?? [],
};

/**
 * Callers who ask about objects that are hidden from them. Nobody sends no credentials.
 */
export const askingCallers = [
  "otherAdmin",
  "otherKey",
  "siteUser",
  "limitedKey",
  "withoutPermissions",
  "nobody",
] as const;
export type AskingCaller = (typeof askingCallers)[number];

/**
 * The callers who ask at a position: only one of another workspace and one of the same,
 * if the same code reads the id at another position with all callers. Each list of alerts
 * has such a position, the rules.
 */
export const askingCallersOf = (position: string): readonly AskingCaller[] =>
  /^(?!Query\.searchCameras).*\(filter\.(?!alertRuleIds)|^Query\.node\(/.test(position)
    ? ["otherAdmin", "siteUser"]
    : askingCallers;

/** Nobody sees as much as a user without permissions. */
export const callerOf = ({ callers }: IsolationSite, name: AskingCaller): Caller =>
  callers[name === "nobody" ? "withoutPermissions" : name];
export const senderOf = (site: IsolationSite, name: AskingCaller): Sender =>
  name === "nobody" ? "nobody" : callerOf(site, name).as;

/** Recording an alert uses up its id, so each caller tries another. */
export const hiddenId = (kind: IdKind, site: MarkedFacility, name: AskingCaller) =>
  kind === "alert"
    ? (site.alertIds[askingCallers.indexOf(name) % site.alertIds.length] as string)
    : idOf[kind](site);

/**
 * The facilities to ask about: another one of the caller's workspace, or one of another
 * workspace.
 */
export const hiddenFrom = ({ hidden, workspaceId }: Caller, kind: IdKind): MarkedFacility[] => {
  const candidates = kindsOfWorkspace.has(kind)
    ? hidden.filter((site) => site.workspaceId !== workspaceId)
    : hidden;
  return candidates.slice(0, 1);
};

/**
 * Groups of callers. During the requests of a group, no row may change that is hidden
 * from its last caller. If any caller of a group is allowed something, each caller is a
 * group.
 */
export const groupsToWatch = (
  outcomes: Record<AskingCaller, Outcome>,
  names: readonly AskingCaller[] = askingCallers,
): AskingCaller[][] =>
  Object.values(outcomes).includes("allowed") ? names.map((name) => [name]) : [[...names]];

/** The outcome for a caller: data, null, an empty list, or an error by its code. */
export type Outcome =
  | "allowed"
  | "null"
  | "empty"
  | "BAD_REQUEST"
  | "UNAUTHENTICATED"
  | "FORBIDDEN"
  | "NOT_FOUND"
  | "CONFLICT"
  | "UNAVAILABLE";

/**
 * The outcome for each caller who asks with a hidden id or, if there is no id, at all.
 */
export interface Expectation {
  /** The kind of the id. */
  id?: IdKind;
  outcomes: Record<AskingCaller, Outcome>;
  /** The outcome for callers who ask about another facility of their workspace. */
  inWorkspace?: Outcome;
  /** The outcome for callers who ask about a hidden rule that their own alerts name. */
  ifNamedByAlerts?: Outcome;
  /** An optional argument that is given, too. */
  alsoGiven?: string;
  /** Another argument, which has to be the same ID. */
  sameAs?: string;
}

/** The same outcome for all authenticated callers, with exceptions. */
const answers = (
  usually: Outcome,
  except: Partial<Record<AskingCaller, Outcome>> = {},
): Record<AskingCaller, Outcome> => ({
  ...{
    otherAdmin: usually,
    otherKey: usually,
    siteUser: usually,
    limitedKey: usually,
    withoutPermissions: usually,
    nobody: "UNAUTHENTICATED",
  },
  ...except,
});
const asked = (
  id: IdKind,
  usually: Outcome,
  except?: Partial<Record<AskingCaller, Outcome>>,
): Expectation => ({
  id,
  outcomes: answers(usually, except),
});
const plain = (usually: Outcome, except?: Partial<Record<AskingCaller, Outcome>>): Expectation => ({
  outcomes: answers(usually, except),
});

/** Hidden objects are null as nodes. */
const asNodes = (field: string, path: string) =>
  Object.fromEntries(
    Object.entries(kindsOfNodes).map(([type, kind]) => [`${field}(${path} of ${type})`, asked(kind, "null")]),
  );

/**
 * Callers with permissions at single facilities only, or with none, for fields that need
 * a permission in the workspace.
 */
const ofWorkspace = {
  siteUser: "FORBIDDEN",
  limitedKey: "FORBIDDEN",
  withoutPermissions: "FORBIDDEN",
} as const;
const ofKeys = {
  otherAdmin: "FORBIDDEN",
  siteUser: "FORBIDDEN",
  withoutPermissions: "FORBIDDEN",
} as const;
const ofUsers = { otherKey: "FORBIDDEN", limitedKey: "FORBIDDEN" } as const;
const listed = { withoutPermissions: "empty" } as const;
const heldSomewhere = { withoutPermissions: "FORBIDDEN" } as const;
const notVisible = { withoutPermissions: "NOT_FOUND" } as const;
const openToAll = { nobody: "NOT_FOUND" } as const;

const filters: [string, IdKind][] = [
  ["filter.facilityId", "facility"],
  ["filter.facilityIds", "facility"],
  ["filter.cameraIds", "camera"],
  ["filter.alertRuleIds", "rule"],
  ["filter.areaId", "area"],
  ["filter.areaIds", "area"],
];
/** A list of alerts matches nothing by something that the caller cannot see. */
const filtered = (
  field: string,
  outcome: Outcome,
  except?: Partial<Record<AskingCaller, Outcome>>,
  more: Pick<Expectation, "alsoGiven"> = {},
) => {
  const ofRules = !field.startsWith("AlertRule.") && { ifNamedByAlerts: "allowed" as const };
  const expectation = (kind: IdKind) => ({
    ...asked(kind, outcome, except),
    ...(kind === "rule" && ofRules),
    ...more,
  });
  return Object.fromEntries(filters.map(([path, kind]) => [`${field}(${path})`, expectation(kind)]));
};
/** Callers that are not users must name a user. */
const named = { alsoGiven: "userId" };
/** At least one mark must be given. */
const marking = { alsoGiven: "marks.acknowledged" };

/**
 * Every field of Query, Mutation and Subscription: without an id if it needs none, and
 * with each id that it or a field of another type takes.
 */
export const fieldExpectations: Record<string, Expectation> = {
  "Query.me": plain("allowed", ofUsers),
  "Query.workspace": plain("allowed"),
  "Query.facilities": plain("allowed", listed),
  "Query.facility(id)": asked("facility", "null"),
  "Query.cameras": plain("allowed", listed),
  "Query.cameras(facilityId)": asked("facility", "empty"),
  "Query.camera(id)": asked("camera", "null"),
  "Query.searchCameras": plain("allowed", listed),
  "Query.searchCameras(filter.facilityIds)": asked("facility", "empty"),
  "Query.cameraStateCounts": plain("allowed", listed),
  "Query.cameraStateCounts(filter.facilityIds)": asked("facility", "empty"),
  "Query.alerts": plain("allowed", listed),
  ...filtered("Query.alerts", "empty"),
  "Query.alert(id)": asked("alert", "null"),
  "Query.alertCounts": plain("allowed", listed),
  ...filtered("Query.alertCounts", "empty"),
  "Query.alertStatistics": plain("allowed", listed),
  ...filtered("Query.alertStatistics", "empty"),
  // The file then has no rows.
  "Query.exportAlerts": plain("allowed", heldSomewhere),
  ...filtered("Query.exportAlerts", "allowed", heldSomewhere),
  "Query.auditLog": plain("allowed", ofWorkspace),
  ...asNodes("Query.node", "nodeId"),
  ...asNodes("Query.nodes", "nodeIds"),
  ...asNodes("Query._entities", "representations"),
  // Outside of production everyone may read the schema.
  "Query._service": plain("allowed", { nobody: "allowed" }),
  "Query.auditLog(actorId)": asked("user", "empty", ofWorkspace),
  "Query.auditLog(targetId)": asked("camera", "empty", ofWorkspace),
  ...filtered("Workspace.alerts", "empty"),
  ...filtered("Facility.alerts", "empty"),
  ...filtered("Facility.alertCounts", "empty"),
  ...filtered("Camera.alerts", "empty"),
  ...filtered("Camera.alertCounts", "empty"),
  // Without alerts, all cells are 0.
  ...filtered("Camera.alertHeatmap", "allowed", listed),
  "Camera.analysisJob(id)": asked("job", "null", listed),
  ...filtered("AlertRule.alerts", "empty"),

  "Mutation.createCamera(facilityId)": asked("facility", "NOT_FOUND"),
  // Devices are not kept here: their ids are free.
  "Mutation.createCamera(input.facilityNodeId)": asked("area", "allowed", notVisible),
  "Mutation.createClientCamera(facilityId)": asked("facility", "NOT_FOUND"),
  "Mutation.updateCamera(id)": asked("camera", "NOT_FOUND"),
  "Mutation.updateCamera(input.facilityNodeId)": asked("area", "allowed", notVisible),
  "Mutation.deleteCamera(id)": asked("camera", "NOT_FOUND"),
  "Mutation.setCameraStatusDetail(id)": asked("camera", "NOT_FOUND"),
  "Mutation.requestStreamProbe(cameraId)": asked("camera", "NOT_FOUND"),
  // The id that a stream request is shown by is not the one that authorizes its
  // callbacks.
  "Mutation.recordStreamThumbnail(requestId)": asked("streamRequest", "NOT_FOUND", openToAll),
  "Mutation.recordStreamMetadata(requestId)": asked("streamRequest", "NOT_FOUND", openToAll),
  "Mutation.recordStreamError(requestId)": asked("streamRequest", "NOT_FOUND", openToAll),
  "Mutation.updateWorkspace": plain("allowed", ofWorkspace),
  "Mutation.createFacility": plain("allowed", ofWorkspace),
  "Mutation.updateFacility(id)": asked("facility", "NOT_FOUND"),
  "Mutation.renameFacility(id)": asked("facility", "NOT_FOUND"),
  "Mutation.deleteFacility(id)": asked("facility", "NOT_FOUND"),
  "Mutation.recordHeartbeat(facilityId)": asked("facility", "NOT_FOUND"),
  "Mutation.grantFacilityAccess(facilityId)": { ...asked("facility", "NOT_FOUND"), ...named },
  "Mutation.grantFacilityAccess(userId)": asked("user", "NOT_FOUND"),
  "Mutation.removeFacilityAccess(facilityId)": { ...asked("facility", "NOT_FOUND"), ...named },
  "Mutation.removeFacilityAccess(userId)": asked("user", "NOT_FOUND"),
  "Mutation.createAlertRule(cameraId)": asked("camera", "NOT_FOUND"),
  "Mutation.updateAlertRule(id)": asked("rule", "NOT_FOUND"),
  "Mutation.deleteAlertRule(id)": asked("rule", "NOT_FOUND"),
  "Mutation.snoozeCamera(id)": asked("camera", "NOT_FOUND"),
  "Mutation.snoozeAlertRule(id)": asked("rule", "NOT_FOUND"),
  "Mutation.testAlertRule(cameraId)": { ...asked("camera", "NOT_FOUND"), sameAs: "frames.cameraId" },
  "Mutation.testAlertRule(frames.cameraId)": { ...asked("camera", "NOT_FOUND"), sameAs: "cameraId" },
  // Nothing is raised, so no upload is looked up.
  "Mutation.testAlertRule(frames.uploadId)": asked("upload", "allowed", notVisible),
  "Mutation.createAlertUpload(cameraId)": asked("camera", "NOT_FOUND"),
  // The ids of alerts are unique in a workspace, so a used one is a conflict there, which
  // the detector has to know.
  "Mutation.recordAlerts(input.id)": { ...asked("alert", "allowed", notVisible), inWorkspace: "CONFLICT" },
  "Mutation.recordAlerts(input.cameraId)": asked("camera", "NOT_FOUND"),
  "Mutation.recordAlerts(input.alertRuleId)": asked("rule", "BAD_REQUEST", notVisible),
  "Mutation.recordAlerts(input.uploadId)": asked("upload", "BAD_REQUEST", notVisible),
  // Areas may be gone when their alerts arrive.
  "Mutation.recordAlerts(input.areaIds)": asked("area", "allowed", notVisible),
  "Mutation.recordDetections(input.cameraId)": asked("camera", "NOT_FOUND"),
  // Nothing is raised here, so no upload is looked up.
  "Mutation.recordDetections(input.uploadId)": asked("upload", "allowed", notVisible),
  "Mutation.setAlertBookmark(id)": asked("alert", "NOT_FOUND"),
  "Mutation.setAlertFalsePositive(id)": asked("alert", "NOT_FOUND"),
  "Mutation.markAlerts(ids)": { ...asked("alert", "NOT_FOUND"), ...marking },
  "Mutation.markMatchingAlerts": { ...plain("allowed"), ...marking },
  // Of nothing, nothing changes.
  ...filtered("Mutation.markMatchingAlerts", "allowed", {}, marking),
  "Mutation.undoMarks(changeId)": asked("change", "NOT_FOUND"),
  "Mutation.commentAlert(id)": asked("alert", "NOT_FOUND"),
  "Mutation.editAlertComment(id)": asked("comment", "NOT_FOUND"),
  "Mutation.deleteAlertComment(id)": asked("comment", "NOT_FOUND"),
  "Mutation.deleteAlerts(ids)": asked("alert", "NOT_FOUND"),
  "Mutation.redeliver(ids)": asked("delivery", "NOT_FOUND"),
  "Mutation.sendTestDelivery(alertRuleId)": asked("rule", "NOT_FOUND"),
  "Mutation.updateMe": plain("allowed", ofUsers),
  "Mutation.updateMyLocale": plain("allowed", ofUsers),
  "Mutation.updateMyPhoneNumber": plain("allowed", ofUsers),
  "Mutation.updateMyPicture": plain("allowed", ofUsers),
  "Mutation.markSeen": plain("allowed", ofUsers),
  "Mutation.setDigest": plain("allowed", ofUsers),
  "Mutation.setDigest(input.facilityIds)": asked("facility", "NOT_FOUND", ofUsers),
  "Mutation.saveView": plain("allowed", ofUsers),
  "Mutation.saveView(input.id)": asked("view", "NOT_FOUND", ofUsers),
  "Mutation.deleteView(id)": asked("view", "NOT_FOUND", ofUsers),
  "Mutation.createUser": plain("allowed", ofWorkspace),
  "Mutation.updateUser(id)": asked("user", "NOT_FOUND", ofWorkspace),
  "Mutation.setUserRoles(userId)": asked("user", "NOT_FOUND", ofWorkspace),
  "Mutation.removeUser(userId)": asked("user", "NOT_FOUND", ofWorkspace),
  "Mutation.inviteUser": plain("allowed", ofWorkspace),
  "Mutation.inviteUser(input.accesses.facilityId)": asked("facility", "NOT_FOUND", ofWorkspace),
  "Mutation.revokeInvitation(id)": asked("invitation", "NOT_FOUND", ofWorkspace),
  "Mutation.resendInvitation(id)": asked("invitation", "NOT_FOUND", ofWorkspace),
  "Mutation.requestSignInLink": plain("UNAVAILABLE", { nobody: "UNAVAILABLE" }),
  "Mutation.signIn": plain("UNAUTHENTICATED"),
  "Mutation.renewSession": plain("FORBIDDEN"),
  "Mutation.signOutEverywhere": plain("allowed", ofUsers),
  "Mutation.createApiKey": plain("allowed", ofWorkspace),
  "Mutation.createApiKey(input.facilityIds)": asked("facility", "NOT_FOUND", ofWorkspace),
  "Mutation.rotateApiKey(id)": asked("key", "NOT_FOUND", ofWorkspace),
  "Mutation.updateApiKey(id)": asked("key", "NOT_FOUND", ofWorkspace),
  "Mutation.revokeApiKey(id)": asked("key", "NOT_FOUND", ofWorkspace),
  "Mutation.reportConnector": plain("allowed", ofKeys),
  // It is not looked up.
  "Mutation.reportConnector(input.unmapped.cameraId)": asked("camera", "allowed", ofKeys),

  "Subscription.alertRaised": plain("allowed"),
  "Subscription.alertRaised(facilityId)": asked("facility", "NOT_FOUND"),
  "Subscription.alertRaised(cameraId)": asked("camera", "NOT_FOUND"),
  "Subscription.alertChanged": plain("allowed"),
  "Subscription.alertChanged(facilityId)": asked("facility", "NOT_FOUND"),
  "Subscription.alertChanged(cameraId)": asked("camera", "NOT_FOUND"),
  "Subscription.cameraStatusChanged": plain("allowed"),
  "Subscription.cameraStatusChanged(facilityId)": asked("facility", "NOT_FOUND"),
  "Subscription.facilityHeartbeat": plain("allowed"),
};

/**
 * The mutations that make the events of subscriptions, and the record whose event each
 * subscription shows.
 */
export const eventExpectations: Record<
  string,
  { mutation: string; shows: (site: MarkedFacility) => string }
> = {
  "Subscription.alertRaised": {
    mutation: `mutation ($alertId: UUID!, $cameraId: UUID!, $now: DateTimeISO!) {
      recordAlerts(input: [{ id: $alertId, cameraId: $cameraId, name: "ALERT", createdAt: $now }]) { recorded }
    }`,
    shows: camera,
  },
  "Subscription.alertChanged": {
    // The alert that was recorded just now.
    mutation:
      "mutation ($alertId: UUID!) { markAlerts(ids: [$alertId], marks: { acknowledged: true }) { alerts { id } } }",
    shows: camera,
  },
  "Subscription.cameraStatusChanged": {
    mutation:
      "mutation ($cameraId: UUID!, $detail: String!) { setCameraStatusDetail(id: $cameraId, input: { statusDetail: $detail, source: TRACKER }) { id } }",
    shows: camera,
  },
  "Subscription.facilityHeartbeat": {
    mutation: "mutation ($facilityId: UUID!) { recordHeartbeat(facilityId: $facilityId) { id } }",
    shows: facility,
  },
};

const notForUsers = {
  otherAdmin: "UNAUTHENTICATED",
  siteUser: "UNAUTHENTICATED",
  withoutPermissions: "UNAUTHENTICATED",
} as const;
const alertFilters = (route: string) => ({
  [`${route} (query.facilityId)`]: asked("facility", "empty"),
  [`${route} (query.cameraId)`]: asked("camera", "empty"),
  [`${route} (query.areaId)`]: asked("area", "empty"),
});
const ofCamera = (route: string) => ({ [`${route} (path.cameraId)`]: asked("camera", "NOT_FOUND") });
const ofFacility = (route: string) => ({ [`${route} (path.facilityId)`]: asked("facility", "NOT_FOUND") });

/** Every route: without an id if it needs none, and with each id that it takes. */
export const routeExpectations: Record<string, Expectation> = {
  "GET /cameras": plain("allowed", listed),
  ...ofCamera("GET /cameras/:cameraId"),
  ...ofCamera("PATCH /cameras/:cameraId"),
  "PATCH /cameras/:cameraId (body.facilityNodeId)": asked("area", "allowed", notVisible),
  ...ofCamera("DELETE /cameras/:cameraId"),
  // The id that a stream request is shown by is not the one that authorizes its
  // callbacks.
  "POST /cameras/thumbnail/:requestId (path.requestId)": asked("streamRequest", "NOT_FOUND", openToAll),
  "POST /cameras/metadata/:requestId (path.requestId)": asked("streamRequest", "NOT_FOUND", openToAll),
  "POST /cameras/feedserver/error/:requestId (path.requestId)": asked(
    "streamRequest",
    "NOT_FOUND",
    openToAll,
  ),
  ...ofCamera("GET /cameras/:cameraId/calibration"),
  ...ofCamera("GET /cameras/:cameraId/analysis_jobs"),
  ...ofCamera("GET /cameras/:cameraId/analysis_jobs/:jobId"),
  "GET /cameras/:cameraId/analysis_jobs/:jobId (path.jobId)": asked("job", "NOT_FOUND"),
  ...ofCamera("GET /cameras/:cameraId/alert_rules"),
  "PATCH /cameras/:cameraId/status_detail (path.cameraId)": asked("camera", "NOT_FOUND", notForUsers),
  ...ofFacility("GET /facilities/:facilityId/cameras"),
  ...ofFacility("POST /facilities/:facilityId/cameras"),
  "POST /facilities/:facilityId/cameras (body.facilityNodeId)": asked("area", "allowed", notVisible),
  ...ofFacility("POST /facilities/:facilityId/client_cameras"),
  "GET /alerts": plain("allowed", listed),
  ...alertFilters("GET /alerts"),
  ...ofCamera("GET /cameras/:cameraId/alerts"),
  "GET /cameras/:cameraId/alerts (query.facilityId)": asked("facility", "empty", notVisible),
  "GET /cameras/:cameraId/alerts (query.cameraId)": asked("camera", "empty", notVisible),
  "GET /cameras/:cameraId/alerts (query.areaId)": asked("area", "empty", notVisible),
  ...ofCamera("GET /cameras/:cameraId/alerts/last"),
  ...ofCamera("GET /cameras/:cameraId/alerts/count"),
  "DELETE /alerts/:alertId (path.alertId)": asked("alert", "NOT_FOUND"),
  "DELETE /alerts (query.alertId)": asked("alert", "NOT_FOUND"),
  "GET /alerts/export": plain("allowed", heldSomewhere),
  "GET /alerts/export (query.facilityId)": asked("facility", "empty", heldSomewhere),
  "GET /alerts/export (query.cameraId)": asked("camera", "empty", heldSomewhere),
  "GET /alerts/export (query.areaId)": asked("area", "empty", heldSomewhere),
  "GET /facilities": plain("allowed", listed),
  ...ofFacility("GET /facilities/:facilityId"),
  ...ofFacility("PATCH /facilities/:facilityId"),
  ...ofFacility("GET /workspaces/facilities/:facilityId"),
  "GET /workspaces/facilities": plain("allowed", listed),
  "POST /facilities/:facilityId/heartbeat (path.facilityId)": asked("facility", "NOT_FOUND", notForUsers),
  "GET /user": plain("allowed", ofUsers),
  "PATCH /user": plain("allowed", ofUsers),
  "PATCH /user/picture": plain("allowed", ofUsers),
  "PATCH /user/phone_number": plain("allowed", ofUsers),
  ...ofFacility("POST /facilities/:facilityId/give_access"),
  "POST /facilities/:facilityId/give_access (body.userId)": asked("user", "NOT_FOUND"),
  ...ofFacility("POST /facilities/:facilityId/remove_access"),
  "POST /facilities/:facilityId/remove_access (body.userId)": asked("user", "NOT_FOUND"),
};
