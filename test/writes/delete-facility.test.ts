// Runs once: both kinds of databases run the same statements.
import { randomUUID } from "node:crypto";
import { type Permission, permissions } from "../../src/engine/access/permissions.js";
import { encodeNodeId } from "../../src/engine/nodes/node-id.js";
import { allTime, type CompleteFacility, createCompleteFacility } from "../support/complete-facility.js";
import {
  createAdmin,
  createAlertComment,
  createAlerts,
  createApiKey,
  createCamera,
  createDelivery,
  createFacility,
  createInvitation,
  createTestUser,
  createWorkspace,
  type TestUser,
} from "../support/factories.js";
import { type Call, type Gateway, refusal, run, type Sender } from "../support/harness.js";
import { TestSite } from "../support/test-site.js";

let gateway: Gateway;
let workspaceId: string;
let admin: TestUser;

const testSite = await TestSite.open();

beforeAll(async () => {
  gateway = await testSite.start();
});
beforeEach(async () => {
  workspaceId = await createWorkspace(gateway.prisma);
  admin = await createAdmin(gateway.prisma, workspaceId);
});
afterAll(async () => {
  await gateway.close();
  await testSite.remove();
});

const remove = (id: string, selection = "id"): Call => [
  `mutation ($id: UUID!) { facility: deleteFacility(id: $id) { ${selection} } }`,
  { id },
];
const newSite = (owner = workspaceId, name = "Site") =>
  createCompleteFacility(gateway.prisma, {
    workspaceId: owner,
    name,
    alerts: 3,
    newest: "2026-11-20T12:00:00Z",
  });
const newUser = (at: Record<string, Permission[]>, roles: Permission[] = []) =>
  createTestUser(gateway.prisma, { workspaceId, roles, at });

/** An alert at a facility by a camera that belongs to another one by now. */
async function alertOfMovedCamera(facilityId: string, cameraId: string): Promise<string> {
  const place = { workspaceId, facilityId, cameraId };
  const [id = ""] = await createAlerts(gateway.prisma, [
    { ...place, createdAt: new Date("2026-11-20T11:00:00Z") },
  ]);
  await createAlertComment(gateway.prisma, { ...place, alertId: id, authorId: admin.id });
  return id;
}

/** The number of rows of each table that belong to a facility. */
async function rowsOf({ facilityId, cameraId }: CompleteFacility): Promise<Record<string, number>> {
  const { prisma } = gateway;
  const [ofFacility, ofCamera] = [{ where: { facilityId } }, { where: { cameraId } }];
  return {
    facilities: await prisma.facility.count({ where: { id: facilityId } }),
    cameras: await prisma.camera.count(ofFacility),
    accesses: await prisma.facilityAccess.count(ofFacility),
    alerts: await prisma.alert.count(ofFacility),
    comments: await prisma.alertComment.count(ofFacility),
    rules: await prisma.alertRule.count(ofCamera),
    streamRequests: await prisma.streamRequest.count(ofCamera),
    statusChanges: await prisma.statusChange.count(ofCamera),
    keys: await prisma.apiKey.count({ where: { facilityIds: { has: facilityId } } }),
  };
}
const nothing = {
  facilities: 0,
  cameras: 0,
  accesses: 0,
  alerts: 0,
  comments: 0,
  rules: 0,
  streamRequests: 0,
  statusChanges: 0,
  keys: 0,
};
const countDifferences = () => gateway.prisma.$queryRaw`SELECT * FROM "alertCountDifferences"()`;

/** Everything that leads to a site or to what is below it. */
const views = ({ facilityId, cameraId, alertIds }: CompleteFacility, movedAlertId: string) => `{
  facility(id: "${facilityId}") { id }
  node(nodeId: "${encodeNodeId({ type: "Facility", workspaceId, id: facilityId })}") { id: nodeId }
  camera(id: "${cameraId}") { id }
  of: cameras(facilityId: "${facilityId}") { id }
  alert(id: "${alertIds[0]}") { id }
  moved: alert(id: "${movedAlertId}") { id }
  ofFacility: alerts(filter: ${allTime(`facilityId: "${facilityId}"`)}) { nodes { id } totalCount }
  facilities { id }
  cameras { id }
  alerts(filter: ${allTime()}) { nodes { id comments { nodes { id } } } totalCount }
  alertCounts(filter: ${allTime()}, aggregate: DAY) { count }
  alertStatistics(filter: ${allTime()}, groupBy: [FACILITY]) { count facility { id } }
  workspace { facilities { id } deliveries(first: 10) { nodes { alert { id } } totalCount } }
}`;

describe("deleteFacility", () => {
  it("immediately hides the facility and everything below it, purges that, and nothing of others", async () => {
    const [site, kept] = [await newSite(), await newSite(workspaceId, "Kept")];
    const movedAlertId = await alertOfMovedCamera(site.facilityId, kept.cameraId);
    for (const cameraId of [null, kept.cameraId])
      await createDelivery(gateway.prisma, { workspaceId, facilityId: site.facilityId, cameraId });
    const rowsOfKept = await rowsOf(kept);
    const shown = await gateway.data(views(site, movedAlertId), admin);
    expect(shown).toMatchObject({ facility: { id: site.facilityId }, alerts: { totalCount: 7 } });
    await run(gateway, admin, remove(site.facilityId));
    const alerts = kept.alertIds.map((id, index) => ({
      id,
      comments: { nodes: index === 0 ? [{ id: kept.commentId }] : [] },
    }));
    const rest = {
      facility: null,
      node: null,
      camera: null,
      of: [],
      alert: null,
      moved: null,
      ofFacility: { nodes: [], totalCount: 0 },
      facilities: [{ id: kept.facilityId }],
      cameras: [{ id: kept.cameraId }],
      alerts: { nodes: alerts, totalCount: 3 },
      alertCounts: [{ count: 3 }],
      alertStatistics: [{ count: 3, facility: { id: kept.facilityId } }],
      workspace: {
        facilities: [{ id: kept.facilityId }],
        deliveries: { nodes: [{ alert: { id: kept.alertIds[0] } }], totalCount: 1 },
      },
    };
    expect(await gateway.data(views(site, movedAlertId), admin)).toEqual(rest);
    await expect.poll(() => rowsOf(site)).toEqual(nothing);
    expect(await gateway.data(views(site, movedAlertId), admin)).toEqual(rest);
    expect(await rowsOf(kept)).toEqual(rowsOfKept);
    expect(await countDifferences()).toEqual([]);
  });

  it("returns the facility as it was, without cameras, and leaves nothing of it but the audit log", async () => {
    const { facilityId, cameraId } = await newSite();
    expect(
      await run(
        gateway,
        admin,
        remove(facilityId, "id name timeZoneId address updatedAt cameraCount cameras { id } openAlertCount"),
      ),
    ).toEqual({
      facility: {
        id: facilityId,
        name: "Site",
        timeZoneId: "Europe/Istanbul",
        address: null,
        updatedAt: expect.any(String),
        cameraCount: 0,
        cameras: [],
        openAlertCount: 0,
      },
    });
    const newKey: Call = [
      `mutation ($id: UUID!) { createApiKey(input: { name: "Key", permissions: ["alerts:read"], facilityIds: [$id] }) { key } }`,
      { id: facilityId },
    ];
    const late: Call = [
      `mutation ($id: UUID!, $camera: UUID!) { recordAlerts(input: [{ id: $id, cameraId: $camera, name: "LATE", createdAt: "2026-11-20T12:00:00Z" }]) { recorded } }`,
      { id: randomUUID(), camera: cameraId },
    ];
    for (const call of [remove(facilityId), newKey, late])
      expect(await refusal(gateway, admin, call)).toMatchObject({ code: "NOT_FOUND" });
    const log = await gateway.data(
      "query ($id: UUID!) { auditLog(targetId: $id) { nodes { action facilityId } } }",
      { ...admin, variables: { id: facilityId } },
    );
    expect(log).toEqual({ auditLog: { nodes: [{ action: "deleteFacility", facilityId }] } });
  });

  it("leaves nothing visible to those whose access was limited to it, and takes it from all others", async () => {
    const [site, kept] = [await newSite(), await newSite(workspaceId, "Kept")];
    const actions: Permission[] = ["alerts:read", "users:read"];
    const single = await newUser({ [site.facilityId]: actions });
    const double = await newUser({ [site.facilityId]: actions, [kept.facilityId]: ["alerts:read"] });
    const key = (facilityIds: string[]) =>
      createApiKey(gateway.prisma, { workspaceId, permissions: ["alerts:read"], facilityIds });
    const [singleKey, doubleKey] = [
      await key([site.facilityId]),
      await key([site.facilityId, kept.facilityId]),
    ];
    const seen = async (as: Sender) =>
      gateway.data(`{ facilities { id } cameras { id } alerts(filter: ${allTime()}) { totalCount } }`, {
        as,
      });
    await run(gateway, admin, remove(site.facilityId));
    const none = { facilities: [], cameras: [], alerts: { totalCount: 0 } };
    const one = {
      facilities: [{ id: kept.facilityId }],
      cameras: [{ id: kept.cameraId }],
      alerts: { totalCount: 3 },
    };
    expect(await seen(single.as)).toEqual(none);
    expect(await seen(singleKey)).toEqual(none);
    expect(await seen(double.as)).toEqual(one);
    expect(await seen(doubleKey)).toEqual(one);
    const keys = await gateway.data<{ workspace: { apiKeys: { facilityIds: string[] }[] } }>(
      "{ workspace { apiKeys { facilityIds } } }",
      admin,
    );
    expect(keys.workspace.apiKeys.map(({ facilityIds }) => facilityIds)).toEqual(
      expect.arrayContaining([[], [kept.facilityId]]),
    );
    // Nobody may do what only an access there allowed.
    const listUsers = "{ workspace { users { id } } }";
    expect((await gateway.graphql(listUsers, single)).errors?.[0]?.extensions.code).toBe("FORBIDDEN");
  });

  it("takes it from open invitations, which their inviter still may hand out, and from no others", async () => {
    const [site, kept] = [await newSite(), await newSite(workspaceId, "Kept")];
    const [gone, left] = [site, kept].map(({ facilityId }) => ({ facilityId, actions: ["alerts:read"] }));
    const inviter = await newUser(
      { [site.facilityId]: ["alerts:read"], [kept.facilityId]: ["alerts:read"] },
      ["users:write"],
    );
    const invite = (accesses: unknown[], values = {}) =>
      createInvitation(gateway.prisma, {
        ...{ workspaceId, invitedById: inviter.id, accesses: accesses as object[], ...values },
      });
    const both = await invite([gone, left]);
    const single = await invite([gone]);
    const accepted = await invite([gone], { acceptedAt: new Date() });
    const elsewhere = await invite([gone], { workspaceId: await createWorkspace(gateway.prisma) });
    await run(gateway, admin, remove(site.facilityId));
    const handedOut = async (id: string) =>
      (await gateway.prisma.invitation.findFirstOrThrow({ where: { id } })).accesses;
    expect(await Promise.all([both, single, accepted, elsewhere].map(handedOut))).toEqual([
      [left],
      [],
      [gone],
      [gone],
    ]);
    const resend = `mutation ($id: UUID!) { it: resendInvitation(id: $id) { url } }`;
    for (const id of [both, single])
      expect(await run(gateway, inviter, [resend, { id }])).toEqual({ it: { url: expect.any(String) } });
  });

  it("runs the same statements however many alerts and cameras the facility has", async () => {
    const statementsOf = async (cameras: number, alerts: number) => {
      const facilityId = await createFacility(gateway.prisma, { workspaceId });
      for (let camera = 0; camera < cameras; camera += 1) {
        const cameraId = await createCamera(gateway.prisma, { workspaceId, facilityId });
        await createAlerts(gateway.prisma, Array(alerts).fill({ workspaceId, facilityId, cameraId }));
      }
      await expect.poll(() => gateway.prisma.facility.count({ where: { removedAt: { not: null } } })).toBe(0);
      gateway.clearStatements();
      await run(gateway, admin, remove(facilityId));
      const statements = [...gateway.statements];
      await expect.poll(() => gateway.prisma.facility.count({ where: { id: facilityId } })).toBe(0);
      return statements;
    };
    await gateway.data("{ me { id } }", admin);
    const without = await statementsOf(1, 0);
    expect(await statementsOf(3, 1_000)).toEqual(without);
    expect(without.filter((sql) => sql.includes('"Alert"'))).toEqual([]);
  });
});

describe("the purge", () => {
  it("deletes the pictures of its cameras, of their alerts, and of alerts of moved cameras", async () => {
    const [site, kept] = [await newSite(), await newSite(workspaceId, "Kept")];
    const picture = () => testSite.storePicture(`pictures/${randomUUID()}.jpg`);
    const keys = [await picture(), await picture(), await picture()];
    const [imageLink = "", url = "", moved = ""] = keys;
    const { facilityId, cameraId } = site;
    await gateway.prisma.camera.updateMany({ where: { id: cameraId }, data: { imageLink } });
    await createAlerts(gateway.prisma, [
      { workspaceId, facilityId, cameraId, url },
      { workspaceId, facilityId, cameraId: kept.cameraId, url: moved },
    ]);
    const keptKey = await picture();
    await gateway.prisma.camera.updateMany({ where: { id: kept.cameraId }, data: { imageLink: keptKey } });
    await run(gateway, admin, remove(facilityId));
    await expect.poll(() => keys.filter((key) => testSite.isStored(key))).toEqual([]);
    expect(testSite.isStored(keptKey)).toBe(true);
  });

  it("includes cameras and accesses that an earlier version has added meanwhile", async () => {
    // So that no write makes the gateway purge the prepared rows.
    await gateway.app.idle();
    const site = await newSite();
    await gateway.prisma.facility.updateMany({
      where: { id: site.facilityId },
      data: { removedAt: new Date() },
    });
    const caller = await newUser({ [site.facilityId]: [...permissions] });
    const query = `{ facilities { id } cameras { id } alerts(filter: ${allTime()}) { totalCount } }`;
    const none = { facilities: [], cameras: [], alerts: { totalCount: 0 } };
    expect(await gateway.data(query, caller)).toEqual(none);
    expect(await gateway.data(query, admin)).toEqual(none);
    await gateway.close();
    gateway = await testSite.start();
    await expect.poll(() => rowsOf(site)).toEqual(nothing);
    expect(await countDifferences()).toEqual([]);
  });
});
