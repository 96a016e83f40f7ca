// Runs once: no database can influence what is tested here.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import { schema } from "../../src/graphql/schema.js";
import { encodeNodeId } from "../../src/relay/node-id.js";
import {
  createAlerts,
  createCamera,
  createFacility,
  createUser,
  createWorkspace,
} from "../support/factories.js";
import { type Gateway, type GraphQLAnswer, startGateway } from "../support/harness.js";
import { type Execution, observeExecutions } from "./execution-observer.js";

const admin = { user: "repeated|admin" };
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

const runs = 5;

/**
 * Runs an operation repeatedly, and returns all answers; fails unless it was executed in
 * the expected way.
 */
async function runRepeatedly<Data>(
  query: string,
  execution: Execution,
  variables = {},
): Promise<Pick<GraphQLAnswer<Data>, "data" | "errors">[]> {
  executions.length = 0;
  const answers: Pick<GraphQLAnswer<Data>, "data" | "errors">[] = [];
  for (let run = 0; run < runs; run += 1) {
    const { data, errors } = await gateway.graphql<Data>(query, { as: admin, variables });
    answers.push({ data, errors });
  }
  expect(executions.at(-1)).toBe(execution);
  return answers;
}

it("returns the same errors each time, with a path and without locations", async () => {
  const answers = await runRepeatedly("{ workspace { name users { email } } }", "graphql-js");
  const error = {
    message: expect.stringContaining("users:read"),
    path: ["workspace", "users"],
    extensions: { code: "FORBIDDEN" },
  };
  expect(answers.map(({ errors }) => errors)).toEqual(Array(runs).fill([error]));
});

it("returns objects of several types, and their errors, each time", async () => {
  const query = `query ($ids: [ID!]!, $first: Int!) { nodes(nodeIds: $ids) {
    __typename nodeId
    ... on Camera { name alerts(first: $first) { nodes { ...Place ... on Node { nodeId } } } facility { name } }
    ... on Facility { alerts(first: $first) { totalCount nodes { name } } cameras { ...Place } access { actions } }
    ... on Workspace { users { email } facilities { name } }
  } } fragment Place on Node { ... on Alert { severity camera { name } } ... on Camera { url facility { nodeId } } }`;
  const objects =
    "{ workspace { nodeId facilities { nodeId cameras { nodeId alerts { nodes { nodeId } } } } } }";
  const nodeIds = JSON.stringify(await gateway.data(objects, { as: admin })).match(
    /(?<="nodeId":")[^"]+/g,
  ) as string[];
  const variables = {
    ids: [
      ...nodeIds,
      ...nodeIds.toReversed(),
      encodeNodeId({ type: "Camera", workspaceId: randomUUID(), id: randomUUID() }),
    ],
    first: 2,
  };
  const answers = await runRepeatedly<{ nodes: ({ __typename: string } | null)[] }>(
    query,
    "graphql-js",
    variables,
  );
  for (const { data, errors } of answers) {
    expect(new Set(data.nodes.map((node) => node?.__typename))).toEqual(
      new Set(["Workspace", "Facility", "Camera", "Alert", undefined]),
    );
    expect(errors?.map(({ path }) => path?.join("."))).toContain("nodes.0.users");
  }
  expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
});

it("runs fragments that spread each other twice without exponential effort", async () => {
  const fragments = Array.from(
    { length: 40 },
    (_, n) => `fragment Level${n} on Camera { ...Level${n + 1} ...Level${n + 1} }`,
  );
  const query = `{ cameras { ...Level0 } } ${fragments.join(" ")} fragment Level40 on Camera { name }`;
  const answers = await runRepeatedly(query, "written");
  const data = await gateway.data("{ cameras { name } }", { as: admin });
  expect(new Set(answers.map((answer) => JSON.stringify(answer)))).toEqual(
    new Set([JSON.stringify({ data })]),
  );
});

it.each<[what: string, execution: Execution, query: string, variables: object]>([
  [
    "a default value that is used",
    "written",
    "query ($first: Int! = 2) { alerts: cameras { alerts(first: $first) { nodes { id } } } }",
    {},
  ],
  [
    "a time as default value",
    "written",
    'query ($start: DateTimeISO = "2020-01-01T00:00:00Z") { cameras { alerts(filter: { start: $start, end: "2030-01-01T00:00:00Z" }) { totalCount } } }',
    {},
  ],
  [
    "a fragment with and without a condition",
    "graphql-js",
    "query ($is: Boolean!) { cameras { ...Name @include(if: $is) ...Name } } fragment Name on Camera { name }",
    { is: false },
  ],
  [
    "a fragment in two places",
    "graphql-js",
    "query ($is: Boolean!) { one: cameras { ...Name @include(if: $is) id } two: cameras { ...Name } } fragment Name on Camera { name }",
    { is: false },
  ],
  [
    "an alias with a special name",
    "written",
    "{ __proto__: cameras { name } constructor: cameras { toString: name } }",
    {},
  ],
])("returns the same result each time for %s", async (_what, execution, query, variables) => {
  const [first, ...others] = (await runRepeatedly(query, execution, variables)).map((answer) =>
    JSON.stringify(answer),
  );
  expect(first).not.toContain('"errors"');
  expect(others).toEqual(Array(runs - 1).fill(first));
});
