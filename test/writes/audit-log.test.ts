import { randomUUID } from "node:crypto";
// Runs once: both kinds of databases run the same statements.
import {
  createAdmin,
  createAlertRule,
  createCamera,
  createFacility,
  createWorkspace,
  type TestUser,
} from "../support/factories.js";
import { refusal, sharedWorkspace } from "../support/harness.js";

const start = new Date(Math.floor(Date.now() / 1000) * 1000);
const at = (seconds: number) => new Date(start.getTime() + seconds * 1000).toISOString();
let clock = start;

const { gateway, prisma, workspaceId } = await sharedWorkspace({ now: () => clock });
const otherWorkspaceId = await createWorkspace(prisma);
const here = await createFacility(prisma, { workspaceId });
const there = await createFacility(prisma, { workspaceId });
const elsewhere = await createFacility(prisma, { workspaceId: otherWorkspaceId });
const admin = await createAdmin(prisma, workspaceId);
const second = await createAdmin(prisma, workspaceId);
const otherTenant = await createAdmin(prisma, otherWorkspaceId);
const rename = (user: TestUser, id: string, name: string) =>
  gateway.data("mutation ($id: UUID!, $name: String!) { renameFacility(id: $id, name: $name) { id } }", {
    ...user,
    variables: { id, name },
  });
// Ten entries, entry n at second n, alternating between `here` and `there`. The admin writes
// all but the last.
for (let entry = 0; entry < 10; entry += 1) {
  clock = new Date(at(entry));
  await rename(entry === 9 ? second : admin, entry % 2 === 0 ? here : there, String(entry));
  await rename(otherTenant, elsewhere, String(entry));
}
beforeEach(() => {
  clock = start;
});

interface Page {
  auditLog: {
    nodes: { createdAt: string; actorId: string; changes: { name: { to: string } } }[];
    totalCount: number;
    pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean; endCursor: string | null };
  };
}

const query = `query ($first: Int, $after: String, $actorId: UUID, $targetId: UUID, $start: DateTimeISO, $end: DateTimeISO) {
  auditLog(first: $first, after: $after, actorId: $actorId, targetId: $targetId, start: $start, end: $end) {
    nodes { id actorId actorKind action targetType targetId facilityId changes via client createdAt } totalCount pageInfo { hasNextPage hasPreviousPage endCursor }
  }
}`;
const page = async (variables: object, user = admin) =>
  (await gateway.data<Page>(query, { ...user, variables })).auditLog;
const numbers = async (variables: object, user = admin) =>
  (await page(variables, user)).nodes.map(({ changes }) => Number(changes.name.to));

it("lists all writes in the workspace, newest first, and none of other workspaces", async () => {
  const { nodes, totalCount } = await page({});
  expect(nodes.map(({ changes }) => Number(changes.name.to))).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
  expect(totalCount).toBe(10);
  expect(nodes[0]).toEqual({
    id: expect.any(String),
    actorId: second.id,
    actorKind: "USER",
    action: "renameFacility",
    targetType: "Facility",
    targetId: there,
    facilityId: there,
    changes: { name: { from: "7", to: "9" } },
    via: "GRAPHQL",
    client: "node",
    createdAt: at(9),
  });
  expect(await page({}, otherTenant)).toMatchObject({
    totalCount: 10,
    nodes: Array(10).fill({ actorId: otherTenant.id }),
  });
});

describe("filters", () => {
  it.each<[string, () => object, number[]]>([
    ["actorId", () => ({ actorId: second.id }), [9]],
    ["targetId", () => ({ targetId: there }), [9, 7, 5, 3, 1]],
    ["start, inclusive", () => ({ start: at(8) }), [9, 8]],
    ["end, exclusive", () => ({ end: at(2) }), [1, 0]],
    ["start and end", () => ({ start: at(3), end: at(5) }), [4, 3]],
    ["equal start and end", () => ({ start: at(3), end: at(3) }), []],
    ["all combined", () => ({ actorId: admin.id, targetId: there, start: at(2), end: at(9) }), [7, 5, 3]],
  ])("by %s", async (_filter, variables, expected) => {
    expect(await numbers(variables())).toEqual(expected);
    expect((await page(variables())).totalCount).toBe(expected.length);
  });

  it("rejects a start after the end", async () => {
    expect(await refusal(gateway, admin, [query, { start: at(2), end: at(1) }])).toMatchObject({
      code: "BAD_REQUEST",
      paths: ["start"],
    });
  });
});

it.each<[string, object, string]>([
  ["first: 0", { first: 0 }, "first"],
  ["first: 1001", { first: 1001 }, "first"],
  ["an invalid cursor", { after: "cursor" }, "after"],
])("paging rejects %s", async (_what, variables, path) => {
  expect(await refusal(gateway, admin, [query, variables])).toMatchObject({
    code: "BAD_REQUEST",
    paths: [path],
  });
});

it("names deleted rules and their cameras, says whom they told, and finds them by name", async () => {
  const cameraId = await createCamera(prisma, { workspaceId, facilityId: here, name: "Gate" });
  const group = { id: randomUUID(), type: "GROUP", name: "Forklifts", operator: "AND", children: [] };
  const name = "VEHICLE_IN_PEDESTRIAN_AREA";
  const ruleId = await createAlertRule(prisma, { cameraId, name, group, emails: ["a@example.com"] });
  await gateway.data("mutation ($id: UUID!) { deleteAlertRule(id: $id) { id } }", {
    ...admin,
    variables: { id: ruleId },
  });
  const find = async (filter: string) =>
    (
      await gateway.data<{ auditLog: { nodes: object[] } }>(
        `{ auditLog(${filter}) { nodes { targetName cameraName changes } } }`,
        admin,
      )
    ).auditLog.nodes;
  const entry = { targetName: "Forklifts", cameraName: "Gate" };
  for (const filter of [
    'text: "FORK"',
    'text: "pedestrian area"',
    'actions: ["deleteAlertRule"]',
    'targetTypes: ["AlertRule"]',
  ])
    expect(await find(filter)).toEqual([
      { ...entry, changes: expect.objectContaining({ emails: { from: ["a@example.com"], to: [] } }) },
    ]);
  expect(await find('text: "fork", actorKinds: [API_KEY, FEED_SERVER]')).toEqual([]);
});
