import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
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

/** Asks the same so often that it is compiled, if it ever is, and answers what was answered each time. */
async function askedAgain(query: string, variables = {}): Promise<unknown[]> {
  const answers: unknown[] = [];
  for (let time = 0; time < 5; time += 1) answers.push(await gateway.data(query, { as: admin, variables }));
  return answers;
}

it("runs nothing that a client wrote into a text, however often it is asked", async () => {
  const seen = globalThis as { wasRun?: boolean };
  onTestFinished(() => void delete seen.wasRun);
  // The compiler takes this for a date of its own, and what follows for the program that makes it.
  const text = "__MAGIC_DATE__33a9e76d_02e0_4128_8e92_3530ad3da74dglobalThis.wasRun=true";
  await askedAgain(`{ cameras { lastAlert(type: "${text}") { id } } }`);
  await askedAgain(`query ($type: String = "${text}") { cameras { lastAlert(type: $type) { id } } }`);
  expect(seen.wasRun).toBeUndefined();
});

it("answers fragments that spread each other twice in no more time than others", async () => {
  const fragments = Array.from({ length: 40 }, (_, n) => `fragment Level${n} on Camera { ...Level${n + 1} ...Level${n + 1} }`);
  const query = `{ cameras { ...Level0 } } ${fragments.join(" ")} fragment Level40 on Camera { name }`;
  const answers = await askedAgain(query);
  expect(new Set(answers.map((answer) => JSON.stringify(answer)))).toEqual(
    new Set([JSON.stringify(await gateway.data("{ cameras { name } }", { as: admin }))]),
  );
});

it.each([
  ["a default value that is used", "query ($first: Int! = 2) { alerts: cameras { alerts(first: $first) { nodes { id } } } }", {}],
  [
    "a moment as default value",
    'query ($start: DateTimeISO = "2020-01-01T00:00:00Z") { cameras { alerts(filter: { start: $start, end: "2030-01-01T00:00:00Z" }) { totalCount } } }',
    {},
  ],
  [
    "a fragment with a condition and without",
    "query ($is: Boolean!) { cameras { ...Name @include(if: $is) ...Name } } fragment Name on Camera { name }",
    { is: false },
  ],
  [
    "a fragment in two places",
    "query ($is: Boolean!) { one: cameras { ...Name @include(if: $is) id } two: cameras { ...Name } } fragment Name on Camera { name }",
    { is: false },
  ],
  ["an alias of a special name", "{ __proto__: cameras { name } constructor: cameras { toString: name } }", {}],
])("gives the same answer each time to %s", async (_what, query, variables) => {
  const [first, ...others] = (await askedAgain(query, variables)).map((answer) => JSON.stringify(answer));
  expect(others).toEqual(Array(4).fill(first));
});
