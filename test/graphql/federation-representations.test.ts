// Runs once: no database can influence what is tested here.
import { randomUUID } from "node:crypto";
import { encodeNodeId } from "../../src/engine/nodes/node-id.js";
import { createTestUser } from "../support/factories.js";
import { sharedGateway } from "../support/harness.js";

const valid = { __typename: "Camera", id: randomUUID() };
const gateway = await sharedGateway({ environment: { FEDERATION: "on" } });
const reader = (await createTestUser(gateway.prisma, {})).as;
// Requests of a known caller read nothing before they are checked.
await gateway.graphql("{ workspace { id } }", { as: reader });

const nodeId = (type: string, id: string) => encodeNodeId({ type, workspaceId: randomUUID(), id });

const entitiesQuery = (selection: string) =>
  `query ($representations: [_Any!]!) { _entities(representations: $representations) ${selection} }`;

describe("a bad representation is refused, with its place, before anything is read:", () => {
  const aType =
    "must be one of Alert, AlertRule, ApiKey, AuditEntry, Camera, Connector, Delivery, Facility, StreamRequest, User, Workspace";
  const aKey = "must have nodeId or id, and nothing else but __typename";
  const aNodeId = "is not a node ID: pass one that the API returned as nodeId";
  const id = randomUUID();
  const ofCamera = nodeId("Camera", id);
  const camera = (key: object) => ({ __typename: "Camera", ...key });
  const types = ["Kamera", "Calibration", "Node", "constructor", ["Camera"], "C".repeat(90_000)];
  const cases: [message: string, place: string, representations: unknown[]][] = [
    ["must be an object with __typename and a key", "", ["Camera", []]],
    ["must not be null", "", [null]],
    [aType, ".__typename", [{ id }, ...types.map((__typename) => ({ __typename, id }))]],
    [aKey, "", [{}, { name: "Yard" }, { id, name: "Yard" }, { id, ["n".repeat(90_000)]: 1 }].map(camera)],
    ["must have nodeId, and nothing else but __typename", "", [{ __typename: "Alert", id }]],
    ["must be a UUID", ".id", ["1", 1, null, { id }].map((each) => camera({ id: each }))],
    [aNodeId, ".nodeId", [id, [ofCamera], "A".repeat(90_000)].map((each) => camera({ nodeId: each }))],
    ["is of an object of another type", ".nodeId", [{ __typename: "Facility", nodeId: ofCamera }]],
    ["has a nodeId and an id of different objects", "", [camera({ nodeId: ofCamera, id: randomUUID() })]],
    ["must not contain a NUL character", ".id", [camera({ id: "\0" })]],
  ];

  it.each(
    cases.flatMap(([message, place, representations]) =>
      representations.map((each) => [JSON.stringify(each).slice(0, 80), each, place, message] as const),
    ),
  )("%s", async (_what, representation, place, message) => {
    gateway.clearStatements();
    const { status, errors } = await gateway.graphql(entitiesQuery("{ __typename }"), {
      as: reader,
      variables: { representations: [valid, representation] },
    });
    expect([status, errors?.[0]?.extensions]).toEqual([
      400,
      { code: "BAD_REQUEST", details: [{ path: `representations.1${place}`, message }] },
    ]);
    expect(gateway.statements).toEqual([]);
  });

  it("a member named __proto__, in variables as in a literal", async () => {
    const send = async (body: string) => {
      const headers = { "content-type": "application/json" };
      const response = await gateway.fetch("/graphql", { method: "POST", as: reader, headers, body });
      return ((await response.json()) as { errors: { extensions: object }[] }).errors[0]?.extensions;
    };
    const details = [{ path: "representations.0", message: aKey }];
    const member = `"__proto__":{"id":"${id}"}`;
    expect(
      await send(
        `{"query":${JSON.stringify(entitiesQuery("{ __typename }"))},"variables":{"representations":[{"__typename":"Camera",${member}}]}}`,
      ),
    ).toEqual({ code: "BAD_REQUEST", details });
    const literal = `{ _entities(representations: [{ __typename: "Camera", __proto__: { id: "${id}" } }]) { __typename } }`;
    expect(await send(JSON.stringify({ query: literal }))).toEqual({ code: "BAD_REQUEST", details });
  });

  it.each([1_001, 10_000])("%i of them", async (count) => {
    const { errors } = await gateway.graphql(entitiesQuery("{ __typename }"), {
      as: reader,
      variables: { representations: Array(count).fill({ __typename: "" }) },
    });
    expect(errors?.[0]?.extensions).toEqual({
      code: "BAD_REQUEST",
      details: [{ path: "representations", message: "must list at most 1000" }],
    });
  });
});
