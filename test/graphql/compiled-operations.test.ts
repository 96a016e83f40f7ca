// Runs once: no database can influence what is tested here.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { encodeNodeId } from "../../src/node/node-id.js";
import { createAlerts, createCamera, createFacility, createUser, createWorkspace } from "../support/factories.js";
import { type Gateway, startGateway } from "../support/harness.js";

const admin = { user: "compiled|admin" };
let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway({ seed: "none" });
  const { prisma } = gateway;
  const workspaceId = await createWorkspace(prisma, {});
  await createUser(prisma, { workspaceId, authId: admin.user, roles: ["alerts:read", "cameras:read"] });
  const facilityId = await createFacility(prisma, { workspaceId });
  const cameraId = await createCamera(prisma, { workspaceId, facilityId });
  await createAlerts(prisma, Array(3).fill({ workspaceId, facilityId, cameraId }));
});
afterAll(() => gateway.close());

/** Runs an operation often enough that it is compiled, if it ever is, and returns all results. */
async function runRepeatedly(query: string, variables = {}): Promise<unknown[]> {
  const results: unknown[] = [];
  for (let run = 0; run < 5; run += 1) results.push(await gateway.data(query, { as: admin, variables }));
  return results;
}

it("returns the same errors each time, with a path and without locations", async () => {
  const answers = [];
  for (let run = 0; run < 5; run += 1) answers.push((await gateway.graphql("{ workspace { name users { email } } }", { as: admin })).errors);
  const error = { message: expect.stringContaining("users:read"), path: ["workspace", "users"], extensions: { code: "FORBIDDEN" } };
  expect(answers).toEqual(Array(5).fill([error]));
});

it("returns objects of several types, and their errors, as without compiling", async () => {
  const query = `query ($ids: [ID!]!, $first: Int!) { nodes(nodeIds: $ids) {
    __typename nodeId
    ... on Camera { name alerts(first: $first) { nodes { ...Place ... on Node { nodeId } } } facility { name } }
    ... on Facility { alerts(first: $first) { totalCount nodes { name } } cameras { ...Place } access { actions } }
    ... on Workspace { users { email } facilities { name } }
  } } fragment Place on Node { ... on Alert { severity camera { name } } ... on Camera { url facility { nodeId } } }`;
  const objects = "{ workspace { nodeId facilities { nodeId cameras { nodeId alerts { nodes { nodeId } } } } } }";
  const nodeIds = JSON.stringify(await gateway.data(objects, { as: admin })).match(/(?<="nodeId":")[^"]+/g) as string[];
  const variables = {
    ids: [...nodeIds, ...nodeIds.toReversed(), encodeNodeId({ type: "Camera", workspaceId: randomUUID(), id: randomUUID() })],
    first: 2,
  };
  const answers: string[] = [];
  for (let run = 0; run < 5; run += 1) {
    const { data, errors } = await gateway.graphql<{ nodes: ({ __typename: string } | null)[] }>(query, { as: admin, variables });
    answers.push(JSON.stringify({ data, errors }));
    expect(new Set(data.nodes.map((node) => node?.__typename))).toEqual(new Set(["Workspace", "Facility", "Camera", "Alert", undefined]));
    expect(errors?.map(({ path }) => path?.join("."))).toContain("nodes.0.users");
  }
  expect(new Set(answers).size).toBe(1);
});

it("never runs code from a string of the client", async () => {
  const seen = globalThis as { wasRun?: boolean };
  onTestFinished(() => void delete seen.wasRun);
  // The compiler would take this for one of its own dates, and the rest for the code that creates it.
  const text = "__MAGIC_DATE__33a9e76d_02e0_4128_8e92_3530ad3da74dglobalThis.wasRun=true";
  await runRepeatedly(`{ cameras { lastAlert(type: "${text}") { id } } }`);
  await runRepeatedly(`query ($type: String = "${text}") { cameras { lastAlert(type: $type) { id } } }`);
  expect(seen.wasRun).toBeUndefined();
});

it("runs fragments that spread each other twice without exponential effort", async () => {
  const fragments = Array.from({ length: 40 }, (_, n) => `fragment Level${n} on Camera { ...Level${n + 1} ...Level${n + 1} }`);
  const query = `{ cameras { ...Level0 } } ${fragments.join(" ")} fragment Level40 on Camera { name }`;
  const results = await runRepeatedly(query);
  expect(new Set(results.map((result) => JSON.stringify(result)))).toEqual(
    new Set([JSON.stringify(await gateway.data("{ cameras { name } }", { as: admin }))]),
  );
});

it.each([
  ["a default value that is used", "query ($first: Int! = 2) { alerts: cameras { alerts(first: $first) { nodes { id } } } }", {}],
  [
    "a time as default value",
    'query ($start: DateTimeISO = "2020-01-01T00:00:00Z") { cameras { alerts(filter: { start: $start, end: "2030-01-01T00:00:00Z" }) { totalCount } } }',
    {},
  ],
  [
    "a fragment with and without a condition",
    "query ($is: Boolean!) { cameras { ...Name @include(if: $is) ...Name } } fragment Name on Camera { name }",
    { is: false },
  ],
  [
    "a fragment in two places",
    "query ($is: Boolean!) { one: cameras { ...Name @include(if: $is) id } two: cameras { ...Name } } fragment Name on Camera { name }",
    { is: false },
  ],
  ["an alias with a special name", "{ __proto__: cameras { name } constructor: cameras { toString: name } }", {}],
])("returns the same result each time for %s", async (_what, query, variables) => {
  const [first, ...others] = (await runRepeatedly(query, variables)).map((result) => JSON.stringify(result));
  expect(others).toEqual(Array(4).fill(first));
});
