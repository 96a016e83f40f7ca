// Runs once: both kinds of databases run the same statements.

import {
  createAlertRule,
  createAlerts,
  createCamera,
  createFacility,
  createUser,
  createWorkspace,
} from "../support/factories.js";
import { sharedGateway } from "../support/harness.js";
import { listOf } from "../support/list-of.js";

const reader = { user: "list|reader" };
const allTime = { start: "2000-01-01T00:00:00Z", end: "2100-01-01T00:00:00Z" };
const unknownId = "ffffffff-0000-4000-8000-000000000000";
/** Ids that sort like their numbers. */
const alertId = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;
const minute = (number: number) => new Date(Date.UTC(2026, 5, 1, 12, number));

interface Page {
  nodes: { id: string }[];
  edges: { cursor: string; node: { id: string } }[];
  pageInfo: {
    hasNextPage: boolean;
    hasPreviousPage: boolean;
    startCursor: string | null;
    endCursor: string | null;
  };
  totalCount: number;
}

const page =
  "nodes { id } edges { cursor node { id } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } totalCount";
const listQuery = `query ($filter: AlertFilter!, $first: Int, $after: String, $last: Int, $before: String, $offset: Int) {
  alerts(filter: $filter, first: $first, after: $after, last: $last, before: $before, offset: $offset) { ${page} }
}`;
/** The ids of the entities that alerts belong to, by name. */
const ids: Record<"workspace" | "north" | "south" | "gate" | "yard" | "dock" | "rule" | "lostRule", string> =
  {} as never;

const gateway = await sharedGateway();
const { prisma } = gateway;
ids.workspace = await createWorkspace(prisma);
await createUser(prisma, { workspaceId: ids.workspace, authId: reader.user, roles: ["alerts:read"] });
const { workspace: workspaceId } = ids;
ids.north = await createFacility(prisma, { workspaceId, name: "North" });
ids.south = await createFacility(prisma, { workspaceId, name: "South" });
ids.gate = await createCamera(prisma, { workspaceId, facilityId: ids.north, name: "Gate" });
ids.yard = await createCamera(prisma, { workspaceId, facilityId: ids.north, name: "Yard" });
ids.dock = await createCamera(prisma, { workspaceId, facilityId: ids.south, name: "Dock" });
ids.rule = await createAlertRule(prisma, { cameraId: ids.gate, name: "FENCE" });
ids.lostRule = await createAlertRule(prisma, { cameraId: ids.gate, name: "SMOKE" });
const gate = { workspaceId, facilityId: ids.north, cameraId: ids.gate };
const yard = { ...gate, cameraId: ids.yard };
const dock = { workspaceId, facilityId: ids.south, cameraId: ids.dock };
const alert = (number: number, place: typeof gate, name: string, values: object = {}) => ({
  ...place,
  id: alertId(number),
  createdAt: minute(Math.min(number, 7)),
  name,
  ...values,
});
await createAlerts(prisma, [
  alert(1, gate, "FENCE", { severity: "HIGH", alertRuleId: ids.rule }),
  alert(2, gate, "FENCE", { alertRuleId: ids.rule }),
  alert(3, gate, "SMOKE", { severity: "HIGH", observation: true, alertRuleId: ids.lostRule }),
  alert(4, yard, "FENCE"),
  alert(5, yard, "SMOKE"),
  alert(6, dock, "FENCE"),
  // Three with the same time.
  alert(9, dock, "CROWD"),
  alert(7, dock, "CROWD"),
  alert(8, dock, "CROWD"),
]);
await prisma.alertRule.deleteMany({ where: { id: ids.lostRule } });

interface ListArguments {
  first?: number | null;
  after?: string | null;
  last?: number | null;
  before?: string | null;
  offset?: number;
}

async function list(filter: object = {}, list: ListArguments = {}): Promise<Page> {
  const { alerts } = await gateway.data<{ alerts: Page }>(listQuery, {
    as: reader,
    variables: { filter: { ...allTime, ...filter }, ...list },
  });
  return alerts;
}

const numbers = ({ nodes }: Page) => nodes.map(({ id }) => Number(id.slice(-12)));

const all = [9, 8, 7, 6, 5, 4, 3, 2, 1];

it("the order is newest first, and by descending id for equal times, in nodes as in edges", async () => {
  const result = await list();
  expect(numbers(result)).toEqual(all);
  expect(result.edges.map(({ node }) => node)).toEqual(result.nodes);
});

// Each filter, alone and with others, is compared with a list in memory in
// alert-statistics.test.ts, and each boundary of a period in local-conditions.test.ts.
it.each<[string, () => object, number[]]>([
  [
    "by instants in any zone",
    () => ({ start: "2026-06-01T15:02:00.000+03:00", end: "2026-06-01T06:34:00.000-05:30" }),
    [3, 2],
  ],
  ["by all years", () => ({ start: "0001-01-01T00:00:00.000Z", end: "9999-12-31T23:59:59.999Z" }), all],
  ["by a facility id in upper case", () => ({ facilityId: ids.south.toUpperCase() }), [9, 8, 7, 6]],
  ["by facilities, one of them unknown", () => ({ facilityIds: [ids.north, unknownId] }), [5, 4, 3, 2, 1]],
  ["by a thousand cameras", () => ({ cameraIds: Array(1000).fill(ids.yard) }), [5, 4]],
  ["by a type in another case", () => ({ types: ["crowd"] }), []],
  ["by types with quotes and percent signs", () => ({ types: ["' OR '1'='1", "%", "\\", '"'] }), []],
])("a filter %s matches", async (_what, filter, expected) => {
  const result = await list(filter());
  expect(numbers(result)).toEqual(expected);
  expect(result.totalCount).toBe(expected.length);
});

describe("a page", () => {
  const cursorOf = async (number: number) =>
    (await list()).edges.find(({ node }) => node.id === alertId(number))?.cursor;

  it("of the default size has 20 items", async () => {
    const { workspace: workspaceId, north: facilityId } = ids;
    const cameraId = await createCamera(prisma, { workspaceId, facilityId });
    await createAlerts(
      prisma,
      listOf(21, () => ({ workspaceId, facilityId, cameraId })),
      new Date("1999-01-01T00:00:00Z"),
    );
    const query =
      "query ($id: UUID!, $first: Int) { camera(id: $id) { byDefault: alerts { nodes { id } } byNull: alerts(first: $first) { nodes { id } } } }";
    const { camera } = await gateway.data<{ camera: Record<string, Page> }>(query, {
      as: reader,
      variables: { id: cameraId, first: null },
    });
    expect(camera.byDefault?.nodes).toHaveLength(20);
    expect(camera.byNull?.nodes).toHaveLength(20);
  });

  it("before a cursor alone has the 20 items nearest to it", async () => {
    const { workspace: workspaceId, south: facilityId, dock: cameraId } = ids;
    const before = await cursorOf(8);
    const recorded = await createAlerts(
      prisma,
      listOf(20, (index) => ({
        id: alertId(100 + index),
        workspaceId,
        facilityId,
        cameraId,
        createdAt: minute(10 + index),
      })),
    );
    const result = await list({}, { before, first: null, last: null });
    await prisma.alert.deleteMany({ where: { id: { in: recorded } } });
    expect(numbers(result)).toEqual([...listOf(19, (index) => 118 - index), 9]);
    expect(result.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: true });
  });

  it.each([
    [{ offset: 0, first: 3 }, [9, 8, 7]],
    [{ offset: 3, first: 3 }, [6, 5, 4]],
    [{ offset: 8, first: 3 }, [1]],
    [{ offset: 9, first: 3 }, []],
    [{ offset: 2 ** 31 - 2, first: 1 }, []],
  ])("at %j has a previous page only if an item precedes it", async (page, expected) => {
    const result = await list({}, page);
    expect(numbers(result)).toEqual(expected);
    expect(result.pageInfo.hasPreviousPage).toBe(page.offset > 0);
    expect((await list({ types: ["unknown"] }, page)).pageInfo.hasPreviousPage).toBe(false);
  });

  it("at an offset after a cursor has a previous page", async () => {
    const result = await list({ types: ["FENCE"] }, { after: await cursorOf(9), offset: 1 });
    expect(numbers(result)).toEqual([4, 2, 1]);
    expect(result.pageInfo.hasPreviousPage).toBe(true);
  });

  it("has the same items whether or not hasNextPage and hasPreviousPage are selected", async () => {
    const cursors = `after: "${await cursorOf(8)}", before: "${await cursorOf(3)}"`;
    const filter = `filter: { start: "${allTime.start}", end: "${allTime.end}" }`;
    const fields = [
      "",
      "pageInfo { hasNextPage }",
      "pageInfo { hasPreviousPage }",
      "pageInfo { hasNextPage hasPreviousPage }",
    ];
    const pages = ["first", "last"].flatMap((way) =>
      fields.map(
        (selected, index) =>
          `${way}${index}: alerts(${filter}, ${cursors}, ${way}: 2) { nodes { id } ${selected} }`,
      ),
    );
    const data = await gateway.data<Record<string, Page>>(`{ ${pages.join(" ")} }`, { as: reader });
    for (const [name, result] of Object.entries(data))
      expect(numbers(result), name).toEqual(name.startsWith("first") ? [7, 6] : [5, 4]);
  });
});

describe("paging by cursor", () => {
  const filters: [string, number[]][] = [
    ["", all],
    // Other cursors are positions without an item, such as those of deleted alerts.
    [', types: ["FENCE"]', [6, 4, 2, 1]],
    [', types: ["unknown"]', []],
  ];
  // Every filter's alerts fit on a page of nine.
  const everyOne = filters.flatMap(([filter, all], index) =>
    (index === 0 ? [2, 9] : [2]).map((size) => ({ filter, all, size })),
  );

  it.each(everyOne)(
    "selects pages of $size like a list in memory, between any two cursors (filter: $filter)",
    async ({ filter, all, size }) => {
      const { edges } = await list();
      const cursors = [undefined, ...edges];
      const numberOf = (edge: (typeof cursors)[number]) => edge && Number(edge.node.id.slice(-12));
      const argument = (name: string, edge: (typeof cursors)[number]) =>
        edge ? `, ${name}: "${edge.cursor}"` : "";
      for (const after of cursors) {
        const cases = cursors.flatMap((before, index) =>
          (["first", "last"] as const).map((way) => ({ way, before, name: `${way}${index}` })),
        );
        const fields = cases.map(
          ({ way, before, name }) =>
            `${name}: alerts(filter: { start: "${allTime.start}", end: "${allTime.end}"${filter} }, ${way}: ${size}${argument("after", after)}${argument("before", before)}) { nodes { id } edges { cursor } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } }`,
        );
        const pages = await gateway.data<Record<string, Page>>(`{ ${fields.join(" ")} }`, { as: reader });
        for (const { way, before, name } of cases) {
          const [newest, oldest] = [numberOf(after), numberOf(before)];
          const between = all.filter((number) => number < (newest ?? 10) && number > (oldest ?? 0));
          const listed = way === "first" ? between.slice(0, size) : between.slice(-size);
          const hasPreviousPage = all.some((number) =>
            listed[0] === undefined ? number >= (newest ?? 10) : number > listed[0],
          );
          const hasNextPage = all.some((number) =>
            listed[0] === undefined ? number <= (oldest ?? 0) : number < (listed.at(-1) as number),
          );
          const shown = pages[name] as Page;
          expect([numbers(shown), shown.pageInfo], `${way} after ${newest} before ${oldest}`).toEqual([
            listed,
            {
              ...{ hasNextPage, hasPreviousPage },
              startCursor: shown.edges[0]?.cursor ?? null,
              endCursor: shown.edges.at(-1)?.cursor ?? null,
            },
          ]);
        }
      }
    },
  );
});

describe("nested alerts", () => {
  const nested = `query ($filter: AlertFilter, $first: Int, $offset: Int) {
    workspace { alerts(filter: $filter, first: $first, offset: $offset) { nodes { id } totalCount } }
    facilities { name alerts(filter: $filter, first: $first, offset: $offset) { nodes { id } totalCount } }
    cameras { name alerts(filter: $filter, first: $first, offset: $offset) { nodes { id } totalCount }
      alertRules { alerts(filter: $filter, first: $first, offset: $offset) { nodes { id } totalCount } } }
  }`;
  interface Nested {
    workspace: { alerts: Page };
    facilities: { name: string; alerts: Page }[];
    cameras: { name: string; alerts: Page; alertRules: { alerts: Page }[] }[];
  }

  /** The alerts listed for each parent, in the order of the table below. */
  async function below(variables: object): Promise<Record<string, [number[], number]>> {
    const { workspace, facilities, cameras } = await gateway.data<Nested>(nested, { as: reader, variables });
    const named = [...facilities, ...cameras]
      .filter(({ name }) => name !== "Camera")
      .map(({ name, alerts }) => [name, alerts] as const);
    const rules = cameras
      .flatMap(({ alertRules }) => alertRules)
      .map(({ alerts }) => ["rule", alerts] as const);
    const lists = [["workspace", workspace.alerts] as const, ...named, ...rules];
    return Object.fromEntries(lists.map(([name, alerts]) => [name, [numbers(alerts), alerts.totalCount]]));
  }

  it("are filtered and paged for each parent separately", async () => {
    expect(await below({ filter: { ...allTime, types: ["FENCE", "SMOKE"] }, first: 1, offset: 1 })).toEqual({
      workspace: [[5], 6],
      North: [[4], 5],
      South: [[], 1],
      Gate: [[2], 3],
      Yard: [[4], 2],
      Dock: [[], 1],
      rule: [[1], 2],
    });
  });

  it("without a filter cover all time", async () => {
    const [old] = await createAlerts(prisma, [
      {
        workspaceId: ids.workspace,
        facilityId: ids.south,
        cameraId: ids.dock,
        createdAt: new Date("0042-01-01T00:00:00Z"),
      },
    ]);
    const query = "query ($id: UUID!) { camera(id: $id) { alerts { nodes { id createdAt } totalCount } } }";
    const { camera } = await gateway.data<{ camera: { alerts: Page } }>(query, {
      as: reader,
      variables: { id: ids.dock },
    });
    await prisma.alert.deleteMany({ where: { id: old } });
    expect(camera.alerts).toMatchObject({
      totalCount: 5,
      nodes: [{}, {}, {}, {}, { id: old, createdAt: "0042-01-01T00:00:00.000Z" }],
    });
  });

  it.each([
    ["FENCE", [6, 2, 4]],
    ["CROWD", [9, null, null]],
    ["unknown", [null, null, null]],
  ])("lastAlert is the newest of the type %s on each camera, or null", async (type, expected) => {
    const query = "query ($type: String!) { cameras { name lastAlert(type: $type) { id name } } }";
    const { cameras } = await gateway.data<{ cameras: { name: string; lastAlert: { id: string } | null }[] }>(
      query,
      {
        as: reader,
        variables: { type },
      },
    );
    const result = cameras
      .filter(({ name }) => name !== "Camera")
      .map(({ lastAlert }) => lastAlert && Number(lastAlert.id.slice(-12)));
    expect(result).toEqual(expected);
  });
});

it("an alert keeps the severity, observation and id of a deleted rule", async () => {
  const query = "query ($id: UUID!) { alert(id: $id) { severity observation alertRuleId alertRule { id } } }";
  expect(await gateway.data(query, { as: reader, variables: { id: alertId(3) } })).toEqual({
    alert: { severity: "HIGH", observation: true, alertRuleId: ids.lostRule, alertRule: null },
  });
});
