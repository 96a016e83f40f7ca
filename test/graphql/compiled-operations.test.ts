// Runs once: no database can influence what is tested here.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { schema } from "../../src/graphql/schema.js";
import { encodeNodeId } from "../../src/node/node-id.js";
import { createAlerts, createCamera, createFacility, createUser, createWorkspace } from "../support/factories.js";
import { type Gateway, type GraphQLAnswer, startGateway } from "../support/harness.js";
import { observeExecutions } from "./execution-observer.js";

const admin = { user: "compiled|admin" };
const executions = observeExecutions(schema);
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

/** An operation is compiled after its third run, in a turn of its own. */
const runs = 10;

/** Runs an operation repeatedly, and returns all answers; fails unless it was compiled, or never was, as is expected. */
async function runRepeatedly<Data>(query: string, isCompiled: boolean, variables = {}): Promise<Pick<GraphQLAnswer<Data>, "data" | "errors">[]> {
  executions.length = 0;
  const answers: Pick<GraphQLAnswer<Data>, "data" | "errors">[] = [];
  for (let run = 0; run < runs; run += 1) {
    const { data, errors } = await gateway.graphql<Data>(query, { as: admin, variables });
    answers.push({ data, errors });
  }
  expect(executions[0]).toBe("graphql-js");
  if (isCompiled) expect(executions.at(-1)).toBe("compiled");
  else expect(executions).not.toContain("compiled");
  return answers;
}

it("returns the same errors each time, with a path and without locations", async () => {
  const answers = await runRepeatedly("{ workspace { name users { email } } }", true);
  const error = { message: expect.stringContaining("users:read"), path: ["workspace", "users"], extensions: { code: "FORBIDDEN" } };
  expect(answers.map(({ errors }) => errors)).toEqual(Array(runs).fill([error]));
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
  const answers = await runRepeatedly<{ nodes: ({ __typename: string } | null)[] }>(query, true, variables);
  for (const { data, errors } of answers) {
    expect(new Set(data.nodes.map((node) => node?.__typename))).toEqual(new Set(["Workspace", "Facility", "Camera", "Alert", undefined]));
    expect(errors?.map(({ path }) => path?.join("."))).toContain("nodes.0.users");
  }
  expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
});

it("never runs code from a string of the client", async () => {
  const seen = globalThis as { wasRun?: boolean };
  onTestFinished(() => void delete seen.wasRun);
  // The compiler would take this for one of its own dates, and the rest for the code that creates it.
  const text = "__MAGIC_DATE__33a9e76d_02e0_4128_8e92_3530ad3da74dglobalThis.wasRun=true";
  await runRepeatedly(`{ cameras { lastAlert(type: "${text}") { id } } }`, false);
  await runRepeatedly(`query ($type: String = "${text}") { cameras { lastAlert(type: $type) { id } } }`, false);
  expect(seen.wasRun).toBeUndefined();
});

it("runs fragments that spread each other twice without exponential effort", async () => {
  const fragments = Array.from({ length: 40 }, (_, n) => `fragment Level${n} on Camera { ...Level${n + 1} ...Level${n + 1} }`);
  const query = `{ cameras { ...Level0 } } ${fragments.join(" ")} fragment Level40 on Camera { name }`;
  const answers = await runRepeatedly(query, false);
  const data = await gateway.data("{ cameras { name } }", { as: admin });
  expect(new Set(answers.map((answer) => JSON.stringify(answer)))).toEqual(new Set([JSON.stringify({ data })]));
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
])("does not compile, and returns the same result each time for, %s", async (_what, query, variables) => {
  const [first, ...others] = (await runRepeatedly(query, false, variables)).map((answer) => JSON.stringify(answer));
  expect(first).not.toContain('"errors"');
  expect(others).toEqual(Array(runs - 1).fill(first));
});
