// Runs once: both kinds of databases run the same statements.

import { randomUUID } from "node:crypto";
import { encodeNodeId } from "../../src/engine/nodes/node-id.js";
import { createCompleteFacility } from "../support/complete-facility.js";
import { createApiKey, createConnector, createTestUser } from "../support/factories.js";
import { gatewayForTest, sharedGateway } from "../support/harness.js";
import { listOf } from "../support/list-of.js";

const sdlQuery = "{ _service { sdl } }";
const gateway = await sharedGateway({ environment: { FEDERATION: "on" } });
const { prisma } = gateway;
const user = await createTestUser(prisma, { roles: ["users:read", "api-keys:write"] });
const admin = user.as;
const { workspaceId } = user;
const site = await createCompleteFacility(prisma, {
  workspaceId,
  name: "Yard",
  alerts: 2,
});
const apiKeyId = (await createApiKey(prisma, { workspaceId, permissions: ["users:read"] })).id;
const entry = await prisma.auditEntry.create({
  data: { workspaceId, actorKind: "USER", action: "updateCamera", targetType: "Camera" },
});
/** An id of an object of each type that is a node. */
const ids: Record<string, string> = {
  Alert: site.alertIds[0] as string,
  AlertRule: site.ruleId,
  ApiKey: apiKeyId,
  AuditEntry: entry.id,
  Camera: site.cameraId,
  Connector: await createConnector(prisma, { workspaceId, apiKeyId }),
  Delivery: site.deliveryId,
  Facility: site.facilityId,
  StreamRequest: site.streamRequestId,
  User: user.id,
  Workspace: workspaceId,
};

type Item = { __typename: string; nodeId: string } | null;
type Representation = Record<string, unknown>;

const nodeId = (type: string, id: string) => encodeNodeId({ type, workspaceId, id });
const byNodeId = (type: string, id: string) => ({ __typename: type, nodeId: nodeId(type, id) });

const entitiesQuery = (selection: string) =>
  `query ($representations: [_Any!]!) { _entities(representations: $representations) ${selection} }`;

async function entities(
  representations: Representation[],
  selection = "{ __typename ... on Node { nodeId } }",
): Promise<Item[]> {
  const { _entities } = await gateway.data<{ _entities: Item[] }>(entitiesQuery(selection), {
    as: admin,
    variables: { representations },
  });
  return _entities;
}

describe("an entity of each type is what the node is,", () => {
  const fields: Record<string, string> = {
    Alert: "id name camera { name } facility { nodeId }",
    AlertRule: "id name camera { id }",
    ApiKey: "id name permissions",
    AuditEntry: "id action",
    Camera: "id name facility { name } alertRules { name }",
    Connector: "id name",
    Delivery: "id state",
    Facility: "id name cameras { name }",
    StreamRequest: "id cameraId",
    User: "id email",
    Workspace: "id name",
  };

  it.each(Object.keys(fields))("%s", async (type) => {
    const id = ids[type] as string;
    const selection = `{ __typename ... on ${type} { nodeId ${fields[type]} } }`;
    const { node } = await gateway.data<{ node: Item }>(
      `query ($id: ID!) { node(nodeId: $id) ${selection} }`,
      { as: admin, variables: { id: nodeId(type, id) } },
    );
    expect(node).toMatchObject(byNodeId(type, id));
    // The id of an alert is unique in its workspace alone, so it is no key.
    const byId = type === "Alert" ? [] : [{ __typename: type, id: id.toUpperCase() }];
    const both = type === "Alert" ? [] : [{ ...byNodeId(type, id), id }];
    const representations = [byNodeId(type, id), ...byId, ...both];
    expect(await entities(representations, selection)).toEqual(representations.map(() => node));
  });
});

it("keeps the order, repeats what is repeated, and has null for what does not exist", async () => {
  const camera = { __typename: "Camera", id: site.cameraId };
  const facility = { __typename: "Facility", id: site.facilityId };
  expect(
    await entities([
      camera,
      { __typename: "Camera", id: randomUUID() },
      facility,
      camera,
      { ...camera, __typename: "AlertRule" },
    ]),
  ).toEqual([
    byNodeId("Camera", site.cameraId),
    null,
    byNodeId("Facility", site.facilityId),
    byNodeId("Camera", site.cameraId),
    null,
  ]);
  expect(await entities([])).toEqual([]);
});

// Who sees which entities is tested in test/isolation.
it("reads a thousand representations by one statement for each type", async () => {
  const cameras = listOf(499, () => ({ __typename: "Camera", id: randomUUID() }));
  const facilities = listOf(499, () => byNodeId("Facility", randomUUID()));
  const selection = "{ ... on Camera { name } ... on Facility { name } }";
  const found = [
    { __typename: "Camera", id: site.cameraId },
    { __typename: "Facility", id: site.facilityId },
  ];
  await entities(found, selection);
  gateway.clearStatements();
  const read = await entities([...cameras, ...found, ...facilities], selection);
  expect(read.filter((item) => item !== null)).toEqual([{ name: "Yard" }, { name: "Yard" }]);
  expect(gateway.statements).toHaveLength(2);
});

it("needs credentials", async () => {
  const { status, errors } = await gateway.graphql(entitiesQuery("{ __typename }"), {
    variables: { representations: [] },
  });
  expect([status, errors?.[0]?.extensions.code]).toEqual([401, "UNAUTHENTICATED"]);
});

it("the schema definition for routers may be read by whoever may introspect: in production by callers alone", async () => {
  expect(await gateway.graphql<object>(sdlQuery)).toMatchObject({
    status: 200,
    data: { _service: { sdl: expect.stringContaining("type Camera implements Node @key") } },
  });
  const production = await gatewayForTest({
    environment: { FEDERATION: "on", NODE_ENV: "production" },
  });
  const anonymous = await production.graphql(sdlQuery);
  expect([anonymous.status, anonymous.errors?.[0]?.extensions.code]).toEqual([401, "UNAUTHENTICATED"]);
  const { as } = await createTestUser(production.prisma, {});
  expect(await production.graphql(sdlQuery, { as })).toMatchObject({
    status: 200,
    data: { _service: { sdl: expect.any(String) } },
  });
});

it("shows the schema once to each request", async () => {
  const { errors } = await gateway.graphql("{ _service { sdl } again: _service { sdl } }");
  expect(errors?.map(({ extensions }) => extensions)).toEqual([
    { code: "BAD_REQUEST", details: [{ path: "_service.sdl", message: "may be selected only once" }] },
  ]);
});

it("counts the schema as introspection, which is limited and takes turns", async () => {
  const { errors } = await gateway.graphql("{ a: _service { sdl } b: _service { sdl } c: _service { sdl } }");
  expect(errors?.map(({ message }) => message)).toEqual([
    "query: introspects too many lists: 21, at most 15 allowed",
  ]);
});

it("without FEDERATION, nothing of it is in the schema", async () => {
  const plain = await sharedGateway();
  expect(await (await plain.fetch("/schema.graphql")).text()).not.toMatch(/_entities|_service|_Any|@key/);
  const { status, errors } = await plain.graphql(sdlQuery);
  expect([status, errors?.[0]?.extensions.code]).toEqual([400, "GRAPHQL_VALIDATION_FAILED"]);
});
