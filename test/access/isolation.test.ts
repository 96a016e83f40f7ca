import { type GraphQLField, type GraphQLObjectType, getNamedType, isObjectType } from "graphql";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { permissions } from "../../src/access/permissions.js";
import { schema } from "../../src/graphql/schema.js";
import { alertType, allTime, type CompleteFacility, createCompleteFacility } from "../support/complete-facility.js";
import { createApiKey, createUser, createWorkspace, grantAccess } from "../support/factories.js";
import { type Gateway, type Sender, startGateway } from "../support/harness.js";

/** A caller and exactly what they must see, through any path. */
interface Viewer {
  as: Sender;
  workspaceId: string;
  /** The user's id; absent for an API key. */
  userId?: string;
  sites: CompleteFacility[];
  /** Whether alerts:read is held anywhere. */
  readsAlerts: boolean;
  /** The ids of all users, keys, and audit entries in the workspace, for callers with every permission. */
  users: string[] | null;
  keys: string[] | null;
  entries: string[] | null;
}

let gateway: Gateway;
/** Two facilities in one workspace, and one in another. */
let near: CompleteFacility;
let far: CompleteFacility;
let other: CompleteFacility;
const viewers: Record<string, Viewer> = {};

beforeAll(async () => {
  gateway = await startGateway({ seed: "none" });
  const { prisma } = gateway;
  const workspaceId = await createWorkspace(prisma, {});
  const otherWorkspaceId = await createWorkspace(prisma, {});
  near = await createCompleteFacility(prisma, { workspaceId, name: "A", alerts: 2, newest: "2026-11-20T12:00:00Z" });
  // Some callers can see these alerts but not their rule.
  far = await createCompleteFacility(prisma, { workspaceId, name: "B", alerts: 3, newest: "2026-11-20T10:00:00Z", alertRuleId: near.ruleId });
  other = await createCompleteFacility(prisma, {
    workspaceId: otherWorkspaceId,
    name: "C",
    alerts: 5,
    newest: "2026-11-20T11:00:00Z",
    alertRuleId: near.ruleId,
  });

  const admin = await createUser(prisma, { workspaceId, authId: "a|admin", roles: [...permissions] });
  const siteUser = await createUser(prisma, { workspaceId, authId: "b|site" });
  const noAccess = await createUser(prisma, { workspaceId, authId: "c|nobody" });
  const emptyGrant = await createUser(prisma, { workspaceId, authId: "d|empty-grant" });
  const otherAdmin = await createUser(prisma, { workspaceId: otherWorkspaceId, authId: "e|other", roles: [...permissions] });
  await grantAccess(prisma, { userId: siteUser, facilityId: near.facilityId, workspaceId, actions: ["alerts:read"] });
  await grantAccess(prisma, { userId: emptyGrant, facilityId: near.facilityId, workspaceId, actions: [] });
  const key = await createApiKey(prisma, {
    workspaceId,
    permissions: ["facilities:read"],
    facilityIds: [far.facilityId, other.facilityId],
  });

  const entry = async (of: string, actorId: string, targetId: string, second: number) => {
    const entryValues = { workspaceId: of, actorId, actorKind: "USER", action: "updateCamera", targetType: "Camera", targetId };
    return (await prisma.auditEntry.create({ data: { ...entryValues, createdAt: new Date(Date.UTC(2026, 10, 20, 12, 0, second)) } })).id;
  };
  const older = await entry(workspaceId, admin, near.cameraId, 1);
  const otherEntry = await entry(otherWorkspaceId, otherAdmin, other.cameraId, 2);
  const newer = await entry(workspaceId, siteUser, far.cameraId, 3);

  const users = [admin, siteUser, noAccess, emptyGrant];
  const without = { workspaceId, readsAlerts: false, users: null, keys: null, entries: null };
  const ofAdmin = { workspaceId, sites: [near, far], readsAlerts: true, users, keys: [key.id], entries: [newer, older] };
  viewers.admin = { as: { user: "a|admin" }, userId: admin, ...ofAdmin };
  viewers.siteUser = { ...without, as: { user: "b|site" }, userId: siteUser, sites: [near], readsAlerts: true };
  viewers.nobody = { ...without, as: { user: "c|nobody" }, userId: noAccess, sites: [] };
  viewers.emptyGrant = { ...without, as: { user: "d|empty-grant" }, userId: emptyGrant, sites: [] };
  viewers.limitedKey = { ...without, as: key, sites: [far] };
  viewers.otherAdmin = {
    as: { user: "e|other" },
    workspaceId: otherWorkspaceId,
    userId: otherAdmin,
    sites: [other],
    readsAlerts: true,
    users: [otherAdmin],
    keys: [],
    entries: [otherEntry],
  };
});
afterAll(() => gateway.close());

type Case = (viewer: Viewer) => { query: string; data: unknown };

const id = (of: string) => ({ id: of });
const ids = (of: string[]) => of.map(id);
const everywhere = () => [near, far, other];
const page = "{ nodes { id } edges { node { id } } pageInfo { hasNextPage } totalCount }";
const pageOf = (of: string[]) => ({
  nodes: ids(of),
  edges: of.map((node) => ({ node: id(node) })),
  pageInfo: { hasNextPage: false },
  totalCount: of.length,
});
const month = (alerts: string[]) => (alerts.length > 0 ? [{ key: "2026-11", count: alerts.length }] : []);
const alertsOf = (sites: CompleteFacility[]) => sites.flatMap((site) => site.alertIds);
const counts = `alertCounts(filter: ${allTime()}, aggregate: MONTH) { key count }`;

/** Reads one field with the ids of all facilities, expecting only the visible records. */
const oneByOne = (field: string, idsOf: (site: CompleteFacility) => string[]): Case => {
  return ({ sites }) => {
    const requested = everywhere().flatMap(idsOf);
    const visible = sites.flatMap(idsOf);
    return {
      query: `{ ${requested.map((recordId, index) => `x${index}: ${field}(id: "${recordId}") { id }`).join(" ")} }`,
      data: Object.fromEntries(requested.map((recordId, index) => [`x${index}`, visible.includes(recordId) ? id(recordId) : null])),
    };
  };
};

const queryFields: Record<string, Case> = {
  me: ({ userId }) => ({ query: "{ me { id } }", data: userId ? { me: id(userId) } : null }),
  workspace: ({ workspaceId }) => ({ query: "{ workspace { id } }", data: { workspace: id(workspaceId) } }),
  facilities: ({ sites }) => ({ query: "{ facilities { id } }", data: { facilities: sites.map((site) => id(site.facilityId)) } }),
  facility: oneByOne("facility", (site) => [site.facilityId]),
  cameras: ({ sites }) => ({ query: "{ cameras { id } }", data: { cameras: sites.map((site) => id(site.cameraId)) } }),
  camera: oneByOne("camera", (site) => [site.cameraId]),
  alerts: ({ sites }) => ({ query: `{ alerts(filter: ${allTime()}) ${page} }`, data: { alerts: pageOf(alertsOf(sites)) } }),
  alert: oneByOne("alert", (site) => site.alertIds),
  alertCounts: ({ sites }) => ({ query: `{ ${counts} }`, data: { alertCounts: month(alertsOf(sites)) } }),
  // The export tests check the contents of the file.
  exportAlerts: ({ readsAlerts }) => ({
    query: `{ exportAlerts(filter: ${allTime()}) { __typename } }`,
    data: readsAlerts ? { exportAlerts: { __typename: "AlertExport" } } : null,
  }),
  auditLog: ({ entries }) => ({ query: `{ auditLog ${page} }`, data: entries && { auditLog: pageOf(entries) } }),
};

/** A selection below each visible facility, camera, rule, or alert. */
const below =
  (root: "facilities" | "cameras" | "rules" | "alerts", selection: string, expected: (site: CompleteFacility, viewer: Viewer) => object): Case =>
  (viewer) => {
    const actual = viewer.sites.map((site) => expected(site, viewer));
    switch (root) {
      case "rules":
        return { query: `{ cameras { alertRules { ${selection} } } }`, data: { cameras: actual.map((rule) => ({ alertRules: [rule] })) } };
      case "alerts": {
        const nodes = viewer.sites.flatMap((site, index) => site.alertIds.map(() => actual[index]));
        return { query: `{ alerts(filter: ${allTime()}) { nodes { ${selection} } } }`, data: { alerts: { nodes } } };
      }
      default:
        return { query: `{ ${root} { ${selection} } }`, data: { [root]: actual } };
    }
  };

/** A selection on the workspace. */
const ofWorkspace =
  (selection: string, expected: (viewer: Viewer) => object | null): Case =>
  (viewer) => ({ query: `{ workspace { ${selection} } }`, data: { workspace: expected(viewer) } });

const raisedBy = (ruleId: string, sites: CompleteFacility[]) => alertsOf(sites.filter((site) => site.alertRuleId === ruleId));

const edges: Record<string, Case> = {
  "Workspace.facilities": ofWorkspace("facilities { id }", ({ sites }) => ({ facilities: sites.map((site) => id(site.facilityId)) })),
  "Workspace.cameras": ofWorkspace("cameras { id }", ({ sites }) => ({ cameras: sites.map((site) => id(site.cameraId)) })),
  "Workspace.alerts": ofWorkspace(`alerts ${page}`, ({ sites }) => ({ alerts: pageOf(alertsOf(sites)) })),
  "Workspace.users": ofWorkspace("users { id }", ({ users }) => ({ users: users && ids(users) })),
  "Workspace.apiKeys": ofWorkspace("apiKeys { id }", ({ keys }) => ({ apiKeys: keys && ids(keys) })),
  "Facility.workspace": below("facilities", "workspace { id }", (_site, { workspaceId }) => ({ workspace: id(workspaceId) })),
  "Facility.cameras": below("facilities", "cameras { id }", (site) => ({ cameras: [id(site.cameraId)] })),
  "Facility.cameraCount": below("facilities", "cameraCount", () => ({ cameraCount: 1 })),
  "Facility.alerts": below("facilities", `alerts ${page}`, (site) => ({ alerts: pageOf(site.alertIds) })),
  "Facility.alertCounts": below("facilities", counts, (site) => ({ alertCounts: month(site.alertIds) })),
  "Facility.access": below("facilities", "access { actions }", (site, { users }) => ({
    access: users && (site === near ? [{ actions: ["alerts:read"] }, { actions: [] }] : []),
  })),
  "FacilityAccess.user": below("facilities", "access { user { id } }", (site, { users }) => ({
    access: users && (site === near ? [users[1] as string, users[3] as string].map((user) => ({ user: id(user) })) : []),
  })),
  "Camera.facility": below("cameras", "facility { id }", (site) => ({ facility: id(site.facilityId) })),
  "Camera.alertRules": below("cameras", "alertRules { id }", (site) => ({ alertRules: [id(site.ruleId)] })),
  "Camera.alertRuleIds": below("cameras", "alertRuleIds", (site) => ({ alertRuleIds: [site.ruleId] })),
  "Camera.calibration": below("cameras", "calibration { id }", (site) => ({ calibration: id(site.calibrationId) })),
  "Camera.analysisJobs": below("cameras", "analysisJobs { id }", (site) => ({ analysisJobs: [id(site.jobId)] })),
  "Camera.analysisJob": (viewer) => {
    const requested = everywhere().map((site, index) => `x${index}: analysisJob(id: "${site.jobId}") { id }`);
    const actual = (of: CompleteFacility) => everywhere().map((site, index) => [`x${index}`, site === of ? id(site.jobId) : null]);
    return below("cameras", requested.join(" "), (site) => Object.fromEntries(actual(site)))(viewer);
  },
  "Camera.alerts": below("cameras", `alerts ${page}`, (site) => ({ alerts: pageOf(site.alertIds) })),
  "Camera.lastAlert": below("cameras", `lastAlert(type: "${alertType}") { id }`, (site) => ({ lastAlert: id(site.alertIds[0] as string) })),
  "Camera.alertCounts": below("cameras", counts, (site) => ({ alertCounts: month(site.alertIds) })),
  "Camera.statusHistory": below("cameras", `statusHistory ${page}`, (site) => ({ statusHistory: pageOf([site.statusChangeId]) })),
  "Camera.streamRequests": below("cameras", `streamRequests ${page}`, (site) => ({ streamRequests: pageOf([site.streamRequestId]) })),
  "AlertRule.areas": below("rules", "areas { id }", (site) => ({ areas: [id(site.areaId)] })),
  "AlertRule.camera": below("rules", "camera { id }", (site) => ({ camera: id(site.cameraId) })),
  "AlertRule.alerts": below("rules", `alerts ${page}`, (site, { sites }) => ({ alerts: pageOf(raisedBy(site.ruleId, sites)) })),
  "Alert.camera": below("alerts", "camera { id }", (site) => ({ camera: id(site.cameraId) })),
  "Alert.facility": below("alerts", "facility { id }", (site) => ({ facility: id(site.facilityId) })),
  "Alert.alertRule": below("alerts", "alertRule { id }", (site, { sites }) => ({
    alertRule: sites.some(({ ruleId }) => ruleId === site.alertRuleId) ? id(site.alertRuleId) : null,
  })),
};

const isRecord = (type: GraphQLObjectType) => "id" in type.getFields() || /Connection$|^FacilityAccess$|^AlertCount$/.test(type.name);
const isEdge = ({ type }: GraphQLField<unknown, unknown>) => {
  const target = getNamedType(type);
  return isObjectType(target) && isRecord(target);
};

it("has a case for every field of Query", () => {
  expect(Object.keys(queryFields).toSorted()).toEqual(Object.keys(schema.getQueryType()?.getFields() ?? {}).toSorted());
});

it("has a case for every edge between records", () => {
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
  const types = Object.values(schema.getTypeMap()).filter(isObjectType);
  const sources = types.filter((type) => !roots.includes(type) && !type.name.endsWith("Connection") && isRecord(type));
  const actual = sources.flatMap((type) =>
    Object.values(type.getFields())
      .filter(isEdge)
      .map((field) => `${type.name}.${field.name}`),
  );
  expect(actual.filter((edge) => !(edge in edges))).toEqual([]);
});

describe.each([
  ["an admin everything in the workspace", "admin"],
  ["a user with a grant at one facility that facility", "siteUser"],
  ["a user without roles and grants nothing", "nobody"],
  ["a user with an empty grant nothing", "emptyGrant"],
  ["a key restricted to one facility of its workspace that facility", "limitedKey"],
  ["the admin of another workspace everything there", "otherAdmin"],
])("shows %s", (_description, name) => {
  it.each(Object.entries({ ...queryFields, ...edges }))("through %s", async (_field, makeCase) => {
    const viewer = viewers[name] as Viewer;
    const { query, data } = makeCase(viewer);
    const response = await gateway.graphql<unknown>(query, { as: viewer.as });
    expect(response.status).toBe(200);
    expect(response.data).toEqual(data);
  });
});

describe("a filter by an invisible record matches nothing:", () => {
  const conditions: Record<string, (site: CompleteFacility) => string> = {
    facilityId: (site) => `facilityId: "${site.facilityId}"`,
    cameraIds: (site) => `cameraIds: ["${site.cameraId}"]`,
    areaId: (site) => `areaId: "${site.areaId}"`,
  };
  const lists = (filter: string) => `{
    alerts(filter: ${filter}) { nodes { id } totalCount }
    alertCounts(filter: ${filter}, aggregate: MONTH) { key count }
    workspace { alerts(filter: ${filter}) { nodes { id } totalCount } }
    facilities { alerts(filter: ${filter}) { nodes { id } totalCount } alertCounts(filter: ${filter}, aggregate: MONTH) { count } }
    cameras { alertRules { alerts(filter: ${filter}) { nodes { id } totalCount } } alertCounts(filter: ${filter}, aggregate: MONTH) { count } }
  }`;
  const actual = (alerts: string[]) => {
    const list = { nodes: ids(alerts), totalCount: alerts.length };
    const monthly = month(alerts);
    const alertCounts = monthly.map(({ count }) => ({ count }));
    return {
      alerts: list,
      alertCounts: monthly,
      workspace: { alerts: list },
      facilities: [{ alerts: list, alertCounts }],
      cameras: [{ alertRules: [{ alerts: list }], alertCounts }],
    };
  };

  it.each(Object.entries(conditions))("%s", async (_name, condition) => {
    const { as } = viewers.siteUser as Viewer;
    expect(await gateway.data(lists(allTime(condition(near))), { as })).toEqual(actual(near.alertIds));
    for (const invisible of [far, other]) expect(await gateway.data(lists(allTime(condition(invisible))), { as })).toEqual(actual([]));
  });

  it("the cameras of a facility", async () => {
    const { as } = viewers.siteUser as Viewer;
    const query = `{ ${everywhere()
      .map((site, index) => `x${index}: cameras(facilityId: "${site.facilityId}") { id }`)
      .join(" ")} }`;
    expect(await gateway.data(query, { as })).toEqual({ x0: [id(near.cameraId)], x1: [], x2: [] });
  });

  it("visible and invisible cameras match the visible ones", async () => {
    const { as } = viewers.siteUser as Viewer;
    const cameraIds = `cameraIds: ${JSON.stringify(everywhere().map((site) => site.cameraId))}`;
    const data = await gateway.data(`{ alerts(filter: ${allTime(cameraIds)}) { nodes { id } totalCount } }`, { as });
    expect(data).toEqual({ alerts: { nodes: ids(near.alertIds), totalCount: 2 } });
  });
});

it("treats invisible records exactly like unknown ones, with the same statements", async () => {
  const read = async (recordId: string) => {
    const query = `{
      facility(id: "${recordId}") { id cameras { id alerts { totalCount } } access { actions } }
      camera(id: "${recordId}") { id facility { id } alertRules { id } }
      alert(id: "${recordId}") { id camera { id } alertRule { id } }
      alerts(filter: ${allTime(`facilityId: "${recordId}"`)}) { nodes { id camera { id } } totalCount }
    }`;
    gateway.clearStatements();
    const { status, data, errors } = await gateway.graphql<unknown>(query, viewers.siteUser as Viewer);
    return { status, data, errors, statements: gateway.statements.toSorted() };
  };
  const unknown = await read("00000000-0000-4000-8000-000000000000");
  expect(unknown).toMatchObject({
    status: 200,
    data: { facility: null, camera: null, alert: null, alerts: { nodes: [], totalCount: 0 } },
    errors: undefined,
  });
  const invisible = [far, other].flatMap((site) => [site.facilityId, site.cameraId, site.ruleId, site.alertIds[0] as string]);
  for (const recordId of invisible) expect(await read(recordId)).toEqual(unknown);
});

it("reveals nothing through a cursor from another workspace, which is only a timestamp", async () => {
  type Page = { alerts: { nodes: object[]; totalCount: number; pageInfo: { endCursor: string; hasNextPage: boolean } } };
  const query = `query ($after: String) { alerts(filter: ${allTime()}, first: 4, after: $after) { nodes { id } totalCount pageInfo { endCursor hasNextPage } } }`;
  const { as: otherTenant } = viewers.otherAdmin as Viewer;
  const { as: admin } = viewers.admin as Viewer;
  const { as: siteUser } = viewers.siteUser as Viewer;
  // The alerts of the other workspace lie between those of the two facilities.
  const variables = { after: (await gateway.data<Page>(query, { as: otherTenant })).alerts.pageInfo.endCursor };
  const { alerts } = await gateway.data<Page>(query, { as: admin, variables });
  expect(alerts).toMatchObject({ nodes: ids(far.alertIds), totalCount: 5, pageInfo: { hasNextPage: false } });
  const { alerts: none } = await gateway.data<Page>(query, { as: siteUser, variables });
  expect(none).toEqual({ nodes: [], totalCount: 2, pageInfo: { endCursor: null, hasNextPage: false } });
});
