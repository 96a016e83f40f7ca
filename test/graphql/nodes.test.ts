// Runs once: both kinds of databases run the same statements.
import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import type { Permission } from "../../src/access/permissions.js";
import { encodeNodeId } from "../../src/relay/node-id.js";
import { type CompleteFacility, createCompleteFacility } from "../support/complete-facility.js";
import {
  createAlerts,
  createApiKey,
  createConnector,
  createFacility,
  createUser,
  createWorkspace,
  grantAccess,
} from "../support/factories.js";
import { type Gateway, type Sender, sharedGateway } from "../support/harness.js";

const admin = { user: "nodes|admin" };

let gateway: Gateway;
let workspaceId: string;
let site: CompleteFacility;
let keyId: string;
let connectorId: string;
beforeAll(async () => {
  gateway = await sharedGateway();
  const { prisma } = gateway;
  workspaceId = await createWorkspace(prisma, {});
  await userWith("admin", ["users:read", "api-keys:write"]);
  site = await createCompleteFacility(prisma, {
    workspaceId,
    name: "Yard",
    alerts: 2,
  });
  keyId = (await createApiKey(prisma, { workspaceId, permissions: ["users:read"] })).id;
  connectorId = await createConnector(prisma, { workspaceId, apiKeyId: keyId });
});

const userWith = (name: string, roles: Permission[]) =>
  createUser(gateway.prisma, { workspaceId, authId: `nodes|${name}`, roles });

type Item = { __typename: string; nodeId: string; id?: string } | null;

const nodeId = (type: string, id: string, of = workspaceId) => encodeNodeId({ type, workspaceId: of, id });

async function nodes(nodeIds: string[], as: Sender = admin): Promise<Item[]> {
  const query =
    "query ($nodeIds: [ID!]!) { nodes(nodeIds: $nodeIds) { __typename nodeId ... on Camera { id } ... on Alert { id } ... on User { id } } }";
  return (await gateway.data<{ nodes: Item[] }>(query, { as, variables: { nodeIds } })).nodes;
}

async function node(id: string, as: Sender = admin): Promise<Item> {
  const query = "query ($id: ID!) { node(nodeId: $id) { __typename nodeId } }";
  return (await gateway.data<{ node: Item }>(query, { as, variables: { id } })).node;
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

it("is null for types without node IDs, and for objects of another workspace", async () => {
  const other = await createWorkspace(gateway.prisma, {});
  const ids = [
    nodeId("Calibration", site.calibrationId),
    nodeId("Query", randomUUID()),
    nodeId("Camera", site.cameraId, other),
  ];
  expect(await nodes([...ids, nodeId("Workspace", other, other), nodeId("Workspace", other)])).toEqual(
    Array(5).fill(null),
  );
});

it("distinguishes alerts of two workspaces that have the same id", async () => {
  const { prisma } = gateway;
  const theirs = await createWorkspace(prisma, {});
  const as = { user: "nodes|theirs" };
  await createUser(prisma, { workspaceId: theirs, authId: as.user, roles: ["alerts:read"] });
  const facility = await createCompleteFacility(prisma, {
    workspaceId: theirs,
    name: "Their yard",
    alerts: 0,
  });
  const [id] = site.alertIds as [string];
  await createAlerts(prisma, [
    { workspaceId: theirs, facilityId: facility.facilityId, cameraId: facility.cameraId, id },
  ]);
  const [ours, their] = [nodeId("Alert", id), nodeId("Alert", id, theirs)];
  expect(await nodes([ours, their], as)).toEqual([null, { __typename: "Alert", nodeId: their, id }]);
  expect(await nodes([ours, their])).toEqual([{ __typename: "Alert", nodeId: ours, id }, null]);
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

describe("the permission of the other ways to an object is needed here, too:", () => {
  it("for other users users:read, in the workspace or where they hold something", async () => {
    const { prisma } = gateway;
    const [plain, reader, local, granted] = [
      await userWith("plain", ["alerts:read"]),
      await userWith("reader", ["users:read"]),
      await userWith("local", []),
      await userWith("granted", []),
    ];
    const at = { workspaceId, facilityId: site.facilityId };
    await grantAccess(prisma, { ...at, userId: local, actions: ["users:read"] });
    await grantAccess(prisma, { ...at, userId: granted, actions: ["alerts:read"] });
    const seenBy = async (as: Sender) =>
      (
        await nodes(
          [plain, reader, local, granted].map((id) => nodeId("User", id)),
          as,
        )
      ).map((each) => each?.id ?? null);
    expect(await seenBy({ user: "nodes|plain" })).toEqual([plain, null, null, null]);
    expect(await seenBy({ user: "nodes|reader" })).toEqual([plain, reader, local, granted]);
    expect(await seenBy({ user: "nodes|local" })).toEqual([null, null, local, granted]);
    expect(await seenBy({ user: "nodes|granted" })).toEqual([null, null, null, granted]);
    const elsewhere = await createFacility(prisma, { workspaceId });
    for (const [facilityId, seen] of [
      [elsewhere, Array(4).fill(null)],
      [site.facilityId, [null, null, local, granted]],
    ] as const) {
      const key = { workspaceId, permissions: ["users:read" as const], facilityIds: [facilityId] };
      expect(await seenBy(await createApiKey(prisma, key))).toEqual(seen);
    }
  });

  it.each([
    ["ApiKey", "api-keys:write", "users:read"],
    ["Connector", "api-keys:write", "users:read"],
    ["AuditEntry", "users:read", "api-keys:write"],
  ] as const)("for %s %s", async (type, needed, other) => {
    const entry = await gateway.prisma.auditEntry.create({
      data: {
        workspaceId,
        actorKind: "USER",
        action: "updateCamera",
        targetType: "Camera",
        facilityId: site.facilityId,
      },
    });
    const ids = { ApiKey: keyId, Connector: connectorId, AuditEntry: entry.id };
    const id = nodeId(type, ids[type]);
    const allowed = await createApiKey(gateway.prisma, { workspaceId, permissions: [needed] });
    const denied = await createApiKey(gateway.prisma, { workspaceId, permissions: [other] });
    const local = await createApiKey(gateway.prisma, {
      workspaceId,
      permissions: [needed],
      facilityIds: [site.facilityId],
    });
    expect([await node(id, allowed), await node(id, denied), await node(id, local)]).toEqual([
      { __typename: type, nodeId: id },
      null,
      null,
    ]);
  });
});

it("the calling user is the same as `me`", async () => {
  const fields = "nodeId email supportHash";
  const { me } = await gateway.data<{ me: { nodeId: string } }>(`{ me { ${fields} } }`, { as: admin });
  const query = `query ($id: ID!) { node(nodeId: $id) { ... on User { ${fields} } } }`;
  expect(await gateway.data(query, { as: admin, variables: { id: me.nodeId } })).toEqual({ node: me });
});

it("reads of a camera that is being removed nothing", async () => {
  const removed = await createCompleteFacility(gateway.prisma, {
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
    as: await createApiKey(gateway.prisma, { workspaceId, permissions: ["cameras:write"] }),
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
