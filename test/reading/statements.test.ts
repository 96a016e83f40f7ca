// Runs once: both kinds of databases run the same statements.
import { randomUUID } from "node:crypto";
import { permissions } from "../../src/engine/access/permissions.js";
import { encodeNodeId } from "../../src/engine/nodes/node-id.js";
import { newestFirst } from "../../src/engine/reading/list-order.js";
import {
  createAlerts,
  createCamera,
  createFacility,
  createPlace,
  createTestUser,
  createWorkspace,
} from "../support/factories.js";
import { type Sender, sharedGateway } from "../support/harness.js";
import { formatSql } from "./sql-format.js";

/**
 * The statements of operations, one file for each kind of relation and of count. A difference means that reading has
 * changed: review the new statement, and its plan if it is a frequent one, before you
 * accept it with `vitest -u`.
 */
const gateway = await sharedGateway();
const { prisma } = gateway;
const { workspaceId, facilityId, cameraId } = await createPlace(prisma);
const otherCameraId = await createCamera(prisma, { workspaceId, facilityId });
const site = { workspaceId, facilityId };
await createAlerts(prisma, [
  { ...site, cameraId },
  { ...site, cameraId: otherCameraId },
]);

/**
 * A user that is not cached: the first two statements of their first request look the
 * caller up and load them.
 */
const newUser = async (values: Parameters<typeof createTestUser>[1] = { workspaceId, roles: permissions }) =>
  (await createTestUser(prisma, values)).as;

async function statementsOf(query: string, as: Sender): Promise<string[]> {
  gateway.clearStatements();
  await gateway.data(query, { as });
  return [...gateway.statements];
}

const filter = '{ start: "2026-11-01T00:00:00Z", end: "2026-12-01T00:00:00Z" }';
const cursor = newestFirst.encodeCursor({ createdAt: new Date("2026-11-20T12:00:00Z"), id: randomUUID() });

const operations: Record<string, () => string> = {
  "search for cameras": () =>
    `{ searchCameras(filter: { facilityIds: ["${cameraId}"], statusDetails: ["STREAM_ERROR"], operational: false, text: "gate" }) { nodes { status } totalCount } }`,
  "nested view": () => `{ facilities {
    name
    cameras {
      name
      alertRules { name severity }
      alerts(first: 5) { nodes { name localCreatedAt } }
      lastAlert(type: "NO_HELMET") { createdAt }
    }
  } }`,
  "page of alerts from the end": () =>
    `{ alerts(last: 20, before: "${cursor}", filter: ${filter}) { nodes { name } } }`,
  "page of alerts with pageInfo": () =>
    `{ alerts(first: 20, after: "${cursor}", filter: ${filter}) { nodes { name } pageInfo { hasNextPage hasPreviousPage } } }`,
  "page of alerts at an offset": () =>
    `{ alerts(first: 20, offset: 40, filter: ${filter}) { nodes { name localCreatedAt annotatedUrl } } }`,
  "total count": () => "{ workspace { alerts { totalCount } } }",
  "alert counts by week": () =>
    `{ facilities { alertCounts(filter: ${filter}, aggregate: WEEK) { key count } } }`,
  "statistics from kept counts": () =>
    `{ alertStatistics(filter: ${filter}, groupBy: [FACILITY, TYPE, WEEK], fillGaps: true) { count period type facility { name } } }`,
  "statistics from alerts": () =>
    `{ alertStatistics(filter: ${filter}, groupBy: [HOUR_OF_DAY, CAMERA, ALERT_RULE]) { count hourOfDay } }`,
  heatmap: () => `{ camera(id: "${cameraId}") { alertHeatmap(filter: ${filter}) { counts alerts } } }`,
  "page of alerts of local nights at an offset": () =>
    `{ alerts(first: 20, offset: 40, filter: { localDays: { from: "2026-11-01", to: "2026-11-07" }, localTimes: { from: "18:00", to: "06:00" }, daysOfWeek: [0, 6] }) { nodes { name } } }`,
  "statistics of local days from kept counts": () =>
    "{ alertStatistics(filter: { relativeDays: { from: -6, to: 0 } }, groupBy: [DAY, TYPE], fillGaps: true) { count } }",
  "kinds of alerts": () => "{ workspace { alertTypes alertSeverities } }",
  "many parents": () => `{ alerts(filter: ${filter}) { nodes { camera { name alertRules { name } } } } }`,
  "calibration and analysis jobs": () =>
    `{ cameras { calibration { pixelLength updatedAt } analysisJobs { state } analysisJob(id: "${cameraId}") { state } } }`,
  "deliveries of alerts and rules": () =>
    `{ alerts(first: 20, filter: ${filter}) { nodes { deliveries { state } } } cameras { alertRules { apiNotification { url } deliveries(first: 2) { nodes { state } } } } }`,
  "accesses of a facility": () => "{ facilities { access { actions user { email } } } }",
  nodes: () => {
    const nodeId = (type: string) => encodeNodeId({ type, workspaceId, id: cameraId });
    const ids = ["Camera", "Alert", "AuditEntry"].map((type) => `"${nodeId(type)}"`).join(", ");
    return `{ nodes(nodeIds: [${ids}, "${nodeId("Alert")}"]) { nodeId ... on Camera { name alertRules { name } } ... on Alert { name camera { name } } ... on AuditEntry { action } } }`;
  },
  "audit log": () => `{ auditLog(actorId: "${cameraId}", first: 2) { nodes { action changes } } }`,
};

it.each(Object.entries(operations))("%s", async (name, operation) => {
  const [lookUpCaller, loadCaller, ...statements] = await statementsOf(operation(), await newUser());
  expect(lookUpCaller).toContain('"AuthIdLookup"');
  expect(loadCaller).toContain('"accesses"');
  await expectStatements(name, operation(), statements);
});

it("a caller with a grant at one facility", async () => {
  const query = "{ cameras { name alertRules { name } alerts(first: 1) { nodes { name } } } }";
  const [, , ...statements] = await statementsOf(
    query,
    await newUser({ workspaceId, at: { [facilityId]: ["alerts:read", "users:read"] } }),
  );
  await expectStatements("caller of one facility", query, statements);
});

it("a workspace where a camera is being removed", async () => {
  const of = { workspaceId: await createWorkspace(prisma) };
  const site = { ...of, facilityId: await createFacility(prisma, of) };
  await createCamera(prisma, { ...site, removedAt: new Date() });
  const query = `{ alerts(filter: ${filter}) { nodes { name } } }`;
  const [, , ...statements] = await statementsOf(query, await newUser({ ...of, roles: permissions }));
  await expectStatements("removed camera", query, statements);
});

it("a caller from the cache, who is verified by the statement", async () => {
  const query = "{ cameras { name } }";
  const as = await newUser();
  await statementsOf(query, as);
  await expectStatements("cached caller", query, await statementsOf(query, as));
});

it("an answer with gaps", async () => {
  const query = `{ facilities {
    name
    list: cameras {
      __typename id createdAt imageLink imageDimensions { width height }
      alerts(first: 5) { nodes { name localCreatedAt } }
    }
  } }`;
  await expectStatements("answer", query, await statementsOf(query, await newUser()));
});

async function expectStatements(name: string, query: string, statements: string[]): Promise<void> {
  const operation = query
    .replaceAll(/\s+/g, " ")
    .replaceAll(cameraId, "<id>")
    .replaceAll(cursor, "<cursor>")
    .replaceAll(/"[\w-]{50,}"/g, '"<node id>"');
  const text = [`-- ${operation}`, ...statements.map((statement) => `${formatSql(statement)};`)].join("\n\n");
  await expect(`${text}\n`).toMatchFileSnapshot(`statements/${name.replaceAll(" ", "-")}.sql`);
}
