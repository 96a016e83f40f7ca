// Runs once: no database can influence what is tested here.
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { byName, newestFirst } from "../../src/reading/list-order.js";
import { openSocket } from "../live/live-socket.js";
import { createUser, createWorkspace } from "../support/factories.js";
import { type Gateway, type GraphQLAnswer, sharedGateway } from "../support/harness.js";

const reader = { user: "bad-input|reader" };
const id = "00000000-0000-4000-8000-000000000001";
const period = { start: "2026-01-01T00:00:00Z", end: "2026-02-01T00:00:00Z" };
const loneSurrogate = "half \ud800 pair";
const validCursor = Buffer.from(`1767225600000.${id}`).toString("base64url");

let gateway: Gateway;
beforeAll(async () => {
  gateway = await sharedGateway();
  const workspaceId = await createWorkspace(gateway.prisma, {});
  await createUser(gateway.prisma, { workspaceId, authId: reader.user, roles: ["alerts:read"] });
  // The gateway loads callers once, before it checks their input.
  await gateway.data("{ me { id } }", { as: reader });
});
beforeEach(() => gateway.clearStatements());

const byId = "query ($id: UUID!) { camera(id: $id) { name } }";
const byFilter = "query ($filter: AlertFilter!) { alerts(filter: $filter) { nodes { id } } }";
const byPage = `query ($first: Int, $after: String, $last: Int, $before: String, $offset: Int) {
  alerts(
    filter: { start: "2026-01-01T00:00:00Z", end: "2026-02-01T00:00:00Z" }, first: $first, after: $after, last: $last, before: $before, offset: $offset
  ) { nodes { id } }
}`;
const someCursor = newestFirst.encodeCursor({
  createdAt: new Date("2026-01-15T00:00:00Z"),
  id: "00000000-0000-4000-8000-000000000001",
});
const search =
  "query ($filter: CameraFilter, $first: Int, $after: String) { searchCameras(filter: $filter, first: $first, after: $after) { nodes { id } } }";
const cursorByName = byName.encodeCursor({ name: "Gate", id });
const nestedPage =
  "query ($first: Int, $after: String) { cameras { statusHistory(first: $first, after: $after) { nodes { id } } } }";
const byType = "query ($type: String!) { cameras { lastAlert(type: $type) { id } } }";
const exportLink = "query ($filter: AlertFilter!) { exportAlerts(filter: $filter) { url } }";
const counts =
  "query ($filter: AlertFilter!, $aggregate: CountAggregate!) { alertCounts(filter: $filter, aggregate: $aggregate) { key } }";

const statistics =
  "query ($filter: AlertFilter!, $groupBy: [AlertDimension!]!) { alertStatistics(filter: $filter, groupBy: $groupBy) { count } }";
const heatmap = `query ($filter: AlertFilter!, $columns: Int, $rows: Int) {
  camera(id: "${id}") { alertHeatmap(filter: $filter, columns: $columns, rows: $rows) { alerts } }
}`;

const filtered = (filter: object) => ({ filter: { ...period, ...filter } });
const many = (count: number) => Array.from({ length: count }, () => id);
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

describe("an invalid value is rejected with the path of its argument, before anything is read", () => {
  const cases: [what: string, query: string, variables: object, path: string][] = [
    ["an id that is not a UUID", byId, { id: "camera-1" }, "id"],
    ["an id with an extra letter", byId, { id: `${id}0` }, "id"],
    ["an id in braces", byId, { id: `{${id}}` }, "id"],
    ["an id with a trailing line feed", byId, { id: `${id}\n` }, "id"],
    ["an empty id", byId, { id: "" }, "id"],
    ["a number as id", byId, { id: 7 }, "id"],
    ["an object as id", byId, { id: { equals: id } }, "id"],
    ["a list as id", byId, { id: [id] }, "id"],
    ["null as id", byId, { id: null }, "id"],
    ["no id", byId, {}, "id"],
    ["a NUL in an id", byId, { id: `${id.slice(0, -1)}\0` }, "id"],
    ["null as filter", byFilter, { filter: null }, "filter"],
    ["an empty list in place of a filter", byFilter, { filter: [] }, "filter"],
    ["a string as filter", byFilter, { filter: "all" }, "filter"],
    ["a list as filter", byFilter, { filter: [] }, "filter"],
    ["no filter", byFilter, {}, "filter"],
    ["a filter without a start", byFilter, { filter: { end: period.end } }, "filter.start"],
    ["an unknown filter", byFilter, filtered({ name: "FENCE" }), "filter.name"],
    [
      "__proto__ as a filter",
      byFilter,
      { filter: JSON.parse(`{"start":"${period.start}","end":"${period.end}","__proto__":{"types":["x"]}}`) },
      "filter.__proto__",
    ],
    ["constructor as a filter", byFilter, filtered({ constructor: { prototype: {} } }), "filter.constructor"],
    ["a filter fifty levels deep", byFilter, filtered({ types: nestedObject(50) }), "filter.types"],
    ["a start that is not a date", byFilter, filtered({ start: "x" }), "filter.start"],
    ["a start without a zone", byFilter, filtered({ start: "2026-01-01T00:00:00" }), "filter.start"],
    ["a start without a time", byFilter, filtered({ start: "2026-01-01" }), "filter.start"],
    ["a start on a nonexistent day", byFilter, filtered({ start: "2025-02-29T00:00:00Z" }), "filter.start"],
    [
      "a start with an invalid offset",
      byFilter,
      filtered({ start: "2026-01-01T00:00:00+99:99" }),
      "filter.start",
    ],
    [
      "a start with a bar as sign",
      byFilter,
      filtered({ start: "2026-01-01T00:00:00|01:00" }),
      "filter.start",
    ],
    ["a start in the year 0", byFilter, filtered({ start: "0000-01-01T00:00:00Z" }), "filter.start"],
    [
      "a start before the year 1 by its zone",
      byFilter,
      filtered({ start: "0001-01-01T00:00:00+01:00" }),
      "filter.start",
    ],
    ["an end in the year 10000", byFilter, filtered({ end: "10000-01-01T00:00:00Z" }), "filter.end"],
    [
      "an end past the year 9999 by its zone",
      byFilter,
      filtered({ end: "9999-12-31T23:30:00-01:00" }),
      "filter.end",
    ],
    [
      "an end in the year 12026 with a sign",
      byFilter,
      filtered({ end: "+012026-01-01T00:00:00Z" }),
      "filter.end",
    ],
    ["a number as start", byFilter, filtered({ start: 1767225600000 }), "filter.start"],
    ["null as end", byFilter, filtered({ end: null }), "filter.end"],
    ["a start after the end", byFilter, { filter: { start: period.end, end: period.start } }, "filter.start"],
    [
      "a start after the end of counts",
      counts,
      { filter: { start: period.end, end: period.start }, aggregate: "DAY" },
      "filter.start",
    ],
    [
      "a start after the end of an export",
      exportLink,
      { filter: { start: period.end, end: period.start } },
      "filter.start",
    ],
    ["1001 types of an export", exportLink, filtered({ types: many(1001) }), "filter.types"],
    ["a NUL in the types of an export", exportLink, filtered({ types: ["\0"] }), "filter.types.0"],
    ["a number as bookmark", byFilter, filtered({ bookmark: 1 }), "filter.bookmark"],
    ["a string as acknowledged", byFilter, filtered({ acknowledged: "true" }), "filter.acknowledged"],
    ["a string as observation", byFilter, filtered({ observation: "true" }), "filter.observation"],
    ["null in falsePositive", byFilter, filtered({ falsePositive: [true, null] }), "filter.falsePositive.1"],
    ["an object in types", byFilter, filtered({ types: [{ contains: "" }] }), "filter.types.0"],
    ["a number in severities", byFilter, filtered({ severities: ["HIGH", 3] }), "filter.severities.1"],
    ["a camera id that is not a UUID", byFilter, filtered({ cameraIds: [id, "x"] }), "filter.cameraIds.1"],
    ["1001 camera ids", byFilter, filtered({ cameraIds: many(1001) }), "filter.cameraIds"],
    ["1001 types", byFilter, filtered({ types: many(1001) }), "filter.types"],
    ["1001 severities", byFilter, filtered({ severities: many(1001) }), "filter.severities"],
    [
      "1001 falsePositive",
      byFilter,
      filtered({ falsePositive: many(1001).map(() => true) }),
      "filter.falsePositive",
    ],
    ["an area id that is not a UUID", byFilter, filtered({ areaId: "x" }), "filter.areaId"],
    ["a facility id that is not a UUID", byFilter, filtered({ facilityId: true }), "filter.facilityId"],
    [
      "an area id in a list that is not a UUID",
      byFilter,
      filtered({ areaIds: [id, "x"] }),
      "filter.areaIds.1",
    ],
    ["neither a period nor days", byFilter, { filter: {} }, "filter.start"],
    [
      "times without a period",
      byFilter,
      { filter: { localTimes: { from: "18:00", to: "06:00" }, hoursOfDay: [1] } },
      "filter.end",
    ],
    [
      "a start alone",
      byFilter,
      { filter: { start: period.start, localDays: null, daysOfWeek: [1] } },
      "filter.end",
    ],
    [
      "a local day that does not exist",
      byFilter,
      { filter: { localDays: { from: "2026-02-30", to: "2026-03-01" } } },
      "filter.localDays.from",
    ],
    [
      "a 29 February in a common year",
      counts,
      { filter: { localDays: { from: "2026-01-01", to: "2026-02-29" } }, aggregate: "DAY" },
      "filter.localDays.to",
    ],
    [
      "a local day with a time",
      byFilter,
      { filter: { localDays: { from: "2026-01-01T00:00", to: "2026-01-01" } } },
      "filter.localDays.from",
    ],
    [
      "a local day with one digit",
      byFilter,
      { filter: { localDays: { from: "2026-1-01", to: "2026-01-01" } } },
      "filter.localDays.from",
    ],
    [
      "a local day with a line feed",
      byFilter,
      { filter: { localDays: { from: "2026-01-01\n", to: "2026-01-01" } } },
      "filter.localDays.from",
    ],
    [
      "a local day in other digits",
      byFilter,
      { filter: { localDays: { from: "２０２６-01-01", to: "2026-01-01" } } },
      "filter.localDays.from",
    ],
    [
      "a local day in the year 0",
      byFilter,
      { filter: { localDays: { from: "0000-12-31", to: "0001-01-01" } } },
      "filter.localDays.from",
    ],
    [
      "a local day in the year 10000",
      byFilter,
      { filter: { localDays: { from: "9999-12-31", to: "10000-01-01" } } },
      "filter.localDays.to",
    ],
    [
      "a special day of PostgreSQL",
      exportLink,
      { filter: { localDays: { from: "today", to: "infinity" } } },
      "filter.localDays.to",
    ],
    [
      "local days in the wrong order",
      statistics,
      { filter: { localDays: { from: "2026-01-02", to: "2026-01-01" } }, groupBy: ["DAY"] },
      "filter.localDays.from",
    ],
    ["no last local day", byFilter, { filter: { localDays: { from: "2026-01-01" } } }, "filter.localDays.to"],
    [
      "a relative day that is tomorrow",
      byFilter,
      { filter: { relativeDays: { from: 0, to: 1 } } },
      "filter.relativeDays.to",
    ],
    [
      "a relative day eleven years ago",
      byFilter,
      { filter: { relativeDays: { from: -3651, to: 0 } } },
      "filter.relativeDays.from",
    ],
    [
      "relative days in the wrong order",
      heatmap,
      { filter: { relativeDays: { from: 0, to: -1 } } },
      "filter.relativeDays.from",
    ],
    [
      "a fraction of a relative day",
      byFilter,
      { filter: { relativeDays: { from: -0.5, to: 0 } } },
      "filter.relativeDays.from",
    ],
    [
      "a relative week that is the next one",
      byFilter,
      { filter: { relativeWeeks: { from: 0, to: 1 } } },
      "filter.relativeWeeks.to",
    ],
    [
      "a relative week eleven years ago",
      byFilter,
      { filter: { relativeWeeks: { from: -522, to: 0 } } },
      "filter.relativeWeeks.from",
    ],
    [
      "a time of 24:00",
      byFilter,
      filtered({ localTimes: { from: "18:00", to: "24:00" } }),
      "filter.localTimes.to",
    ],
    [
      "a time with seconds",
      byFilter,
      filtered({ localTimes: { from: "18:00:00", to: "06:00" } }),
      "filter.localTimes.from",
    ],
    [
      "a time without minutes",
      byFilter,
      filtered({ localTimes: { from: "18", to: "06:00" } }),
      "filter.localTimes.from",
    ],
    [
      "a time with 60 minutes",
      byFilter,
      filtered({ localTimes: { from: "18:60", to: "06:00" } }),
      "filter.localTimes.from",
    ],
    ["an hour of 24", byFilter, filtered({ hoursOfDay: [0, 24] }), "filter.hoursOfDay.1"],
    ["a negative hour", byFilter, filtered({ hoursOfDay: [-1] }), "filter.hoursOfDay.0"],
    ["25 hours", byFilter, filtered({ hoursOfDay: many(25).map(() => 1) }), "filter.hoursOfDay"],
    ["a seventh day of the week", byFilter, filtered({ daysOfWeek: [7] }), "filter.daysOfWeek.0"],
    ["eight days of the week", byFilter, filtered({ daysOfWeek: many(8).map(() => 1) }), "filter.daysOfWeek"],
    ["1001 facility ids", byFilter, filtered({ facilityIds: many(1001) }), "filter.facilityIds"],
    ["1001 rule ids", byFilter, filtered({ alertRuleIds: many(1001) }), "filter.alertRuleIds"],
    ["1001 area ids", byFilter, filtered({ areaIds: many(1001) }), "filter.areaIds"],
    ["a NUL in types", byFilter, filtered({ types: ["FENCE", "a\0b"] }), "filter.types.1"],
    ["a NUL in severities", byFilter, filtered({ severities: ["\0"] }), "filter.severities.0"],
    ["a NUL in a type", byType, { type: "FENCE\0" }, "type"],
    ["a lone surrogate in types", byFilter, filtered({ types: [loneSurrogate] }), "filter.types.0"],
    ["a lone surrogate in a type", byType, { type: loneSurrogate }, "type"],
    ["an object as a type", byType, { type: { toString: "x" } }, "type"],
    ["an unknown aggregate", counts, { ...filtered({}), aggregate: "YEAR" }, "aggregate"],
    ["an aggregate in lower case", counts, { ...filtered({}), aggregate: "day" }, "aggregate"],
    ["a number as aggregate", counts, { ...filtered({}), aggregate: 0 }, "aggregate"],
    ["no dimension of statistics", statistics, { ...filtered({}), groupBy: [] }, "groupBy"],
    [
      "four dimensions",
      statistics,
      { ...filtered({}), groupBy: ["TYPE", "SEVERITY", "CAMERA", "FACILITY"] },
      "groupBy",
    ],
    ["a dimension twice", statistics, { ...filtered({}), groupBy: ["TYPE", "TYPE"] }, "groupBy"],
    ["days and months", statistics, { ...filtered({}), groupBy: ["DAY", "MONTH"] }, "groupBy"],
    ["an unknown dimension", statistics, { ...filtered({}), groupBy: ["YEAR"] }, "groupBy.0"],
    ["null as dimensions", statistics, { ...filtered({}), groupBy: null }, "groupBy"],
    ["no columns of a heat map", heatmap, { ...filtered({}), columns: 0 }, "columns"],
    ["129 rows of a heat map", heatmap, { ...filtered({}), rows: 129 }, "rows"],
    ["first: 0", byPage, { first: 0 }, "first"],
    ["first: -1", byPage, { first: -1 }, "first"],
    ["first: 1001", byPage, { first: 1001 }, "first"],
    ["first: 2147483647", byPage, { first: 2 ** 31 - 1 }, "first"],
    ["first: 2147483648", byPage, { first: 2 ** 31 }, "first"],
    ["first: 1.5", byPage, { first: 1.5 }, "first"],
    ['first: "5"', byPage, { first: "5" }, "first"],
    ["first: 0 of a search", search, { first: 0 }, "first"],
    ["an empty text of a search", search, { filter: { text: "" } }, "filter.text"],
    ["a text of 201 characters", search, { filter: { text: "x".repeat(201) } }, "filter.text"],
    ["a NUL in the text of a search", search, { filter: { text: "a\0" } }, "filter.text"],
    ["1001 facilities of a search", search, { filter: { facilityIds: many(1001) } }, "filter.facilityIds"],
    ["1001 status details", search, { filter: { statusDetails: many(1001) } }, "filter.statusDetails"],
    [
      "a status detail of 101 characters",
      search,
      { filter: { statusDetails: ["x".repeat(101)] } },
      "filter.statusDetails.0",
    ],
    ["first: 0 on a nested list", nestedPage, { first: 0 }, "first"],
    ["last: 0", byPage, { last: 0 }, "last"],
    ["last: 1001", byPage, { last: 1001 }, "last"],
    ["first and last together", byPage, { first: 5, last: 5 }, "last"],
    ["before that is not a cursor", byPage, { before: "x" }, "before"],
    ["an offset with last", byPage, { offset: 0, last: 5 }, "offset"],
    ["an offset with before", byPage, { offset: 1, before: someCursor }, "offset"],
    ["an empty type of the last alert", byType, { type: "" }, "type"],
    ["offset: -1", byPage, { offset: -1 }, "offset"],
    ["an offset whose page exceeds the maximum number", byPage, { offset: 2 ** 31 - 1, first: 1 }, "offset"],
    ["offset: 2147483648", byPage, { offset: 2 ** 31 }, "offset"],
  ];

  it.each(cases)("%s", async (_what, query, variables, path) => {
    const response = await gateway.graphql(query, { as: reader, variables });
    expectRefusal(response, "BAD_REQUEST");
    expect(response.errors?.[0]?.extensions.details?.map((detail) => detail.path)).toContain(path);
    expect(response.errors?.[0]?.message).not.toMatch(/\$|GraphQL|zod/);
  });

  const cursors: [string, unknown][] = [
    ["that is empty", ""],
    ["of blanks", "  "],
    ["of base64 garbage", "////++++===="],
    ["that is not base64", "%%%"],
    ["of another kind of list", encoded("arrayconnection:3")],
    ["with a huge number", encoded(`${"9".repeat(15)}.${id}`)],
    ["with a number of a hundred digits", encoded(`${"9".repeat(100)}.${id}`)],
    ["past the year 9999", encoded(`253402300800000.${id}`)],
    ["before the year 1", encoded(`-99999999999999.${id}`)],
    ["with a number in hexadecimal", encoded(`0x10.${id}`)],
    ["with an exponent", encoded(`1e12.${id}`)],
    ["without an id", encoded("1767225600000.")],
    ["with an id that is not a UUID", encoded("1767225600000.' OR true --")],
    ["with an id in upper case", encoded("1767225600000.AAAAAAAA-0000-4000-8000-000000000001")],
    ["with a trailing line feed", encoded(`1767225600000.${id}\n`)],
    ["with trailing characters", `${validCursor}x`],
    ["with trailing padding", `${validCursor}==`],
    ["with a trailing blank", `${validCursor} `],
    ["in the standard alphabet and with leading zeros", encoded(`0001767225600000.${id}`)],
    ["in Unicode", "１７６７２２５６０００００"],
    ["of emoji", "🎥".repeat(20)],
    ["with a NUL", `${validCursor}\0`],
    ["with a lone surrogate", `${validCursor}\udfff`],
    ["of one megabyte", "A".repeat(1024 * 1024)],
    ["that is a number", 5],
    ["that is an object", { createdAt: 1 }],
  ];

  it.each(cursors)("a cursor %s", async (_what, after) => {
    await expectNoCursor(byPage, after);
  });

  it.each([
    ["a nested list", nestedPage],
    ["a search", search],
  ])("a cursor of %s", async (_what, query) => {
    for (const after of ["", encoded(`${"9".repeat(100)}.${id}`), 5]) await expectNoCursor(query, after);
  });

  async function expectNoCursor(query: string, after: unknown): Promise<void> {
    const response = await gateway.graphql(query, { as: reader, variables: { after } });
    expectRefusal(response, "BAD_REQUEST");
    expect(response.errors?.[0]?.extensions.details?.map((detail) => detail.path)).toContain("after");
  }

  it.each([
    ["of a list by name, in a list by time", byPage, cursorByName],
    ["of a list by time, in a list by name", search, validCursor],
    ["by name without an id", search, encoded("Gate")],
    ["by name with a NUL in the name", search, encoded(`${id}.Gate\0`)],
    ["by name that is not UTF-8", search, encoded(`${id}.Gate\xff`)],
    ["by name that is too long", search, encoded(`${id}.${"x".repeat(1000)}`)],
  ])("a cursor %s", async (_what, query, after) => {
    const response = await gateway.graphql(query, { as: reader, variables: { after } });
    expectRefusal(response, "BAD_REQUEST");
    expect(response.errors?.[0]?.extensions.details).toEqual([
      { path: "after", message: "is not a cursor of this list" },
    ]);
  });

  it.each([
    [byPage, validCursor],
    [search, cursorByName],
  ])("a valid cursor is accepted by %s", async (query, after) => {
    const response = await gateway.graphql<Record<string, object>>(query, {
      as: reader,
      variables: { after },
    });
    expect(response).toMatchObject({ status: 200, errors: undefined });
    expect(Object.values(response.data)).toEqual([{ nodes: [] }]);
  });

  it("several invalid values are all reported", async () => {
    const response = await gateway.graphql(byPage, {
      as: reader,
      variables: { first: 0, after: "x", offset: -1 },
    });
    expectRefusal(response, "BAD_REQUEST");
    expect(response.errors?.[0]?.extensions.details?.map(({ path }) => path)).toEqual([
      "first",
      "after",
      "offset",
    ]);
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

describe("variables that are not an object, or not declared", () => {
  it.each([
    ["a list", []],
    ["a list of values", [id]],
    ["a string", "x"],
    ["a number", 1],
    ["true", true],
  ])("%s for the variables is rejected", async (_what, variables) => {
    const response = await gateway.graphql(byId, { as: reader, variables: variables as never });
    expectRefusal(response, "BAD_REQUEST");
  });

  it("an undeclared variable is ignored", async () => {
    const variables = JSON.parse(
      `{"id": "${id}", "other": "\\u0000", "__proto__": {"id": 1}, "constructor": null}`,
    );
    expect(await gateway.graphql(byId, { as: reader, variables })).toMatchObject({
      status: 200,
      data: { camera: null },
      errors: undefined,
    });
  });

  it("__proto__ in the variables does not replace a missing variable", async () => {
    const response = await gateway.graphql(byId, {
      as: reader,
      variables: JSON.parse(`{"__proto__": {"id": "${id}"}}`),
    });
    expectRefusal(response, "BAD_REQUEST");
  });

  it("a body more than 64 levels deep is rejected", async () => {
    expectRefusal(
      await gateway.graphql(byFilter, { as: reader, variables: filtered({ types: nestedObject(70) }) }),
      "BAD_REQUEST",
    );
  });
});

describe("a document that does not match the schema is rejected before anything is read", () => {
  const documents: [string, string, string][] = [
    ["an unknown field", "{ camera(id: 1) { nmae } }", "GRAPHQL_VALIDATION_FAILED"],
    ["an unknown argument", '{ alerts(where: "x") { nodes { id } } }', "GRAPHQL_VALIDATION_FAILED"],
    [
      "an unknown type",
      "query ($id: ID!, $x: Nothing) { camera(id: $id) { name } }",
      "GRAPHQL_VALIDATION_FAILED",
    ],
    ["an undeclared variable", "{ camera(id: $id) { name } }", "GRAPHQL_VALIDATION_FAILED"],
    [
      "a variable of the wrong type",
      "query ($id: String!) { camera(id: $id) { name } }",
      "GRAPHQL_VALIDATION_FAILED",
    ],
    ["a missing argument", "{ camera { name } }", "GRAPHQL_VALIDATION_FAILED"],
    ["null for a required argument", "{ camera(id: null) { name } }", "GRAPHQL_VALIDATION_FAILED"],
    ["a literal that is not a UUID", '{ camera(id: "x") { name } }', "GRAPHQL_VALIDATION_FAILED"],
    ["an object as id", "{ camera(id: { eq: 1 }) { name } }", "GRAPHQL_VALIDATION_FAILED"],
    [
      "a literal that is not a date",
      '{ alerts(filter: { start: "x", end: "y" }) { nodes { id } } }',
      "GRAPHQL_VALIDATION_FAILED",
    ],
    [
      "a number for a boolean",
      `{ alerts(filter: { start: "${period.start}", end: "${period.end}", bookmark: 1 }) { nodes { id } } }`,
      "GRAPHQL_VALIDATION_FAILED",
    ],
    [
      "an unknown enum value",
      `{ alertCounts(filter: { start: "${period.start}", end: "${period.end}" }, aggregate: YEAR) { key } }`,
      "GRAPHQL_VALIDATION_FAILED",
    ],
    [
      "a number that is too large for Int",
      "{ cameras { alerts(first: 2147483648) { nodes { id } } } }",
      "GRAPHQL_VALIDATION_FAILED",
    ],
    ["an object without a selection", "{ cameras }", "GRAPHQL_VALIDATION_FAILED"],
    ["a leaf with a selection", "{ cameras { name { x } } }", "GRAPHQL_VALIDATION_FAILED"],
    ["fields that cannot be merged", "{ cameras { x: name x: id } }", "GRAPHQL_VALIDATION_FAILED"],
    [
      "a fragment cycle",
      "{ cameras { ...A } } fragment A on Camera { facility { cameras { ...A } } }",
      "GRAPHQL_VALIDATION_FAILED",
    ],
    ["__proto__ as a field", "{ __proto__ { x } }", "GRAPHQL_VALIDATION_FAILED"],
    ["constructor as a field", "{ constructor }", "GRAPHQL_VALIDATION_FAILED"],
    ["an empty selection", "{ }", "GRAPHQL_PARSE_FAILED"],
    ["a text that is not GraphQL", "SELECT 1", "GRAPHQL_PARSE_FAILED"],
    ["an unclosed brace", "{ cameras { name }", "GRAPHQL_PARSE_FAILED"],
    ["a NUL in the document", "{ cameras\0 { name } }", "GRAPHQL_PARSE_FAILED"],
    [
      "a lone surrogate in a literal",
      '{ cameras { lastAlert(type: "\\uD800") { id } } }',
      "GRAPHQL_PARSE_FAILED",
    ],
    ["only a comment", "# nothing", "GRAPHQL_PARSE_FAILED"],
  ];

  it.each(documents)("%s", async (_what, query, code) => {
    expectRefusal(await gateway.graphql(query, { as: reader }), code);
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
      const byVariable = await gateway.graphql(byFilter, { as: reader, variables: filtered({ start }) });
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

  it("in a literal is reported with its argument and place, over HTTP", async () => {
    const answer = await gateway.graphql(document, { as: reader });
    expect([answer.status, answer.errors]).toEqual([400, errors]);
  });

  it("in a literal is reported with its argument and place, over WebSocket", async () => {
    const live = await openSocket(gateway, { as: reader });
    live.subscribe(document);
    await live.received("error");
    expect(live.messages.at(-1)).toEqual({ type: "error", id: "1", payload: errors });
  });

  it("is reported with a bounded path", async () => {
    const name = "v".repeat(5_000);
    const { errors } = await gateway.graphql(`query ($${name}: UUID = "x") { camera(id: $${name}) { id } }`, {
      as: reader,
    });
    expect(errors?.[0]?.extensions.details?.[0]?.path).toBe(`${"v".repeat(1_000)}…`);
  });
});

describe("arbitrary arguments", () => {
  /** Pseudo-random numbers, the same in every run (mulberry32). */
  function seededRandom(seed: number): (below: number) => number {
    let state = seed;
    return (below) => {
      state = (state + 0x6d2b79f5) | 0;
      let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
      mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
      return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
    };
  }

  const unusualValues: unknown[] = [
    ...[
      null,
      true,
      false,
      0,
      -1,
      1,
      20,
      1000,
      1001,
      2 ** 31 - 1,
      2 ** 31,
      1e300,
      -0.5,
      Number.MAX_SAFE_INTEGER,
    ],
    ...[
      "",
      " ",
      "x",
      "\0",
      loneSurrogate,
      "\u202e",
      "🎥",
      "'; DROP TABLE x; --",
      "%",
      "NaN",
      "null",
      "x".repeat(10_000),
      "DAY",
      "WEEK",
    ],
    ...[
      id,
      id.toUpperCase(),
      validCursor,
      encoded(`0.${id}`),
      encoded(`253402300799999.${id}`),
      period.start,
      period.end,
    ],
    ...[
      "0001-01-01T00:00:00Z",
      "9999-12-31T23:59:59.999Z",
      "2016-12-31T23:59:60Z",
      "2026-01-01T00:00:00.123456789Z",
      "2026-01-01t00:00:00z",
    ],
    ...[
      [],
      [null],
      [[]],
      [id],
      ["\0"],
      {},
      { start: period.start },
      { ...period },
      { ...period, types: [] },
      { ...period, cameraIds: [id] },
    ],
    ...[
      { ...period, severities: ["x", "\0"] },
      { ...period, falsePositive: [true] },
      { start: "0001-01-01T00:00:00Z", end: "9999-12-31T23:59:59.999Z" },
    ],
    ...[
      { localDays: { from: "0001-01-01", to: "9999-12-31" } },
      { start: "9999-12-31T23:59:59.999Z", relativeDays: { from: -3650, to: 0 } },
      { ...period, localTimes: { from: "00:00", to: "00:00" }, hoursOfDay: [], daysOfWeek: [0, 0] },
    ],
    ...[JSON.parse('{"__proto__": 1}'), { toString: 1 }, { length: 3 }],
  ];
  const validValues: Record<string, unknown> = {
    UUID: id,
    AlertFilter: period,
    DateTimeISO: period.start,
    Int: 5,
    String: validCursor,
    Boolean: true,
    CountAggregate: "WEEK",
    "[String!]": ["FENCE"],
  };
  const fields: [field: string, below: string, variables: Record<string, string>][] = [
    ["camera(id: $a)", "{ name }", { a: "UUID!" }],
    ["alert(id: $a)", "{ localCreatedAt }", { a: "UUID!" }],
    [
      "cameras(facilityId: $a)",
      "{ lastAlert(type: $b) { id } analysisJob(id: $c) { id } }",
      { a: "UUID", b: "String!", c: "UUID!" },
    ],
    [
      "alerts(filter: $a, first: $b, after: $c, offset: $d)",
      "{ totalCount nodes { id } }",
      { a: "AlertFilter!", b: "Int", c: "String", d: "Int" },
    ],
    [
      "alerts(filter: { start: $a, end: $b, types: $c, bookmark: $d })",
      "{ edges { cursor } }",
      { a: "DateTimeISO!", b: "DateTimeISO!", c: "[String!]", d: "Boolean" },
    ],
    ["exportAlerts(filter: $a)", "{ url expiresAt }", { a: "AlertFilter!" }],
    ["alertCounts(filter: $a, aggregate: $b)", "{ key count }", { a: "AlertFilter!", b: "CountAggregate!" }],
    [
      "workspace",
      "{ alerts(filter: $a, after: $b) { totalCount } facilities { alerts(offset: $c) { pageInfo { endCursor } } } }",
      { a: "AlertFilter", b: "String", c: "Int" },
    ],
  ];

  /** A value as a GraphQL literal. */
  function literal(value: unknown): string {
    if (Array.isArray(value)) return `[${value.map(literal).join(", ")}]`;
    if (value && typeof value === "object")
      return `{ ${Object.entries(value)
        .map(([name, item]) => `${name}: ${literal(item)}`)
        .join(", ")} }`;
    return JSON.stringify(value);
  }

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
      variables: { list: Array.from({ length: 40_000 }, () => item) },
    });
    expect(response.errors?.[0]?.extensions.details).toHaveLength(20);
  });

  it.each([1, 2])(
    "are rejected or return a result, but never cause an internal error (fuzz, seed %i)",
    async (seed) => {
      const random = seededRandom(seed);
      const pick = <Item>(items: readonly Item[]) => items[random(items.length)] as Item;
      const codes = new Set<string>();
      let succeeded = 0;
      for (let run = 0; run < 120; run += 1) {
        const [field, below, types] = pick(fields);
        const chosen = (type: string) =>
          random(2) === 0 ? pick(unusualValues) : validValues[type.replace(/!$/, "")];
        const given = Object.fromEntries(Object.entries(types).map(([name, type]) => [name, chosen(type)]));
        const inline = random(3) === 0;
        const declared = Object.entries(types).map(([name, type]) => `$${name}: ${type}`);
        const body = `${field} ${below}`;
        const query = inline
          ? `{ ${body.replace(/\$(\w)/g, (_match, name: string) => literal(given[name]))} }`
          : `query (${declared.join(", ")}) { ${body} }`;
        const response = await gateway.graphql(query, { as: reader, ...(!inline && { variables: given }) });
        const errors = response.errors?.map(({ extensions }) => extensions.code) ?? [];
        if (errors.length === 0) succeeded += 1;
        for (const code of errors) codes.add(code);
        expect([200, 400], query).toContain(response.status);
        expect(
          ["BAD_REQUEST", "GRAPHQL_VALIDATION_FAILED", "GRAPHQL_PARSE_FAILED"],
          `${query} ${JSON.stringify(given)}`,
        ).toEqual(expect.arrayContaining(errors));
      }
      expect(codes).toContain("BAD_REQUEST");
      expect(succeeded).toBeGreaterThan(0);
    },
  );
});
