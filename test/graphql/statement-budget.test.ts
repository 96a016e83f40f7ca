// Runs once: both kinds of databases run the same statements.

import {
  createAlertComment,
  createAlertRule,
  createAlerts,
  createCamera,
  createDelivery,
} from "../support/factories.js";
import { ownGateway } from "../support/harness.js";
import { listOf } from "../support/list-of.js";

const admin = { user: "demo|admin" };
const allTime = 'filter: { start: "2000-01-01T00:00:00Z", end: "2100-01-01T00:00:00Z" }';

const gateway = await ownGateway({ seed: "demo" });

const { facilities } = await gateway.data<{ facilities: { id: string; workspaceId: string }[] }>(
  "{ facilities { id workspaceId } }",
  {
    as: admin,
  },
);
const [facility] = facilities;
if (!facility) throw new Error("The demo fleet has no facility");
const facilityId = facility.id;
// A camera, rule and alert in addition to the demo's, so that even the newest page of
// alerts has several cameras and rules.
const site = { workspaceId: facility.workspaceId, facilityId };
const cameraId = await createCamera(gateway.prisma, site);
const alertRuleId = await createAlertRule(gateway.prisma, { cameraId });
const { id: userId } = await gateway.prisma.user.findFirstOrThrow({ where: { authId: admin.user } });
const marks = {
  acknowledgedById: userId,
  acknowledgedAt: new Date(),
  bookmarkChangedById: userId,
  falsePositiveChangedById: userId,
};
const [alertId] = (await createAlerts(
  gateway.prisma,
  [{ ...site, cameraId, alertRuleId, ...marks }],
  new Date(),
)) as [string];
await createAlertComment(gateway.prisma, { ...site, cameraId, alertId, authorId: userId });
await createDelivery(gateway.prisma, { ...site, cameraId, alertRuleId, alertId });

async function statementsOf(query: string, variables: object = {}): Promise<string[]> {
  gateway.clearStatements();
  await gateway.data(query, { as: admin, variables });
  return [...gateway.statements];
}

// The statements of the nested view are in ../reading/statements.
describe("every edge costs at most one statement, however many parents there are", () => {
  const edges: {
    root: string;
    rootStatements: number;
    of: (edge: string) => string;
    /** By the number of their statements. */
    edges: Record<number, string[]>;
  }[] = [
    {
      root: "facilities",
      rootStatements: 1,
      of: (edge) => `{ facilities { id ${edge} } }`,
      edges: {
        0: [
          "cameras { name }",
          "cameraCount",
          "online",
          "alerts { nodes { name localCreatedAt } }",
          "viewerPermissions",
        ],
        1: [
          "workspace { name }",
          `alertCounts(${allTime}, aggregate: WEEK) { key count }`,
          "access { actions }",
          "workspace { facilities { name } }",
          "workspace { cameras { name } }",
          "workspace { alerts { nodes { name } } }",
          "workspace { deliveries { nodes { target nextAttemptAt } } }",
          "workspace { deliveryChannels }",
          "workspace { viewerPermissions }",
        ],
        2: [
          "access { user { email } }",
          "workspace { alertTypes alertSeverities }",
          "workspace { users { email } }",
          "workspace { apiKeys { name } }",
          "workspace { connectors { name unmapped { name } } }",
        ],
      },
    },
    {
      root: "cameras",
      rootStatements: 1,
      of: (edge) => `{ cameras { id ${edge} } }`,
      edges: {
        0: [
          "name url imageLink",
          "alertRules { name }",
          "alertRuleIds",
          "alertRules { alerts(first: 2) { nodes { name } } }",
          "alertRules { apiNotification { url } }",
          "alertRules { deliveries { nodes { state } } }",
          "calibration { pixelLength }",
          "analysisJobs { state }",
          'analysisJob(id: "00000000-0000-0000-0000-000000000000") { state }',
          "alerts { nodes { name localCreatedAt } }",
          'lastAlert(type: "STATIC_DELIMITATION_AREA") { name localCreatedAt }',
          "statusHistory { nodes { statusDetail } }",
          "streamRequests { nodes { errorMessage } }",
        ],
        1: [
          "facility { name }",
          "alertRules { camera { name } }",
          `alertCounts(${allTime}, aggregate: DAY) { key count }`,
        ],
        2: ["facility { workspace { name } }"],
        4: [
          "alertRules { deliveries { nodes { alert { name } alertRule { name } camera { name } facility { name } } } }",
        ],
      },
    },
    {
      root: "searchCameras",
      rootStatements: 1,
      of: (edge) => `{ searchCameras(first: 200) { nodes { id ${edge} } } }`,
      edges: {
        0: ["alertRules { name }", "alerts { nodes { name localCreatedAt } }"],
        1: ["facility { name }"],
      },
    },
    {
      // Each is counted by itself, so that one that takes too long is null alone. More
      // would cost more than an operation may.
      root: "searchCameras(first: 10)",
      rootStatements: 1,
      of: (edge) => `{ searchCameras(first: 10) { nodes { id ${edge} } } }`,
      edges: {
        10: [`alertHeatmap(${allTime}) { counts alerts }`],
      },
    },
    {
      // One verifies the cached caller.
      root: "alertStatistics",
      rootStatements: 2,
      of: (edge) =>
        `{ alertStatistics(${allTime}, groupBy: [FACILITY, CAMERA, ALERT_RULE]) { count ${edge} } }`,
      edges: {
        1: ["facility { name }", "camera { name }", "alertRule { name }"],
        3: ["camera { facility { cameras { name } } } facility { name }"],
      },
    },
    {
      root: "alerts",
      rootStatements: 1,
      of: (edge) => `{ alerts(${allTime}, first: 200) { nodes { id ${edge} } } }`,
      edges: {
        0: ["localCreatedAt", "deliveries { state lastError }", "comments { nodes { text authorName } }"],
        1: [
          "camera { name }",
          "facility { name }",
          "alertRule { name }",
          "comments { nodes { author { email } } }",
          "comments { totalCount }",
          "acknowledgedBy { email }",
          "bookmarkChangedBy { email }",
          "falsePositiveChangedBy { email }",
          "acknowledgedBy { email } bookmarkChangedBy { email } falsePositiveChangedBy { email }",
          "alertRule { alerts(first: 2) { nodes { name } } }",
        ],
        2: ["camera { facility { cameras { name } } }"],
      },
    },
  ];
  const table = edges.flatMap(({ root, rootStatements, of: query, edges: list }) =>
    Object.entries(list).flatMap(([statements, each]) =>
      each.map((edge) => [`${root} { ${edge} }`, rootStatements + Number(statements), query(edge)] as const),
    ),
  );

  it.each(table)("%s costs %i", async (_title, statements, query) => {
    expect(await statementsOf(query)).toHaveLength(statements);
  });

  it("selected together, the edges cost no more than their sum", async () => {
    const broad = `{ facilities {
      name cameraCount workspace { name } access { actions user { email } }
      alerts(first: 3) { totalCount nodes { name camera { name facility { name } } alertRule { name } } }
      cameras {
        name calibration { pixelLength } analysisJobs { state } statusHistory { totalCount nodes { source } } streamRequests { nodes { createdAt } }
        alertRules { name alerts(first: 3) { nodes { name } } }
        alerts(first: 3) { nodes { name } }
      }
    } }`;
    // One for everything that is read ahead, plus, in the order of the query: 1 + 2, 1 +
    // 2 + 1, 1 + 1.
    expect(await statementsOf(broad)).toHaveLength(9);
  });
});

describe("objects by their node IDs", () => {
  const nodes = "query ($ids: [ID!]!) { nodes(nodeIds: $ids) { ? } }";
  const camera = "... on Camera { name alertRules { name } alerts(first: 2) { nodes { localCreatedAt } } }";
  const nodeIds = async (way: string) => {
    const found = await gateway.data(`{ ${way} }`, { as: admin });
    return [...JSON.stringify(found).matchAll(/"nodeId":"([^"]+)"/g)].map(([, nodeId]) => nodeId as string);
  };

  it("cost one statement for a hundred cameras and all that is read ahead of them", async () => {
    const cameras = await nodeIds("cameras { nodeId }");
    const ids = listOf(100, (index) => cameras[index % cameras.length]);
    expect(new Set(ids).size).toBeGreaterThan(10);
    expect(await statementsOf(nodes.replace("?", camera), { ids })).toHaveLength(1);
    expect(
      await statementsOf("query ($id: ID!) { node(nodeId: $id) { ? } }".replace("?", camera), { id: ids[0] }),
    ).toHaveLength(1);
  });
});

it("the facilities of statistics cost one statement under whatever names, and none if a directive skips them", async () => {
  const statistics = (field: string) =>
    `query ($name: Boolean!) { alertStatistics(${allTime}, groupBy: [FACILITY]) { count ${field} } }`;
  const field = "facility @include(if: $name) { name }";
  const [skipped, included] = [
    await statementsOf(statistics(field), { name: false }),
    await statementsOf(statistics(field), { name: true }),
  ];
  expect(included.length - skipped.length).toBe(1);
  const fragments = "...One ... on AlertStatistic { same: facility { id } }";
  const both = `{ alertStatistics(${allTime}, groupBy: [FACILITY]) { ${fragments} } } fragment One on AlertStatistic { facility { name } }`;
  expect(await statementsOf(both)).toHaveLength(included.length);
});

describe("the caller of a write", () => {
  const callers = async (mutation: string) =>
    (await statementsOf(`mutation { ${mutation} }`)).filter((text) => text.includes('"FacilityAccess"'));
  const heartbeat = () => `recordHeartbeat(facilityId: "${facilityId}") { id }`;

  it("is loaded once for reports of devices, which change nobody's access", async () => {
    expect(await callers(heartbeat())).toHaveLength(1);
  });

  it("is loaded again before the next write", async () => {
    expect(await callers(`first: ${heartbeat()} second: ${heartbeat()}`)).toHaveLength(2);
  });
});

describe("totalCount", () => {
  const lists = ["alerts(first: 2)", "statusHistory(first: 2)", "streamRequests(first: 2)"];

  it.each(lists)(
    "of the %s of all cameras costs one statement when it is selected, and none otherwise",
    async (list) => {
      expect(
        await statementsOf(`{ cameras { ${list} { pageInfo { hasNextPage } nodes { id } } } }`),
      ).toHaveLength(1);
      expect(await statementsOf(`{ cameras { ${list} { totalCount nodes { id } } } }`)).toHaveLength(2);
    },
  );

  it("costs nothing if it is skipped by a directive", async () => {
    const query =
      "query ($count: Boolean!) { cameras { alerts { nodes { id } totalCount @include(if: $count) } } }";
    expect(await statementsOf(query, { count: false })).toHaveLength(1);
    expect(await statementsOf(query, { count: true })).toHaveLength(2);
  });
});

describe("a large column is in a statement only if its field is selected", () => {
  const sizes = "{ width height }";
  const points = "{ x y }";
  const large: {
    type: string;
    of: (fields: string) => string;
    others: string;
    fields: Record<string, string>;
  }[] = [
    {
      type: "Alert",
      of: (fields) => `{ alerts(${allTime}, first: 5) { nodes { ${fields} } } }`,
      others:
        "id name severity count createdAt localCreatedAt url thumbnailUrl areaIds bookmark falsePositive observation storageClass",
      fields: {
        violatingCoordinates: points,
        area: points,
        info: "",
        imageDimensions: sizes,
        canvasDimensions: sizes,
      },
    },
    {
      type: "AlertRule",
      of: (fields) => `{ cameras { alertRules { ${fields} } } }`,
      others: "id name severity pretty timeRange",
      fields: { group: "" },
    },
  ];
  const columns = large.flatMap(({ type, of, others, fields }) =>
    Object.entries(fields).map(
      ([field, below]) => [type, field, of(others), of(`${others} ${field} ${below}`)] as const,
    ),
  );

  it.each(columns)("%s.%s", async (_type, field, without, selected) => {
    const named = (statement: string) => statement.includes(`"${field}"`);
    expect((await statementsOf(without)).filter(named)).toEqual([]);
    expect((await statementsOf(selected)).filter(named)).toHaveLength(1);
  });

  it("AlertRule.group, also if only the areas derived from it are selected", async () => {
    const named = (statement: string) => statement.includes('"group"');
    expect((await statementsOf("{ cameras { alertRules { areas { name } } } }")).filter(named)).toHaveLength(
      1,
    );
  });
});
