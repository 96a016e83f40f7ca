// Runs once: both kinds of databases run the same statements.
import { randomUUID } from "node:crypto";
import type { ReadStatement } from "../../src/engine/database/statement-text.js";
import { encodeNodeId } from "../../src/engine/nodes/node-id.js";
import { raiseAlerts } from "../live/alerts.js";
import { subscriber } from "../live/live-socket.js";
import { allTime, type CompleteFacility, createCompleteFacility } from "../support/complete-facility.js";
import {
  createAdmin,
  createAlerts,
  createDelivery,
  createUser,
  createWorkspace,
  grantAccess,
  type TestUser,
} from "../support/factories.js";
import { ownGateway } from "../support/harness.js";

// Of its own: alerts of facilities that are gone without a trace are not in the kept counts.
const gateway = await ownGateway();

/** Two sites in their own workspace. One is deleted during a read. */
interface Site {
  workspaceId: string;
  admin: TestUser;
  kept: CompleteFacility;
  deleted: CompleteFacility;
}

async function createSite(): Promise<Site> {
  const { prisma } = gateway;
  const workspaceId = await createWorkspace(prisma);
  const site = (name: string, newest: string) =>
    createCompleteFacility(prisma, { workspaceId, name, newest });
  return {
    workspaceId,
    kept: await site("Kept", "2026-11-20T10:00:00Z"),
    deleted: await site("Deleted", "2026-11-20T12:00:00Z"),
    admin: await createAdmin(prisma, workspaceId),
  };
}

const markCamera = ({ deleted: { cameraId: id } }: Site) =>
  gateway.prisma.camera.updateMany({ where: { id }, data: { removedAt: new Date() } });
const deleteCamera = ({ deleted: { cameraId: id } }: Site) =>
  gateway.prisma.camera.deleteMany({ where: { id } });
const deleteFacility = async (site: Site) => {
  await deleteCamera(site);
  await gateway.prisma.facility.deleteMany({ where: { id: site.deleted.facilityId } });
};

/** Deletes rows right after the first statement that reads a table for an answer. */
const onceRead = (table: string, deleteRows: () => Promise<unknown>) =>
  onceRun(new RegExp(`record\\d*\\$[^]*FROM "${table}"`), deleteRows);

/** Deletes rows right after the first statement of a kind. */
function onceRun(kind: RegExp, deleteRows: () => Promise<unknown>): { wereDeleted: () => boolean } {
  const { database } = gateway.app;
  const { read } = database;
  let wereDeleted = false;
  const readThenDelete: ReadStatement = async (statement) => {
    const rows = await read.call(database, statement);
    if (!wereDeleted && kind.test(statement.strings.join(""))) {
      wereDeleted = true;
      await deleteRows();
    }
    return rows as never;
  };
  database.read = readThenDelete;
  onTestFinished(() => {
    database.read = read;
  });
  return { wereDeleted: () => wereDeleted };
}

const namesIn = (data: unknown) =>
  [...new Set(JSON.stringify(data).match(/(?<="name":")(?:Kept|Deleted)/g) ?? [])].sort();

const alerts = (fields: string) => `{ alerts(filter: ${allTime()}) { nodes { id ${fields} } } }`;

type Removal = (site: Site) => Promise<unknown>;
const cases: [what: string, table: string, remove: Removal, query: string | ((site: Site) => string)][] = [
  ["the cameras of alerts", "Alert", markCamera, alerts("camera { name }")],
  ["the cameras of alerts, deleted by SQL", "Alert", deleteCamera, alerts("camera { name }")],
  ["the facilities of alerts", "Alert", deleteFacility, alerts("facility { name }")],
  [
    "the cameras of nested alerts",
    "Alert",
    markCamera,
    "{ workspace { alerts { edges { node { camera { name } } } } facilities { alerts { nodes { camera { name } } } } } }",
  ],
  [
    "the cameras of objects by their ids",
    "Alert",
    markCamera,
    ({ workspaceId, kept, deleted }) => {
      const ids = [...kept.alertIds, ...deleted.alertIds].map((id) =>
        JSON.stringify(encodeNodeId({ type: "Alert", workspaceId, id })),
      );
      return `{ nodes(nodeIds: [${ids}]) { nodeId ... on Alert { camera { name } } } }`;
    },
  ],
  ["the cameras of rules", "AlertRule", markCamera, "{ cameras { alertRules { camera { name } } } }"],
  ["the facilities of cameras", "Camera", deleteFacility, "{ cameras { facility { name } } }"],
];

describe("an object that is deleted between two statements of a query is left out:", () => {
  it.each(cases)("%s", async (_what, table, remove, given) => {
    const site = await createSite();
    const query = typeof given === "string" ? given : given(site);
    const before = await gateway.data(query, site.admin);
    expect(namesIn(before)).toEqual(["Deleted", "Kept"]);
    const { wereDeleted } = onceRead(table, () => remove(site));
    const { data, errors } = await gateway.graphql(query, site.admin);
    expect(errors).toBeUndefined();
    expect(namesIn(data)).toEqual(["Kept"]);
    expect(wereDeleted()).toBe(true);
  });

  it("a single object", async () => {
    const site = await createSite();
    onceRead("Alert", () => markCamera(site));
    const query = `{ alert(id: "${site.deleted.alertIds[0]}") { id camera { name } } }`;
    expect(await gateway.graphql(query, site.admin)).toMatchObject({
      data: { alert: null },
      errors: undefined,
    });
  });

  it("the users of grants", async () => {
    const { admin, workspaceId, kept } = await createSite();
    const userId = await createUser(gateway.prisma, { workspaceId });
    await grantAccess(gateway.prisma, {
      userId,
      facilityId: kept.facilityId,
      workspaceId,
      actions: ["alerts:read"],
    });
    onceRead("FacilityAccess", () => gateway.prisma.user.deleteMany({ where: { id: userId } }));
    const { data, errors } = await gateway.graphql(
      `{ facility(id: "${kept.facilityId}") { access { user { id } } } }`,
      admin,
    );
    expect({ data, errors }).toEqual({ data: { facility: { access: [] } }, errors: undefined });
  });

  it("but not the calling user, who is no longer a caller", async () => {
    const { admin } = await createSite();
    const { wereDeleted } = onceRun(/FROM "User"/, () =>
      gateway.prisma.user.deleteMany({ where: { id: admin.id } }),
    );
    const { errors } = await gateway.graphql("{ me { id } }", admin);
    expect(errors?.map(({ extensions }) => extensions.code)).toEqual(["UNAUTHENTICATED"]);
    expect(wereDeleted()).toBe(true);
  });
});

describe("an object that was deleted without a trace is left out", () => {
  it("of lists", async () => {
    const site = await createSite();
    const dangling = {
      workspaceId: site.workspaceId,
      facilityId: randomUUID(),
      cameraId: site.kept.cameraId,
    };
    const [id] = await createAlerts(gateway.prisma, [dangling], new Date("2026-11-21T00:00:00Z"));
    await createDelivery(gateway.prisma, { ...dangling, alertId: id as string });
    await deleteCamera(site);
    expect(
      namesIn(await gateway.data(alerts("localCreatedAt camera { name } facility { name }"), site.admin)),
    ).toEqual(["Kept"]);
    expect(await gateway.data(alerts("localCreatedAt"), site.admin)).toMatchObject({
      alerts: { nodes: [{ id, localCreatedAt: "2026-11-21T00:00:00.000+00:00" }, {}, {}] },
    });
  });

  it("of no export: it continues after the alerts of such a facility", async () => {
    const { workspaceId, admin, kept } = await createSite();
    const alert = { workspaceId, facilityId: kept.facilityId, cameraId: kept.cameraId };
    const given = [{ ...alert, facilityId: randomUUID() }, ...Array(1_000).fill(alert)];
    await createAlerts(gateway.prisma, given, new Date("2026-11-29T00:00:00Z"));
    for (const format of ["CSV", "NDJSON"]) {
      const { exportAlerts } = await gateway.data<{ exportAlerts: { url: string } }>(
        `{ exportAlerts(filter: ${allTime()}, format: ${format}) { url } }`,
        admin,
      );
      const lines = (await (await gateway.fetch(exportAlerts.url)).text()).trim().split("\n");
      expect(lines).toHaveLength(1_003 + Number(format === "CSV"));
    }
  });
});

describe("an object that is changed by a mutation and deleted before it is read", () => {
  const mutation = `mutation ($ids: [UUID!]!, $first: UUID!) {
    markAlerts(ids: $ids, marks: { bookmark: true }) { alerts { bookmark camera { name } } }
    next: setAlertFalsePositive(id: $first, falsePositive: true) { falsePositive camera { name } }
  }`;

  it("is left out, and the mutations run once", async () => {
    const site = await createSite();
    const { workspaceId, kept, deleted, admin } = site;
    onceRead("Alert", () => markCamera(site));
    const variables = { ids: [...deleted.alertIds, ...kept.alertIds], first: kept.alertIds[0] };
    const { data, errors } = await gateway.graphql(mutation, { as: admin.as, variables });
    expect(errors).toBeUndefined();
    expect(data).toEqual({
      markAlerts: { alerts: [{ bookmark: true, camera: { name: "Kept" } }] },
      next: { falsePositive: true, camera: { name: "Kept" } },
    });
    const entries = await gateway.prisma.auditEntry.findMany({
      where: { workspaceId },
      orderBy: { id: "asc" },
    });
    expect(entries.map(({ action }) => action)).toEqual([
      "markAlerts",
      "markAlerts",
      "setAlertFalsePositive",
    ]);
  });

  it("is NOT_FOUND if the client requested nothing else, and the mutation runs once", async () => {
    const site = await createSite();
    const { workspaceId, deleted, admin } = site;
    const query = `mutation { setAlertBookmark(id: "${deleted.alertIds[0]}", bookmark: true) { id camera { name } } }`;
    onceRead("Alert", () => markCamera(site));
    const { errors } = await gateway.graphql(query, admin);
    expect(errors?.map(({ extensions }) => extensions.code)).toEqual(["NOT_FOUND"]);
    expect(await gateway.prisma.auditEntry.count({ where: { workspaceId } })).toBe(1);
  });
});

it("an event whose camera is deleted during delivery is not sent", async () => {
  const site = await createSite();
  const { admin, kept, deleted, workspaceId } = site;
  const live = await subscriber(gateway, admin.as, "subscription { alertRaised { id camera { name } } }");
  const { wereDeleted } = onceRead("Alert", () => markCamera(site));
  await raiseAlerts(gateway, workspaceId, deleted, [{}]);
  await expect.poll(wereDeleted).toBe(true);
  const [id] = await raiseAlerts(gateway, workspaceId, kept, [{}]);
  await expect
    .poll(() => live.results().at(-1))
    .toEqual({ data: { alertRaised: { id, camera: { name: "Kept" } } } });
  expect(live.results()).toHaveLength(1);
});
