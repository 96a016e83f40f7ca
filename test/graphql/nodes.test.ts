// Runs once: both kinds of databases run the same statements.
import { randomUUID } from "node:crypto";
import { encodeNodeId } from "../../src/engine/nodes/node-id.js";
import { createCompleteFacility } from "../support/complete-facility.js";
import { createApiKey, createTestUser } from "../support/factories.js";
import { sharedGateway } from "../support/harness.js";

const gateway = await sharedGateway();
const { prisma } = gateway;
const { as: admin, workspaceId } = await createTestUser(prisma, { roles: ["users:read", "api-keys:write"] });
const site = await createCompleteFacility(prisma, {
  workspaceId,
  name: "Yard",
  alerts: 2,
});

type Item = { __typename: string; nodeId: string; id?: string } | null;

const nodeId = (type: string, id: string) => encodeNodeId({ type, workspaceId, id });

async function nodes(nodeIds: string[]): Promise<Item[]> {
  const query =
    "query ($nodeIds: [ID!]!) { nodes(nodeIds: $nodeIds) { __typename nodeId ... on Camera { id } ... on Alert { id } ... on User { id } } }";
  return (await gateway.data<{ nodes: Item[] }>(query, { as: admin, variables: { nodeIds } })).nodes;
}

// For each type, it is tested in federation.test.ts that its node ID leads to an object.
it("lists objects of any types in the requested order, repeated as requested, with null for missing ones", async () => {
  const [first, second] = site.alertIds as [string, string];
  const ids = [
    nodeId("Alert", second),
    nodeId("Camera", site.cameraId),
    nodeId("Camera", randomUUID()),
    nodeId("Alert", first),
    nodeId("Alert", second),
    nodeId("Camera", first),
  ];
  expect(await nodes(ids)).toEqual([
    { __typename: "Alert", nodeId: ids[0], id: second },
    { __typename: "Camera", nodeId: ids[1], id: site.cameraId },
    null,
    { __typename: "Alert", nodeId: ids[3], id: first },
    { __typename: "Alert", nodeId: ids[4], id: second },
    null,
  ]);
});

// Who sees which objects as nodes is tested in test/isolation.
it("is null for types without node IDs", async () => {
  const ids = [nodeId("Calibration", site.calibrationId), nodeId("Query", randomUUID())];
  expect(await nodes(ids)).toEqual([null, null]);
});

describe("an invalid node ID is refused, with its place, before anything is read:", () => {
  const message = "is not a node ID: pass one that the API returned as nodeId";
  const valid = encodeNodeId({ type: "Camera", workspaceId: randomUUID(), id: randomUUID() });

  it.each([
    ["an id", randomUUID()],
    ["an empty text", ""],
    ["a node ID of another API", Buffer.from("Camera:123").toString("base64url")],
    ["a part of a node ID", valid.slice(0, -4)],
    ["a shorter node ID", Buffer.from(valid, "base64url").subarray(0, -3).toString("base64url")],
    ["a node ID with other characters", `${valid}=`],
    [
      "a node ID in another alphabet",
      encodeNodeId({
        type: "Camera",
        workspaceId: "ffffffff-ffff-ffff-ffff-ffffffffffff",
        id: randomUUID(),
      }).replaceAll("_", "/"),
    ],
    ["a long text", "A".repeat(100_000)],
  ])("%s", async (_what, text) => {
    gateway.clearStatements();
    const query =
      "query ($one: ID!, $many: [ID!]!) { node(nodeId: $one) { nodeId } nodes(nodeIds: $many) { nodeId } }";
    const { status, errors } = await gateway.graphql(query, {
      as: admin,
      variables: { one: text, many: [valid, text] },
    });
    const details = [
      { path: "nodeId", message },
      { path: "nodeIds.1", message },
    ];
    expect([status, errors?.[0]?.extensions]).toEqual([400, { code: "BAD_REQUEST", details }]);
    expect(gateway.statements).toEqual([]);
  });

  it.each([
    [0, "must list at least one"],
    [101, "must list at most 100"],
    [99_000, "must list at most 100"],
  ])("%i node IDs", async (count, message) => {
    const { errors } = await gateway.graphql("query ($ids: [ID!]!) { nodes(nodeIds: $ids) { nodeId } }", {
      as: admin,
      variables: { ids: Array(count).fill(count > 1000 ? "1" : valid) },
    });
    expect(errors?.[0]?.extensions).toEqual({ code: "BAD_REQUEST", details: [{ path: "nodeIds", message }] });
  });
});

it("the calling user is the same as `me`", async () => {
  const fields = "nodeId email supportHash";
  const { me } = await gateway.data<{ me: { nodeId: string } }>(`{ me { ${fields} } }`, { as: admin });
  const query = `query ($id: ID!) { node(nodeId: $id) { ... on User { ${fields} } } }`;
  expect(await gateway.data(query, { as: admin, variables: { id: me.nodeId } })).toEqual({ node: me });
});

it("reads of a camera that is being removed nothing", async () => {
  const removed = await createCompleteFacility(prisma, {
    workspaceId,
    name: "Gate",
  });
  const ids = [
    nodeId("Camera", removed.cameraId),
    nodeId("Alert", removed.alertIds[0] as string),
    nodeId("AlertRule", removed.ruleId),
    nodeId("StreamRequest", removed.streamRequestId),
    nodeId("Delivery", removed.deliveryId),
  ];
  expect(await nodes(ids)).not.toContain(null);
  await gateway.data("mutation ($id: UUID!) { deleteCamera(id: $id) { id } }", {
    as: await createApiKey(prisma, { workspaceId, permissions: ["cameras:write"] }),
    variables: { id: removed.cameraId },
  });
  expect(await nodes(ids)).toEqual(Array(5).fill(null));
});

it("a fragment on Node has a page's fields read for the page alone", async () => {
  const page =
    "alerts(first: 1) { pageInfo { hasNextPage } nodes { ... on Node { nodeId ... on Alert { name } ... on Camera { url } } } }";
  // The purge of an earlier test's camera reads the pictures of its alerts.
  await gateway.app.idle();
  gateway.clearStatements();
  const { facility } = await gateway.data<{ facility: { alerts: { nodes: object[] } } }>(
    `query ($id: UUID!) { facility(id: $id) { ${page} } }`,
    {
      as: admin,
      variables: { id: site.facilityId },
    },
  );
  expect(facility.alerts.nodes).toEqual([
    { nodeId: nodeId("Alert", site.alertIds[0] as string), name: "STATIC_DELIMITATION_AREA" },
  ]);
  expect(gateway.statements.filter((statement) => statement.includes('"url"'))).toEqual([]);
});
