import { beforeAll, describe, expect, it } from "vitest";
import {
  createAlertRule,
  createAlerts,
  createCamera,
  createFacility,
  createUser,
  createWorkspace,
} from "../support/factories.js";
import { type Gateway, sharedGateway } from "../support/harness.js";

const reader = { user: "list|reader" };
const allTime = { start: "2000-01-01T00:00:00Z", end: "2100-01-01T00:00:00Z" };
const area = "aaaaaaaa-0000-4000-8000-000000000001";
const otherArea = "aaaaaaaa-0000-4000-8000-000000000002";
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

let gateway: Gateway;
/** The ids of the entities that alerts belong to, by name. */
const ids: Record<"workspace" | "north" | "south" | "gate" | "yard" | "dock" | "rule" | "lostRule", string> =
  {} as never;

beforeAll(async () => {
  gateway = await sharedGateway();
  const { prisma } = gateway;
  ids.workspace = await createWorkspace(prisma, {});
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
  const yard = { workspaceId, facilityId: ids.north, cameraId: ids.yard };
  const dock = { workspaceId, facilityId: ids.south, cameraId: ids.dock };
  await createAlerts(prisma, [
    {
      ...gate,
      id: alertId(1),
      createdAt: minute(1),
      name: "FENCE",
      severity: "HIGH",
      alertRuleId: ids.rule,
      areaIds: [area, otherArea],
    },
    {
      ...gate,
      id: alertId(2),
      createdAt: minute(2),
      name: "FENCE",
      severity: "LOW",
      alertRuleId: ids.rule,
      bookmark: true,
      areaIds: [otherArea],
    },
    {
      ...gate,
      id: alertId(3),
      createdAt: minute(3),
      name: "SMOKE",
      severity: "HIGH",
      observation: true,
      alertRuleId: ids.lostRule,
    },
    {
      ...yard,
      id: alertId(4),
      createdAt: minute(4),
      name: "FENCE",
      severity: "HIGH",
      falsePositive: true,
      acknowledgedAt: minute(5),
    },
    {
      ...yard,
      id: alertId(5),
      createdAt: minute(5),
      name: "SMOKE",
      severity: "LOW",
      observation: true,
      areaIds: [area],
    },
    {
      ...dock,
      id: alertId(6),
      createdAt: minute(6),
      name: "FENCE",
      bookmark: true,
      falsePositive: true,
      acknowledgedAt: minute(7),
    },
    // Three with the same time.
    { ...dock, id: alertId(9), createdAt: minute(7), name: "CROWD", severity: "MEDIUM" },
    { ...dock, id: alertId(7), createdAt: minute(7), name: "CROWD" },
    { ...dock, id: alertId(8), createdAt: minute(7), name: "CROWD", severity: "MEDIUM", bookmark: true },
  ]);
  await prisma.alertRule.deleteMany({ where: { id: ids.lostRule } });
});

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

describe("the order", () => {
  it("is newest first, and by descending id for equal times", async () => {
    expect(numbers(await list())).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1]);
  });

  it("is the same in nodes and in edges", async () => {
    const { nodes, edges } = await list();
    expect(edges.map(({ node }) => node)).toEqual(nodes);
  });
});

describe("start and end", () => {
  const periods: [string, string, string, number[]][] = [
    ["include start and exclude end", "2026-06-01T12:02:00.000Z", "2026-06-01T12:04:00.000Z", [3, 2]],
    ["are exact to the millisecond", "2026-06-01T12:02:00.001Z", "2026-06-01T12:04:00.001Z", [4, 3]],
    [
      "are compared as instants, whatever their zone",
      "2026-06-01T15:02:00.000+03:00",
      "2026-06-01T06:34:00.000-05:30",
      [3, 2],
    ],
    ["that are equal match nothing", "2026-06-01T12:02:00.000Z", "2026-06-01T12:02:00.000Z", []],
    [
      "may span all years",
      "0001-01-01T00:00:00.000Z",
      "9999-12-31T23:59:59.999Z",
      [9, 8, 7, 6, 5, 4, 3, 2, 1],
    ],
  ];

  it.each(periods)("%s", async (_what, start, end, expected) => {
    expect(numbers(await list({ start, end }))).toEqual(expected);
  });
});

describe("a filter", () => {
  const filters: [string, () => object, number[]][] = [
    ["by facility", () => ({ facilityId: ids.south }), [9, 8, 7, 6]],
    ["by a facility id in upper case", () => ({ facilityId: ids.south.toUpperCase() }), [9, 8, 7, 6]],
    ["by facilities, one of them unknown", () => ({ facilityIds: [ids.north, unknownId] }), [5, 4, 3, 2, 1]],
    ["by a facility and another one", () => ({ facilityId: ids.south, facilityIds: [ids.north] }), []],
    ["by an unknown facility", () => ({ facilityId: unknownId }), []],
    ["by one camera", () => ({ cameraIds: [ids.yard] }), [5, 4]],
    [
      "by cameras, one of them unknown and one repeated",
      () => ({ cameraIds: [ids.yard, ids.gate, ids.gate, unknownId] }),
      [5, 4, 3, 2, 1],
    ],
    ["by types", () => ({ types: ["CROWD", "SMOKE"] }), [9, 8, 7, 5, 3]],
    ["by a type in another case", () => ({ types: ["crowd"] }), []],
    [
      "by severities, which excludes alerts without one",
      () => ({ severities: ["LOW", "MEDIUM"] }),
      [9, 8, 5, 2],
    ],
    ["by having a severity", () => ({ hasSeverity: true }), [9, 8, 5, 4, 3, 2, 1]],
    ["by having no severity", () => ({ hasSeverity: false }), [7, 6]],
    ["by bookmark", () => ({ bookmark: true }), [8, 6, 2]],
    ["by no bookmark", () => ({ bookmark: false }), [9, 7, 5, 4, 3, 1]],
    ["by false positives", () => ({ falsePositive: [true] }), [6, 4]],
    ["by no false positives", () => ({ falsePositive: [false] }), [9, 8, 7, 5, 3, 2, 1]],
    ["by false positives and others", () => ({ falsePositive: [true, false] }), [9, 8, 7, 6, 5, 4, 3, 2, 1]],
    ["by observation", () => ({ observation: true }), [5, 3]],
    ["by no observation", () => ({ observation: false }), [9, 8, 7, 6, 4, 2, 1]],
    ["by acknowledged", () => ({ acknowledged: true }), [6, 4]],
    ["by not acknowledged", () => ({ acknowledged: false }), [9, 8, 7, 5, 3, 2, 1]],
    ["by area", () => ({ areaId: area }), [5, 1]],
    ["by areas, of which an alert may have one", () => ({ areaIds: [unknownId, area] }), [5, 1]],
    ["by rules, one of them deleted", () => ({ alertRuleIds: [ids.rule, ids.lostRule] }), [3, 2, 1]],
    ["by a rule", () => ({ alertRuleIds: [ids.rule] }), [2, 1]],
    [
      "by a facility and a camera of another one",
      () => ({ facilityId: ids.south, cameraIds: [ids.gate] }),
      [],
    ],
    [
      "by facility, type and severity",
      () => ({ facilityId: ids.north, types: ["FENCE"], severities: ["HIGH"] }),
      [4, 1],
    ],
    ["by all fields", () => everything(), [1]],
    ["of nulls, which are ignored", () => nulls, [9, 8, 7, 6, 5, 4, 3, 2, 1]],
    ["by an empty list of cameras", () => ({ cameraIds: [] }), []],
    ["by an empty list of facilities", () => ({ facilityIds: [] }), []],
    ["by an empty list of rules", () => ({ alertRuleIds: [] }), []],
    ["by an empty list of areas", () => ({ areaIds: [] }), []],
    ["by an empty list of types", () => ({ types: [] }), []],
    ["by an empty list of severities", () => ({ severities: [] }), []],
    ["by neither false positives nor others", () => ({ falsePositive: [] }), []],
    [
      "by a thousand cameras",
      () => ({ cameraIds: Array.from({ length: 1000 }, () => ids.dock) }),
      [9, 8, 7, 6],
    ],
    ["by a type with quotes and percent signs", () => ({ types: ["' OR '1'='1", "%", "\\", '"'] }), []],
  ];
  const nulls = {
    facilityId: null,
    cameraIds: null,
    types: null,
    severities: null,
    hasSeverity: null,
    bookmark: null,
    falsePositive: null,
    observation: null,
    areaId: null,
    facilityIds: null,
    alertRuleIds: null,
    areaIds: null,
  };
  const everything = () => ({
    start: minute(1),
    end: minute(2),
    facilityId: ids.north,
    cameraIds: [ids.gate, ids.yard],
    types: ["FENCE"],
    severities: ["HIGH", "LOW"],
    hasSeverity: true,
    bookmark: false,
    falsePositive: [false],
    observation: false,
    areaId: area,
    facilityIds: [ids.north, ids.south],
    alertRuleIds: [ids.rule, ids.lostRule],
    areaIds: [otherArea],
  });

  it.each(filters)("%s", async (_what, filter, expected) => {
    const result = await list(filter());
    expect(numbers(result)).toEqual(expected);
    expect(result.totalCount).toBe(expected.length);
  });

  it.each(Object.keys(everything()).filter((name) => !/start|end|cameraIds|facilityId$/.test(name)))(
    "by all fields does not match if %s differs",
    async (name) => {
      const others: Record<string, unknown> = {
        types: ["SMOKE"],
        severities: ["LOW"],
        hasSeverity: false,
        bookmark: true,
        falsePositive: [true],
        observation: true,
        areaId: unknownId,
        facilityIds: [ids.south],
        alertRuleIds: [ids.lostRule],
        areaIds: [unknownId],
      };
      expect(numbers(await list({ ...everything(), [name]: others[name] }))).toEqual([]);
    },
  );
});

describe("a page", () => {
  const cursorOf = async (number: number) =>
    (await list()).edges.find(({ node }) => node.id === alertId(number))?.cursor;

  it("of the default size has 20 items", async () => {
    const { workspace: workspaceId, north: facilityId } = ids;
    const cameraId = await createCamera(gateway.prisma, { workspaceId, facilityId });
    await createAlerts(
      gateway.prisma,
      Array.from({ length: 21 }, () => ({ workspaceId, facilityId, cameraId })),
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

  it("has the cursors of its first and last edges", async () => {
    const result = await list({}, { first: 4 });
    expect(result.pageInfo).toEqual({
      hasNextPage: true,
      hasPreviousPage: false,
      startCursor: result.edges[0]?.cursor,
      endCursor: result.edges[3]?.cursor,
    });
  });

  it("at the end of the list has no next page", async () => {
    expect((await list({}, { first: 9 })).pageInfo.hasNextPage).toBe(false);
    expect((await list({}, { first: 8 })).pageInfo.hasNextPage).toBe(true);
  });

  it("from the end has the oldest items, newest first", async () => {
    const result = await list({}, { last: 3 });
    expect(numbers(result)).toEqual([3, 2, 1]);
    expect(result.pageInfo).toMatchObject({
      hasNextPage: false,
      hasPreviousPage: true,
      startCursor: await cursorOf(3),
      endCursor: await cursorOf(1),
    });
  });

  it("before a cursor alone has the 20 items nearest to it", async () => {
    const { workspace: workspaceId, south: facilityId, dock: cameraId } = ids;
    const before = await cursorOf(8);
    const recorded = await createAlerts(
      gateway.prisma,
      Array.from({ length: 20 }, (_, index) => ({
        id: alertId(100 + index),
        workspaceId,
        facilityId,
        cameraId,
        createdAt: minute(10 + index),
      })),
    );
    const result = await list({}, { before, first: null, last: null });
    await gateway.prisma.alert.deleteMany({ where: { id: { in: recorded } } });
    expect(numbers(result)).toEqual([...Array.from({ length: 19 }, (_, index) => 118 - index), 9]);
    expect(result.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: true });
  });

  it.each([
    ["at an offset", { offset: 3, first: 2 }, true],
    ["past the end", { offset: 20 }, true],
    ["at no offset", { offset: 0, first: 2 }, false],
  ])("%s has a previous page only if an item precedes it", async (_where, page, hasPreviousPage) => {
    expect((await list({}, page)).pageInfo.hasPreviousPage).toBe(hasPreviousPage);
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

  it("after a cursor has a previous page", async () => {
    const result = await list({}, { first: 2, after: await cursorOf(8) });
    expect(numbers(result)).toEqual([7, 6]);
    expect(result.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: true });
  });

  it("after the last item is empty and has no cursors", async () => {
    const result = await list({}, { after: await cursorOf(1) });
    expect(result).toEqual({
      nodes: [],
      edges: [],
      pageInfo: { hasNextPage: false, hasPreviousPage: true, startCursor: null, endCursor: null },
      totalCount: 9,
    });
  });

  it("has the total count of the list, whatever its size", async () => {
    expect((await list({}, { first: 1, after: await cursorOf(4), offset: 1 })).totalCount).toBe(9);
  });

  it.each([
    ["at the start", { offset: 0, first: 3 }, [9, 8, 7]],
    ["further down", { offset: 3, first: 3 }, [6, 5, 4]],
    ["at the end", { offset: 8, first: 3 }, [1]],
    ["past the end", { offset: 9, first: 3 }, []],
    ["at the maximum offset", { offset: 2 ** 31 - 2, first: 1 }, []],
  ])("by offset %s", async (_where, page, expected) => {
    expect(numbers(await list({}, page))).toEqual(expected);
  });

  it("after a cursor with an offset skips that many items", async () => {
    expect(numbers(await list({}, { after: await cursorOf(7), offset: 2 }))).toEqual([4, 3, 2, 1]);
  });

  it("after the cursor of an alert that does not match the filter continues from its position", async () => {
    expect(numbers(await list({ types: ["FENCE"] }, { after: await cursorOf(5) }))).toEqual([4, 2, 1]);
  });
});

describe("paging by cursor", () => {
  async function walk(
    first: number,
    betweenPages: (pageNumber: number) => Promise<unknown> = async () => {},
  ): Promise<number[]> {
    const seen: number[] = [];
    let after: string | null = null;
    for (let pageNumber = 1; pageNumber < 30; pageNumber += 1) {
      const result: Page = await list({}, { first, after });
      seen.push(...numbers(result));
      if (!result.pageInfo.hasNextPage) return seen;
      after = result.pageInfo.endCursor;
      await betweenPages(pageNumber);
    }
    throw new Error("The paging does not end");
  }

  it.each([1, 2, 3, 4, 8, 9, 10])("returns every item once, in order, in pages of %i", async (first) => {
    expect(await walk(first)).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1]);
  });

  it.each([1, 2, 3, 4, 8, 9, 10])(
    "backwards returns every item once, in order, in pages of %i",
    async (last) => {
      const seen: number[] = [];
      let before: string | null = null;
      do {
        const { pageInfo, ...result }: Page = await list({}, { last, before });
        seen.unshift(...numbers({ pageInfo, ...result }));
        before = pageInfo.hasPreviousPage ? pageInfo.startCursor : null;
      } while (before !== null && seen.length < 100);
      expect(seen).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1]);
    },
  );

  const filters: [string, number[]][] = [
    ["", [9, 8, 7, 6, 5, 4, 3, 2, 1]],
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
            `${name}: alerts(filter: { start: "${allTime.start}", end: "${allTime.end}"${filter} }, ${way}: ${size}${argument("after", after)}${argument("before", before)}) { nodes { id } pageInfo { hasNextPage hasPreviousPage } }`,
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
            { hasNextPage, hasPreviousPage },
          ]);
        }
      }
    },
  );

  it("returns every item once while others are recorded and the last returned one is deleted", async () => {
    const site = { workspaceId: ids.workspace, facilityId: ids.south, cameraId: ids.dock };
    const recorded: string[] = [];
    const seen = await walk(2, async (pageNumber) => {
      const newer = { ...site, id: alertId(100 + pageNumber), createdAt: minute(20 + pageNumber) };
      // The time that three share, with a higher id: before the current position.
      const sameTime = { ...site, id: alertId(50 + pageNumber), createdAt: minute(7) };
      const older = { ...site, id: alertId(200 + pageNumber), createdAt: minute(-pageNumber) };
      recorded.push(
        ...(await createAlerts(gateway.prisma, pageNumber <= 3 ? [newer, sameTime, older] : [newer])),
      );
    });
    await gateway.prisma.alert.deleteMany({ where: { id: { in: recorded } } });
    expect(seen).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1, 201, 202, 203]);
  });

  it("continues after an item that was deleted", async () => {
    const site = { workspaceId: ids.workspace, facilityId: ids.south, cameraId: ids.dock };
    const [id] = await createAlerts(gateway.prisma, [{ ...site, id: alertId(60), createdAt: minute(6) }]);
    const after = (await list()).edges.find(({ node }) => node.id === id)?.cursor;
    await gateway.prisma.alert.deleteMany({ where: { id } });
    expect(numbers(await list({}, { after, first: 2 }))).toEqual([6, 5]);
  });

  it("continues with alerts from before 1970", async () => {
    const site = { workspaceId: ids.workspace, facilityId: ids.south, cameraId: ids.dock };
    const old = [3, 2, 1].map((number) => ({
      ...site,
      id: alertId(number + 300),
      createdAt: new Date(Date.UTC(1960, 0, number)),
    }));
    const recorded = await createAlerts(gateway.prisma, old);
    const period = { start: "1950-01-01T00:00:00Z", end: "1970-01-01T00:00:00Z" };
    const first = await list(period, { first: 2 });
    const response = await gateway.graphql<{ alerts: Page }>(listQuery, {
      as: reader,
      variables: { filter: period, after: first.pageInfo.endCursor },
    });
    await gateway.prisma.alert.deleteMany({ where: { id: { in: recorded } } });
    expect(response.errors).toBeUndefined();
    expect(numbers(response.data.alerts)).toEqual([301]);
  });
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

  it("are those of their parent workspace, facility, camera or rule", async () => {
    expect(await below({ filter: allTime, first: 50 })).toEqual({
      workspace: [[9, 8, 7, 6, 5, 4, 3, 2, 1], 9],
      North: [[5, 4, 3, 2, 1], 5],
      South: [[9, 8, 7, 6], 4],
      Gate: [[3, 2, 1], 3],
      Yard: [[5, 4], 2],
      Dock: [[9, 8, 7, 6], 4],
      rule: [[2, 1], 2],
    });
  });

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
    const [old] = await createAlerts(gateway.prisma, [
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
    await gateway.prisma.alert.deleteMany({ where: { id: old } });
    expect(camera.alerts).toMatchObject({
      totalCount: 5,
      nodes: [{}, {}, {}, {}, { id: old, createdAt: "0042-01-01T00:00:00.000Z" }],
    });
  });

  it("with different arguments under aliases are kept apart", async () => {
    const query = `query ($start: DateTimeISO!, $end: DateTimeISO!) { cameras { name
      fences: alerts(filter: { start: $start, end: $end, types: ["FENCE"] }) { nodes { id } }
      second: alerts(filter: { start: $start, end: $end }, first: 1, offset: 1) { nodes { id } } } }`;
    const { cameras } = await gateway.data<{
      cameras: Record<"name" | "fences" | "second", Page & string>[];
    }>(query, {
      as: reader,
      variables: allTime,
    });
    const result = cameras
      .filter(({ name }) => name !== "Camera")
      .map(({ name, fences, second }) => [name, numbers(fences), numbers(second)]);
    expect(result).toEqual([
      ["Dock", [6], [8]],
      ["Gate", [2, 1], [2]],
      ["Yard", [4], [4]],
    ]);
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

describe("an alert", () => {
  const query =
    "query ($id: UUID!) { alert(id: $id) { severity observation alertRuleId alertRule { id name } camera { name } facility { name } } }";
  const read = async (number: number) =>
    (await gateway.data<{ alert: object }>(query, { as: reader, variables: { id: alertId(number) } })).alert;

  it("has its rule, camera and facility", async () => {
    const rule = { id: ids.rule, name: "FENCE" };
    const expected = {
      severity: "HIGH",
      observation: false,
      alertRuleId: ids.rule,
      alertRule: rule,
      camera: { name: "Gate" },
      facility: { name: "North" },
    };
    expect(await read(1)).toEqual(expected);
  });

  it("without a rule has no severity and is not an observation", async () => {
    expect(await read(7)).toMatchObject({
      severity: null,
      observation: false,
      alertRuleId: null,
      alertRule: null,
    });
  });

  it("keeps the severity, the observation and the id of a deleted rule", async () => {
    expect(await read(3)).toMatchObject({
      severity: "HIGH",
      observation: true,
      alertRuleId: ids.lostRule,
      alertRule: null,
    });
  });

  it("that does not exist is null", async () => {
    expect(await read(999)).toBeNull();
  });
});
