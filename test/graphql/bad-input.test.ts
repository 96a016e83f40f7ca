// Runs once: no database can influence what is tested here.

import { byName, newestFirst } from "../../src/engine/reading/list-order.js";
import { createTestUser } from "../support/factories.js";
import { type GraphQLAnswer, sharedGateway } from "../support/harness.js";
import { listOf } from "../support/list-of.js";

const id = "00000000-0000-4000-8000-000000000001";
const period = { start: "2026-01-01T00:00:00Z", end: "2026-02-01T00:00:00Z" };
const loneSurrogate = "half \ud800 pair";
const cursorByTime = newestFirst.encodeCursor({ createdAt: new Date("2026-01-15T00:00:00Z"), id });
const cursorByName = byName.encodeCursor({ name: "Gate", id });
const gateway = await sharedGateway();
const reader = (await createTestUser(gateway.prisma, { roles: ["alerts:read"] })).as;
// The gateway loads callers once, before it checks their input.
await gateway.data("{ me { id } }", { as: reader });
beforeEach(() => gateway.clearStatements());

/** Queries, and values for the variables that they need. */
const queries = {
  camera: "query ($id: UUID!) { camera(id: $id) { name } }",
  alerts: "query ($filter: AlertFilter!) { alerts(filter: $filter) { nodes { id } } }",
  page: `query ($first: Int, $after: String, $last: Int, $before: String, $offset: Int) {
    alerts(
      filter: { start: "2026-01-01T00:00:00Z", end: "2026-02-01T00:00:00Z" }
      first: $first, after: $after, last: $last, before: $before, offset: $offset
    ) { nodes { id } }
  }`,
  search: `query ($filter: CameraFilter, $first: Int, $after: String) {
    searchCameras(filter: $filter, first: $first, after: $after) { nodes { id } }
  }`,
  nestedPage: `query ($first: Int, $after: String) {
    cameras { statusHistory(first: $first, after: $after) { nodes { id } } }
  }`,
  lastAlert: "query ($type: String!) { cameras { lastAlert(type: $type) { id } } }",
  export: "query ($filter: AlertFilter!) { exportAlerts(filter: $filter) { url } }",
  counts: `query ($filter: AlertFilter!, $aggregate: CountAggregate = DAY) {
    alertCounts(filter: $filter, aggregate: $aggregate) { key }
  }`,
  statistics: `query ($filter: AlertFilter!, $groupBy: [AlertDimension!]! = [DAY]) {
    alertStatistics(filter: $filter, groupBy: $groupBy) { count }
  }`,
  heatmap: `query ($filter: AlertFilter!, $columns: Int, $rows: Int) {
    camera(id: "00000000-0000-4000-8000-000000000001") {
      alertHeatmap(filter: $filter, columns: $columns, rows: $rows) { alerts }
    }
  }`,
};
type QueryName = keyof typeof queries;

/** Variables with a value at a place, such as `filter.types`, beside what a filter needs. */
function variablesWith(query: QueryName, place: string, value: unknown): Record<string, unknown> {
  const [first = "", ...inner] = place.split(".");
  const isOfAlerts = queries[query].includes("AlertFilter!");
  const needed = isOfAlerts ? { filter: /Days|Weeks/.test(place) ? {} : period } : {};
  if (inner.length === 0) return { ...needed, [first]: value };
  // An own member, also if its name is `__proto__`.
  const filter = Object.fromEntries([
    ...Object.entries(needed.filter ?? {}),
    [inner[0], inner[1] ? { from: 0, to: 0, ...texts[inner[0] as string], [inner[1]]: value } : value],
  ]);
  return { filter };
}
/** Valid ranges of texts. */
const texts: Record<string, object> = {
  localDays: { from: "2026-01-01", to: "2026-01-01" },
  localTimes: { from: "18:00", to: "06:00" },
};

const many = (count: number, item: unknown = id) => listOf(count, () => item);
const encoded = (text: string) => Buffer.from(text, "latin1").toString("base64url");

function nestedObject(levels: number): object {
  let value: object = {};
  for (let level = 0; level < levels; level += 1) value = { inner: value };
  return value;
}

function expectRefusal(response: GraphQLAnswer<unknown>, code: string): void {
  expect(response.errors?.map(({ extensions }) => extensions.code)).toEqual(response.errors?.map(() => code));
  expect(response.errors?.length).toBeGreaterThan(0);
  expect(response.status).toBe(400);
  expect(response.data).toBeUndefined();
  expect(gateway.statements).toEqual([]);
}

describe("an invalid value is rejected with the path of its argument, before anything is read:", () => {
  const afterEnd = "2026-03-01T00:00:00Z";
  const dimensions = ["TYPE", "SEVERITY", "CAMERA", "FACILITY"];
  /** Invalid values at a place, each reported with its own path if another one is named. */
  const invalid: [query: QueryName, place: string, values: unknown[], path?: string][] = [
    ["camera", "id", ["camera-1", "", 7, { equals: id }, [id], null, undefined]],
    ["camera", "id", [`${id}0`, `{${id}}`, `${id}\n`, `${id.slice(0, -1)}\0`]],
    ["alerts", "filter", [null, [], "all", undefined]],
    ["alerts", "filter", [{ end: period.end }, {}, { localTimes: texts.localTimes }], "filter.start"],
    ["alerts", "filter", [{ start: period.start, localDays: null, daysOfWeek: [1] }], "filter.end"],
    ["alerts", "filter.name", ["FENCE"]],
    ["alerts", "filter.__proto__", [{ types: ["x"] }]],
    ["alerts", "filter.constructor", [{ prototype: {} }]],
    ["alerts", "filter.types", [nestedObject(50)]],
    ["alerts", "filter.start", ["x", "2026-01-01T00:00:00", "2026-01-01", 1_767_225_600_000, afterEnd]],
    ["alerts", "filter.start", ["2025-02-29T00:00:00Z", "2026-01-01T00:00:00+99:99"]],
    ["alerts", "filter.start", ["2026-01-01T00:00:00|01:00", "0000-01-01T00:00:00Z"]],
    ["alerts", "filter.start", ["0001-01-01T00:00:00+01:00"]],
    ["alerts", "filter.end", ["10000-01-01T00:00:00Z", "9999-12-31T23:30:00-01:00", null]],
    ["alerts", "filter.end", ["+012026-01-01T00:00:00Z"]],
    ["counts", "filter.start", [afterEnd]],
    ["alerts", "filter.bookmark", [1, "true"]],
    ["alerts", "filter.falsePositive", [[true, null]], "filter.falsePositive.1"],
    ["alerts", "filter.types", [["\0"], [loneSurrogate], [{ contains: "" }]], "filter.types.0"],
    [
      "alerts",
      "filter.severities",
      [
        ["HIGH", 3],
        ["HIGH", "\0"],
      ],
      "filter.severities.1",
    ],
    ["alerts", "filter.types", [["x".repeat(201)]], "filter.types.0"],
    ["alerts", "filter.start", [`2026-01-01T00:00:00.${"0".repeat(100)}Z`]],
    ["alerts", "filter.cameraIds", [[id, "x"]], "filter.cameraIds.1"],
    ["alerts", "filter.areaIds", [[id, "x"]], "filter.areaIds.1"],
    ["alerts", "filter.areaId", ["x"]],
    ["alerts", "filter.facilityId", [true]],
    ["export", "filter.types", [["\0"]], "filter.types.0"],
    ...["types", "severities", "cameraIds", "facilityIds", "alertRuleIds", "areaIds"].map(
      (list): [QueryName, string, unknown[]] => ["alerts", `filter.${list}`, [many(1001)]],
    ),
    ["alerts", "filter.falsePositive", [many(1001, true)]],
    ["alerts", "filter.localDays.from", ["2026-02-30", "2026-01-01T00:00", "2026-1-01", "2026-01-01\n"]],
    ["alerts", "filter.localDays.from", ["２０２６-01-01", "0000-12-31", "2026-01-02"]],
    ["alerts", "filter.localDays.to", ["10000-01-01", undefined]],
    ["statistics", "filter.localDays.from", ["2026-01-02"]],
    ["alerts", "filter.relativeDays.to", [1]],
    ["alerts", "filter.relativeDays.from", [-3651, -0.5]],
    ["heatmap", "filter.relativeDays.to", [-1], "filter.relativeDays.from"],
    ["alerts", "filter.relativeWeeks.to", [1]],
    ["alerts", "filter.relativeWeeks.from", [-522]],
    ["alerts", "filter.localTimes.to", ["24:00"]],
    ["alerts", "filter.localTimes.from", ["18:00:00", "18", "18:60"]],
    [
      "alerts",
      "filter.hoursOfDay",
      [
        [0, 24],
        [0, -1],
      ],
      "filter.hoursOfDay.1",
    ],
    ["alerts", "filter.hoursOfDay", [many(25, 1)]],
    ["alerts", "filter.daysOfWeek", [[7]], "filter.daysOfWeek.0"],
    ["alerts", "filter.daysOfWeek", [many(8, 1)]],
    ["lastAlert", "type", ["FENCE\0", loneSurrogate, { toString: "x" }, "", "x".repeat(201)]],
    ["counts", "aggregate", ["YEAR", "day", 0]],
    ["statistics", "groupBy", [[], dimensions, ["TYPE", "TYPE"], ["DAY", "MONTH"], null]],
    ["statistics", "groupBy", [["YEAR"]], "groupBy.0"],
    ["heatmap", "columns", [0]],
    ["heatmap", "rows", [129]],
    ["page", "first", [0, -1, 1001, 2 ** 31 - 1, 2 ** 31, 1.5, "5"]],
    ["search", "first", [0]],
    ["nestedPage", "first", [0]],
    ["search", "filter.text", ["", "x".repeat(201), "a\0"]],
    ["search", "filter.facilityIds", [many(1001)]],
    ["search", "filter.statusDetails", [many(1001)]],
    ["search", "filter.statusDetails", [["x".repeat(101)]], "filter.statusDetails.0"],
    ["page", "last", [0, 1001]],
    ["page", "before", ["x"]],
    ["page", "offset", [-1, 2 ** 31 - 1, 2 ** 31]],
    ["nestedPage", "after", ["", encoded(`${"9".repeat(100)}.${id}`), 5]],
    ["page", "after", ["x", { createdAt: 1 }, `${cursorByTime}\0`, "A".repeat(1024 * 1024), cursorByName]],
    ["search", "after", [5, cursorByTime]],
  ];
  const cases = invalid.flatMap(([query, place, values, path = place]) =>
    values.map((value) => {
      const shown = JSON.stringify(value)?.slice(0, 80);
      return [
        `${place} of ${query}: ${shown}`,
        queries[query],
        variablesWith(query, place, value),
        path,
      ] as const;
    }),
  );

  it.each([
    ...cases,
    ["first and last together", queries.page, { first: 5, last: 5 }, "last"],
    ["an offset with last", queries.page, { offset: 0, last: 5 }, "offset"],
    ["an offset with before", queries.page, { offset: 1, before: cursorByTime }, "offset"],
  ] as const)("%s", async (_what, query, variables, path) => {
    const response = await gateway.graphql(query, { as: reader, variables });
    expectRefusal(response, "BAD_REQUEST");
    expect(response.errors?.[0]?.extensions.details?.map((detail) => detail.path)).toContain(path);
    expect(response.errors?.[0]?.message).not.toMatch(/\$|GraphQL|zod/);
  });

  it("an invalid literal is rejected even in a skipped field or a fragment", async () => {
    const query = `{ cameras { ...Newest @skip(if: true) } } fragment Newest on Camera { alerts(first: 0) { nodes { id } } }`;
    const response = await gateway.graphql(query, { as: reader });
    expectRefusal(response, "BAD_REQUEST");
    expect(response.errors?.[0]?.extensions.details).toEqual([
      { path: "first", message: "must be at least 1" },
    ]);
  });

  it("null for a variable with a default is rejected where null is not allowed", async () => {
    const query = `query ($start: DateTimeISO = "2026-01-01T00:00:00Z") { alerts(filter: { start: $start, end: "2026-02-01T00:00:00Z" }) { nodes { id } } }`;
    const response = await gateway.graphql(query, { as: reader, variables: { start: null } });
    expectRefusal(response, "BAD_REQUEST");
    expect(response.errors?.[0]?.extensions.details?.[0]?.path).toMatch(/^filter/);
  });
});

it("variables that are not declared an undeclared variable is ignored", async () => {
  const variables = JSON.parse(
    `{"id": "${id}", "other": "\\u0000", "__proto__": {"id": 1}, "constructor": null}`,
  );
  expect(await gateway.graphql(queries.camera, { as: reader, variables })).toMatchObject({
    status: 200,
    data: { camera: null },
    errors: undefined,
  });
});

describe("a document that does not match the schema is rejected before anything is read:", () => {
  it.each([
    "{ camera(id: 1) { nmae } }",
    '{ alerts(where: "x") { nodes { id } } }',
    "query ($id: UUID!, $x: Nothing) { camera(id: $id) { name } }",
    "{ camera(id: $id) { name } }",
    "query ($id: String!) { camera(id: $id) { name } }",
    "{ camera { name } }",
    "{ camera(id: null) { name } }",
    '{ camera(id: "x") { name } }',
    "{ camera(id: { eq: 1 }) { name } }",
    '{ alerts(filter: { start: "x", end: "2026-02-01T00:00:00Z" }) { nodes { id } } }',
    '{ alerts(filter: { start: "2026-01-01T00:00:00Z", end: "2026-02-01T00:00:00Z", bookmark: 1 }) { nodes { id } } }',
    '{ alertCounts(filter: { start: "2026-01-01T00:00:00Z", end: "2026-02-01T00:00:00Z" }, aggregate: YEAR) { key } }',
    "{ cameras { alerts(first: 2147483648) { nodes { id } } } }",
    "{ cameras }",
    "{ cameras { name { x } } }",
    "{ cameras { x: name x: id } }",
    "{ cameras { ...A } } fragment A on Camera { facility { cameras { ...A } } }",
    "{ __proto__ { x } }",
    "{ constructor }",
  ])("%s", async (query) => {
    expectRefusal(await gateway.graphql(query, { as: reader }), "GRAPHQL_VALIDATION_FAILED");
  });

  it.each([
    "{ }",
    "SELECT 1",
    "{ cameras { name }",
    "{ cameras\0 { name } }",
    '{ cameras { lastAlert(type: "\\uD800") { id } } }',
    "# nothing",
  ])("%j", async (query) => {
    expectRefusal(await gateway.graphql(query, { as: reader }), "GRAPHQL_PARSE_FAILED");
  });

  it.each(["\\u0000", "\\u{0}"])("a NUL in a literal, written as %s", async (nul) => {
    const response = await gateway.graphql(`{ cameras { lastAlert(type: "a${nul}b") { id } } }`, {
      as: reader,
    });
    expectRefusal(response, "BAD_REQUEST");
    expect(response.errors?.[0]?.extensions.details?.[0]?.path).toBe("type");
  });
});

describe("an invalid id or moment", () => {
  const example = "must be a timestamp such as 2026-11-20T09:30:00.000Z";
  const messages: [what: string, value: string, message: string][] = [
    ["a date", "2026-11-01", `has no time and no time zone: ${example}`],
    ["a time without a zone", "2026-11-01T09:30:00.5", `has no time zone: ${example}`],
    ["a time to the minute without a zone", "2026-11-01T09:30", `has no time zone: ${example}`],
    [
      "something else",
      "yesterday",
      "must be a timestamp in ISO 8601 with a time zone, such as 2026-11-20T09:30:00.000Z",
    ],
    ["a year that is not stored", "0000-11-01T00:00:00Z", "must be between the years 1 and 9999"],
    ["a long text", "2026".repeat(26), "must have at most 100 characters"],
  ];
  it.each(messages)(
    "says what is missing from %s, in a literal as in a variable",
    async (_what, start, message) => {
      const details = [{ path: "filter.start", message }];
      const byVariable = await gateway.graphql(queries.alerts, {
        as: reader,
        variables: variablesWith("alerts", "filter.start", start),
      });
      expect(byVariable.errors).toEqual([
        { message: `filter.start: ${message}`, extensions: { code: "BAD_REQUEST", details } },
      ]);
      const query = `{\n  alerts(filter: { end: "${period.end}",\n    start: "${start}" }) { nodes { id } } }`;
      const byLiteral = await gateway.graphql(query, { as: reader });
      const locations = [{ line: 3, column: 12 }];
      expect(byLiteral.errors).toEqual([
        {
          message: `filter.start: ${message}`,
          locations,
          extensions: { code: "GRAPHQL_VALIDATION_FAILED", details },
        },
      ]);
    },
  );

  const isNoId = "must be a UUID";
  const document = `subscription ($camera: UUID = 7) {
    alertRaised(facilityId: "x", cameraId: $camera) {
      camera { ...Alerts analysisJob(id: { id: "x" }) { id } }
    }
  }
  fragment Alerts on Camera {
    alerts(filter: { start: "${period.start}", end: "2026-02-01", cameraIds: ["${id}", "y"], areaId: Z }) { nodes { id } }
  }`;
  const expected: [line: number, column: number, path: string, message: string][] = [
    [1, 31, "camera", isNoId],
    [2, 29, "facilityId", isNoId],
    [3, 42, "id", isNoId],
    [7, 58, "filter.end", `has no time and no time zone: ${example}`],
    [7, 124, "filter.cameraIds.1", isNoId],
    [7, 138, "filter.areaId", isNoId],
  ];
  const errors = expected.map(([line, column, path, message]) => ({
    message: `${path}: ${message}`,
    locations: [{ line, column }],
    extensions: { code: "GRAPHQL_VALIDATION_FAILED", details: [{ path, message }] },
  }));

  it("in a literal is reported with its argument and place", async () => {
    const answer = await gateway.graphql(document, { as: reader });
    expect([answer.status, answer.errors]).toEqual([400, errors]);
  });

  it("is reported with a bounded path", async () => {
    const name = "v".repeat(5_000);
    const { errors } = await gateway.graphql(`query ($${name}: UUID = "x") { camera(id: $${name}) { id } }`, {
      as: reader,
    });
    expect(errors?.[0]?.extensions.details?.[0]?.path).toBe(`${"v".repeat(1_000)}…`);
  });
});

it.each([
  ["invalid ids", "mutation ($list: [UUID!]!) { deleteAlerts(ids: $list) { deletedIds } }", 1],
  [
    "strings with a NUL",
    `query ($list: [String!]) { alerts(filter: { start: "2020-01-01T00:00:00Z", end: "2021-01-01T00:00:00Z", types: $list }) { totalCount } }`,
    "\0",
  ],
])("at most twenty issues are reported for %s", async (_what, query, item) => {
  const response = await gateway.graphql(query, {
    as: reader,
    variables: { list: listOf(40_000, () => item) },
  });
  expect(response.errors?.[0]?.extensions.details).toHaveLength(20);
});
