// Runs once: both kinds of databases run the same statements.
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { completeDemo, completeId } from "../support/complete-demo.js";
import { createApiKey } from "../support/factories.js";
import { type Gateway, type Sender, startGateway } from "../support/harness.js";

let gateway: Gateway;
const nodeIds: string[] = [];
const senders: Record<string, Sender> = { "an admin": { user: "demo|admin" }, "the user of a site": { user: "demo|site" } };

beforeAll(async () => {
  // Signed links depend on the hour: with a fixed clock, the same read always returns the same link.
  const startTime = new Date();
  gateway = await startGateway({ seed: "demo", now: () => startTime, environment: { MAX_QUERY_COST: "100000000" } });
  await completeDemo(gateway.prisma, startTime);
  const { id, workspaceId } = await gateway.prisma.facility.findFirstOrThrow({ where: { timeZoneId: "Asia/Kathmandu" } });
  const some = "{ workspace { nodeId facilities { nodeId cameras { nodeId alertRules { nodeId } alerts(first: 1) { nodes { nodeId } } } } } }";
  const found = JSON.stringify(await gateway.data(some, { as: { user: "demo|admin" } }));
  nodeIds.push(...Array.from(found.matchAll(/"nodeId":"([^"]+)"/g), ([, nodeId]) => nodeId as string).slice(0, 100));
  senders["a key of one facility"] = await createApiKey(gateway.prisma, { workspaceId, permissions: ["alerts:read"], facilityIds: [id] });
}, 60_000);
afterAll(() => gateway.close());

/** The leaf fields of a type, and its fields that may be read ahead with their types. */
const types: Record<string, { leaves: string[]; lists: Record<string, string> }> = {
  Workspace: {
    leaves: ["id", "name", "alertTypes", "alertSeverities", "viewerPermissions"],
    lists: { facilities: "Facility", cameras: "Camera", "alerts(PAGE)": "AlertPage", "deliveries(first: 2)": "DeliveryPage" },
  },
  Facility: {
    leaves: ["id", "name", "online", "lastHeartbeatAt", "timeZoneId", "effectiveTimeZoneId", "viewerPermissions"],
    lists: { cameras: "Camera", "alerts(PAGE)": "AlertPage" },
  },
  Camera: {
    leaves: ["id", "name", "url", "imageLink", "createdAt", "updatedAt", "streamType", "emailAddresses", "alertRuleIds", "advancedSettings"],
    lists: {
      alertRules: "AlertRule",
      "alerts(PAGE)": "AlertPage",
      'lastAlert(type: "NO_HELMET")': "Alert",
      'lastAlert(type: "STATIC_DELIMITATION_AREA")': "Alert",
      "statusHistory(first: 2)": "StatusPage",
      "streamRequests(first: 2)": "StreamPage",
      calibration: "Calibration",
      analysisJobs: "AnalysisJob",
      [`analysisJob(id: "${completeId}")`]: "AnalysisJob",
      facility: "Facility",
    },
  },
  AlertRule: {
    leaves: ["id", "name", "severity", "timeRange", "group", "pretty", "apiNotification { url }"],
    lists: { "alerts(PAGE)": "AlertPage", "deliveries(first: 2)": "DeliveryPage", camera: "Camera" },
  },
  Alert: {
    leaves: [
      "id",
      "name",
      "severity",
      "count",
      "createdAt",
      "localCreatedAt",
      "url",
      "annotatedUrl",
      "areaIds",
      "area { x y }",
      "info",
      "acknowledgedAt",
    ],
    lists: {
      camera: "Camera",
      facility: "Facility",
      alertRule: "AlertRule",
      deliveries: "Delivery",
      "comments(first: 1)": "CommentPage",
      acknowledgedBy: "User",
    },
  },
  CameraPage: { leaves: ["pageInfo { hasNextPage hasPreviousPage endCursor }", "totalCount"], lists: { nodes: "Camera" } },
  AlertPage: { leaves: ["pageInfo { hasNextPage hasPreviousPage endCursor }", "totalCount"], lists: { nodes: "Alert" } },
  DeliveryPage: { leaves: ["totalCount"], lists: { nodes: "Delivery" } },
  Delivery: {
    leaves: ["kind", "channel", "target", "state", "attempts", "nextAttemptAt", "sentAt", "lastError", "createdAt"],
    lists: {},
  },
  CommentPage: { leaves: ["pageInfo { hasNextPage endCursor }", "totalCount"], lists: { nodes: "Comment" } },
  Comment: { leaves: ["id", "text", "authorName", "createdAt"], lists: { author: "User" } },
  User: { leaves: ["id", "email", "fullName"], lists: {} },
  Calibration: { leaves: ["id", "pixelLength", "homographyMatrix", "points { x y }", "gridImage", "updatedAt"], lists: {} },
  AnalysisJob: { leaves: ["id", "state", "isTest", "createdAt", "startedAt", "endedAt"], lists: {} },
  StatusPage: { leaves: ["pageInfo { hasNextPage }"], lists: { nodes: "StatusChange" } },
  StatusChange: { leaves: ["statusDetail", "source", "createdAt"], lists: {} },
  StreamPage: { leaves: ["totalCount"], lists: { nodes: "StreamRequest" } },
  StreamRequest: { leaves: ["createdAt", "expiresAt", "errorMessage", "supersededAt"], lists: {} },
};

const pages = [
  "first: 3",
  "first: 2, offset: 1",
  "first: $first",
  'first: 4, filter: { start: "2000-01-01T00:00:00Z", end: "2100-01-01T00:00:00Z", bookmark: false }',
  "first: 2, filter: $filter",
];

/**
 * A selection on a type, `depth` levels deep, with aliases for fields that occur twice. `directive` is added to every nested field:
 * with `@include(if: $yes)` the selection means the same, but nothing is read ahead, as the field might be left out.
 */
function selectionOn(type: string, depth: number, directive: string): fc.Arbitrary<string> {
  // Only one of the types, as the same field need not be nullable in all of them.
  if (type === "Node") {
    const typed = (name: string) => selectionOn(name, depth, directive).map((selection) => `nodeId ... on ${name} { ${selection} }`);
    return fc.constantFrom("Workspace", "Facility", "Camera", "AlertRule", "Alert").chain(typed);
  }
  const { leaves, lists } = types[type] as (typeof types)[string];
  const names = Object.keys(lists);
  const isRepeated = (name: string) => names.filter((other) => other.split("(")[0] === name.split("(")[0]).length > 1;
  const nested = names.map((name, index) =>
    depth === 0
      ? fc.constant(undefined)
      : fc.option(
          fc
            .tuple(fc.constantFrom(...pages), selectionOn(lists[name] as string, depth - 1, directive))
            .map(([page, selection]) => `${isRepeated(name) ? `list${index}: ` : ""}${name.replace("PAGE", page)}${directive} { ${selection} }`),
          { nil: undefined, freq: 2 },
        ),
  );
  return fc
    .tuple(fc.subarray(leaves, { minLength: 1 }), fc.tuple(...nested))
    .map(([own, children]) => [...own, ...children.filter((child) => child !== undefined)].join(" "));
}

const roots: Record<string, string> = {
  Workspace: "workspace",
  Facility: "facilities",
  Camera: "cameras",
  CameraPage: 'searchCameras(first: 5, filter: { text: "a" })',
  Node: "nodes(nodeIds: $nodeIds)",
};

describe.each(Object.keys(roots))("reading ahead below %s returns what reading level by level returns", (type) => {
  const root = roots[type] as string;
  const variables = { nodeIds, first: 3, yes: true, filter: { start: "2000-01-01T00:00:00Z", end: "2100-01-01T00:00:00Z", types: ["NO_HELMET"] } };

  it.each(Object.keys({ ...senders, "a key of one facility": 0 }))(
    "for %s",
    async (sender) => {
      const as = senders[sender] as Sender;
      const run = async (selection: string) => {
        const query = `query Q($first: Int, $yes: Boolean!, $filter: AlertFilter, $nodeIds: [ID!]!) { ${root} { ${selection} } alias: ${root} @include(if: $yes) { __typename }
        unused: alerts(filter: { start: "2000-01-01T00:00:00Z", end: "2000-01-01T00:00:00Z" }, first: $first) @skip(if: $yes) { totalCount }
        nodes(nodeIds: $nodeIds) @skip(if: $yes) { nodeId }
        other: workspace @skip(if: $yes) { alerts(filter: $filter) { totalCount } } }`;
        gateway.clearStatements();
        const text = await (
          await gateway.fetch("/graphql", {
            method: "POST",
            as,
            headers: { "content-type": "application/json" },
            body: JSON.stringify({ query, variables }),
          })
        ).text();
        return { text, statements: gateway.statements.length };
      };
      let saved = 0;
      await fc.assert(
        fc.asyncProperty(fc.integer({ min: 0, max: 2 ** 31 - 1 }), async (seed) => {
          const [one, other] = ["", " @include(if: $yes)"].map(
            (directive) => fc.sample(selectionOn(type, 3, directive), { seed, numRuns: 1 })[0] as string,
          );
          const ahead = await run(one as string);
          const byLevels = await run(other as string);
          expect(ahead.text).toBe(byLevels.text);
          expect(ahead.text).not.toContain('"errors"');
          // From the third run on, the operation is compiled.
          expect((await run(one as string)).text).toBe(ahead.text);
          expect((await run(one as string)).text).toBe(ahead.text);
          saved += byLevels.statements - ahead.statements;
        }),
        { seed: 20261121, numRuns: 10, endOnFailure: true },
      );
      expect(saved).toBeGreaterThan(0);
    },
    60_000,
  );
});
