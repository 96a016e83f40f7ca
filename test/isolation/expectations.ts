import {
  type GraphQLArgument,
  type GraphQLInputField,
  getNamedType,
  isInputObjectType,
  isNonNullType,
  OperationTypeNode,
} from "graphql";
import type { Sender } from "../support/harness.js";
import { pathParameters, type RouteCase } from "../support/route-cases.js";
import type { Caller, IsolationSite, MarkedFacility } from "./isolation-site.js";
import { type AskedField, positions, withoutIds } from "./schema-walk.js";

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
/** Records of their own alone. */
const ofCaller =
  (id: (site: MarkedFacility) => string): EdgeExpectation =>
  ({ caller, source, isolation: { near, far, other } }) =>
    source === caller.userId ? [near, far, other].filter(({ userId }) => userId === source).map(id) : [];
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
  "Facility.snoozedBy": ifVisible(there(({ userId }) => userId)),
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
  "User.savedViews": ofCaller(({ viewId }) => viewId),
  "User.sessions": ofCaller(({ sessionId }) => sessionId),
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
      | "session"
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
  session: (site) => site.sessionId,
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
  /^(?!Query\.searchCameras).*\(filter\.(?!alertRuleIds)|^Query\.(?:node|_entities)\(/.test(position)
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

/** What the schema says about the argument at a path such as `input.cameraId`. */
function descriptionOf(field: AskedField["field"], path: string): string {
  let inputs: readonly (GraphQLArgument | GraphQLInputField)[] = field.args;
  let description = "";
  for (const name of path.split(".")) {
    const input = inputs.find((each) => each.name === name);
    description = input?.description ?? "";
    const type = input && getNamedType(input.type);
    inputs = isInputObjectType(type) ? Object.values(type.getFields()) : [];
  }
  return description;
}

/** The kinds of ids by what descriptions say, such as "The IDs of the cameras" and "Only of this camera". */
const describedKinds = Object.entries<IdKind>({
  ...{ facilit: "facility", camera: "camera", alert: "alert", rule: "rule", job: "job", user: "user" },
  ...{ "API key": "key", invitation: "invitation", comment: "comment", deliver: "delivery", view: "view" },
  ...{ session: "session", upload: "upload", "(?:violated |at most 1000 )area": "area" },
}).map(
  ([word, kind]) =>
    [new RegExp(`^(?:The IDs? of (?:the |an? )?|Only .*this )${word}(?!\\w*')`), kind] as const,
);

/** The outcomes for callers who lack what a field requires by its description. */
function outcomesWithout({ field, operation }: AskedField): Partial<Record<AskingCaller, Outcome>> {
  const { description, type } = field;
  if (/Requires \S+ in the workspace/.test(description ?? "")) return ofWorkspace;
  if (/FORBIDDEN if the caller is an API key/.test(description ?? "")) return ofUsers;
  return operation === OperationTypeNode.QUERY && /^\[|Connection!$/.test(String(type)) ? listed : {};
}

/** At least one mark must be given. */
const marking = { alsoGiven: "marks.acknowledged" };
/** Comments and their alerts are hidden from keys as from users. */
const ofComments = { outcomes: answers("NOT_FOUND") };
/** Callbacks are for those who know a capability. The id that shows a request is none. */
const ofCallbacks = asked("streamRequest", "NOT_FOUND", { nobody: "NOT_FOUND" });

/**
 * What differs from what the schema implies, for fields with or without the paths of ids.
 * An exception of a field is one of each of its ids, too.
 */
export const fieldExceptions: Record<string, Partial<Expectation>> = {
  // The file then has no rows.
  "Query.exportAlerts": { outcomes: answers("allowed", heldSomewhere) },
  // Outside of production everyone may read the schema.
  "Query._service": { outcomes: answers("allowed", { nobody: "allowed" }) },
  "Query.auditLog(actorId)": { id: "user" },
  "Query.auditLog(targetId)": { id: "camera" },
  // Without alerts, all cells are 0.
  "Camera.alertHeatmap": { outcomes: answers("allowed", listed) },
  "Camera.analysisJob": { outcomes: answers("null", listed) },
  // Devices are not kept here: their ids are free.
  "Mutation.createCamera(input.facilityNodeId)": asked("area", "allowed", notVisible),
  "Mutation.updateCamera(input.facilityNodeId)": asked("area", "allowed", notVisible),
  "Mutation.recordStreamThumbnail(requestId)": ofCallbacks,
  "Mutation.recordStreamMetadata(requestId)": ofCallbacks,
  "Mutation.recordStreamError(requestId)": ofCallbacks,
  // Callers that are not users must name a user.
  "Mutation.grantFacilityAccess": { alsoGiven: "userId" },
  "Mutation.removeFacilityAccess": { alsoGiven: "userId" },
  "Mutation.testAlertRule(cameraId)": { sameAs: "frames.cameraId" },
  "Mutation.testAlertRule(frames.cameraId)": { sameAs: "cameraId" },
  // Nothing is raised, so no upload is looked up.
  "Mutation.testAlertRule(frames.uploadId)": asked("upload", "allowed", notVisible),
  "Mutation.recordDetections(input.uploadId)": asked("upload", "allowed", notVisible),
  // The ids of alerts are unique in a workspace, so a used one is a conflict there, which
  // the detector has to know.
  "Mutation.recordAlerts(input.id)": { ...asked("alert", "allowed", notVisible), inWorkspace: "CONFLICT" },
  "Mutation.recordAlerts(input.alertRuleId)": asked("rule", "BAD_REQUEST", notVisible),
  "Mutation.recordAlerts(input.uploadId)": asked("upload", "BAD_REQUEST", notVisible),
  "Mutation.recordAlerts(input.clipUploadId)": asked("upload", "BAD_REQUEST", notVisible),
  // The alert has a clip, and keeps it whatever the upload is.
  "Mutation.addAlertClip(uploadId)": asked("upload", "CONFLICT", notVisible),
  // One of its two ids must be given.
  "Mutation.createAlertUpload": { outcomes: answers("BAD_REQUEST") },
  "Mutation.createAlertUpload(cameraId)": asked("camera", "NOT_FOUND"),
  "Mutation.createAlertUpload(facilityId)": asked("facility", "NOT_FOUND"),
  // Areas may be gone when their alerts arrive.
  "Mutation.recordAlerts(input.areaIds)": asked("area", "allowed", notVisible),
  "Mutation.markAlerts": marking,
  // Of nothing, nothing changes.
  "Mutation.markMatchingAlerts": { outcomes: answers("allowed"), ...marking },
  "Mutation.undoMarks(changeId)": { id: "change" },
  "Mutation.commentAlert": ofComments,
  "Mutation.editAlertComment": ofComments,
  "Mutation.deleteAlertComment": ofComments,
  "Mutation.requestSignInLink": { outcomes: answers("UNAVAILABLE", { nobody: "UNAVAILABLE" }) },
  "Mutation.signIn": { outcomes: answers("UNAUTHENTICATED") },
  "Mutation.renewSession": { outcomes: answers("FORBIDDEN") },
  "Mutation.signOutEverywhere": { outcomes: answers("allowed", ofUsers) },
  "Mutation.reportConnector": { outcomes: answers("allowed", ofKeys) },
  // It is not looked up.
  "Mutation.reportConnector(input.unmapped.cameraId)": { id: "camera" },
};

/** The outcomes that the types and descriptions of the schema imply. */
function impliedOutcomes(field: AskedField, path?: string): Expectation["outcomes"] {
  const without = outcomesWithout(field);
  if (path === undefined) return answers("allowed", without);
  if (field.operation !== OperationTypeNode.QUERY) return answers("NOT_FOUND", without);
  return answers(isNonNullType(field.field.type) ? "empty" : "null", without === listed ? {} : without);
}

/** What a field answers, with a hidden id at a path or, without one, at all. */
function expectationAt(field: AskedField, position: string, path?: string, nodeType?: string): Expectation {
  if (nodeType) return asked(kindsOfNodes[nodeType] as IdKind, "null");
  const exception = { ...fieldExceptions[field.name], ...fieldExceptions[position] };
  const outcomes = exception.outcomes ?? impliedOutcomes(field, path);
  if (path === undefined) return { ...exception, outcomes };
  const description = descriptionOf(field.field, path);
  const id = exception.id ?? describedKinds.find(([word]) => word.test(description))?.[1];
  if (!id) throw new Error(`Say what kind of id ${position} takes`);
  // A rule's own alerts name that rule alone.
  const namedByAlerts = path === "filter.alertRuleIds" && !field.name.startsWith("AlertRule.");
  return { ...exception, id, outcomes, ...(namedByAlerts && { ifNamedByAlerts: "allowed" }) };
}

/**
 * Every field of Query, Mutation and Subscription: without an id if it needs none, and
 * with each id that it or a field of another type takes.
 */
export const fieldExpectations: Record<string, Expectation> = Object.fromEntries([
  ...withoutIds.map((field) => [field.name, expectationAt(field, field.name)]),
  ...positions.map(({ asked: field, position, path, nodeType }) => [
    position,
    expectationAt(field, position, path, nodeType),
  ]),
]);

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
/** An id that a route takes, and its part of the request. */
export interface RouteId {
  part: "path" | "query" | "body";
  name: string;
}

const idsIn = (parameters: Record<string, { isId: boolean }> = {}) =>
  Object.keys(parameters).filter((name) => parameters[name]?.isId);

/** The ids that a route takes. */
export const idsOfRoute = ({ path, query, sends }: RouteCase): RouteId[] => [
  ...pathParameters({ path }).map((name): RouteId => ({ part: "path", name })),
  ...idsIn(query).map((name): RouteId => ({ part: "query", name })),
  ...idsIn(sends).map((name): RouteId => ({ part: "body", name })),
];

const kindsOfRoutes: Record<string, IdKind> = {
  ...{ cameraId: "camera", facilityId: "facility", alertId: "alert", jobId: "job", userId: "user" },
  ...{ areaId: "area", facilityNodeId: "area", requestId: "streamRequest" },
};

function outcomesOfRoute({ number, method, usersOnly, open, basicOnly }: RouteCase, id?: RouteId) {
  // An export has no rows, and needs alerts:read.
  const isExport = number === 22;
  if (!id) return answers("allowed", usersOnly ? ofUsers : isExport ? heldSomewhere : listed);
  if (id.name === "facilityNodeId") return answers("allowed", notVisible);
  if (open) return ofCallbacks.outcomes;
  if (id.part !== "query" || method !== "get") return answers("NOT_FOUND", basicOnly ? notForUsers : {});
  // Filters of a camera's alerts.
  const ofCamera = number === 17 ? notVisible : {};
  return answers("empty", isExport ? heldSomewhere : ofCamera);
}

/** What a route answers, with a hidden id or, without one, at all. */
export function expectationOfRoute(route: RouteCase, id?: RouteId): Expectation {
  const kind = id && kindsOfRoutes[id.name];
  if (id && !kind) throw new Error(`Say what kind of id ${route.path} takes as ${id.name}`);
  return { ...(kind && { id: kind }), outcomes: outcomesOfRoute(route, id) };
}
