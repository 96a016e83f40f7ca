// Needs no gateway.

import { randomUUID } from "node:crypto";
import { parse } from "graphql";
import { type Operation, OperationDocument } from "../../src/api/graphql/operation-document.js";
import { subgraphSchema } from "../../src/api/graphql/schema.js";
import { coerceVariables } from "../../src/api/graphql/variables.js";
import { encodeNodeId } from "../../src/engine/nodes/node-id.js";
import { largeAnswer } from "../../src/engine/operation/operation-slots.js";
import { listOf } from "../support/list-of.js";

const schema = subgraphSchema();

/** The size of an operation each time that it runs, and the issues for which it is refused. */
function inspect(query: string, ...runs: object[]) {
  const { inspector, variables: declared } = new OperationDocument(
    schema,
    parse(query),
  ).operation() as Operation;
  const sizes = (runs.length > 0 ? runs : [{}]).map((variables) =>
    inspector.inspect(coerceVariables(declared, { ...variables }), { cost: 100_000, pageSize: 1000 }),
  );
  return sizes as [(typeof sizes)[number], ...typeof sizes];
}
const costOf = (query: string, variables: object = {}) => inspect(query, variables)[0].cost;
const issuesOf = (query: string, variables: object = {}) => inspect(query, variables)[0].details;

const id = randomUUID();
const nodeId = (type = "Camera") => encodeNodeId({ type, workspaceId: id, id });
const times = (count: number, item: (index: number) => string) =>
  listOf(count, (index) => item(index)).join(" ");
const period = 'start: "2026-01-01T00:00:00Z", end: "2027-01-01T00:00:00Z"';
const alerts = (first: number) => `alerts(first: ${first}) { nodes { id } }`;

/** A selection on a camera with a number of levels, each a single object. */
function levels(count: number, inAlert = (selection: string) => selection): string {
  let selection = "id";
  for (let level = count - 1; level > 1; level -= 1)
    selection =
      level % 2 === 0 ? `lastAlert(type: "FENCE") { ${inAlert(selection)} }` : `camera { ${selection} }`;
  return selection;
}
const camera = (selection: string) => `{ camera(id: "${id}") { ${selection} } }`;
const node = (selection: string) => `{ node(nodeId: "${nodeId("Facility")}") { ${selection} } }`;
const both = (selection: (type: string) => string) =>
  node(["Camera", "Facility"].map((type) => `... on ${type} { ${selection(type)} }`).join(" "));
const inline = (selection: string) => `... on Alert { ... { ${selection} } }`;
const deepNode = (count: number) => node(`... on Node { ... { ... on Camera { ${levels(count)} } } }`);
const deepFragments = (innermost: string) => `${camera("...A")}
  fragment A on Camera { lastAlert(type: "FENCE") { camera { lastAlert(type: "FENCE") { ...B } } } }
  fragment B on Alert { camera { ${levels(8).replace("id", innermost)} } }`;
const aliases = (count: number, spreads = 1) =>
  `{ workspace { ${"...A ".repeat(spreads)} } } fragment A on Workspace { ${times(count, (n) => `a${n}: name`)} }`;
const directives = (count: number) => `{ workspace { ${"name @include(if: true) ".repeat(count)} } }`;
/** 20 facilities, 20 × 20 cameras, 400 connections, and `first` alerts in each. */
const view = (argument: string, definitions = "") =>
  `query ${definitions} { facilities { cameras { alerts${argument} { nodes { id } } } } }`;
/** The workspace, and for each part a connection with 1000 alerts of three objects each. */
const parts = (
  count: number,
) => `{ workspace { ${times(count, (n) => `a${n}: alerts(first: 1000) { ...A }`)} } }
  fragment A on AlertConnection { nodes { ...B } }
  fragment B on Alert { camera { id } facility { id } ...C } fragment C on Alert { alertRule { id } }`;
const nodes = (first: number) =>
  `{ nodes(nodeIds: ${JSON.stringify(Array(100).fill(nodeId()))}) { ... on Camera { ${alerts(first)} } } }`;
const introspection = (count: number) =>
  `{ ${times(count, (n) => `a${n}: __schema { ...S }`)} } fragment S on __Schema { types { fields { name args { name } } } }`;
const expensive = (cost: number) =>
  `is too expensive (select fewer or shorter lists): cost ${cost}, at most 100000`;

it.each<[what: string, accepted: string, refused: string, message: string]>([
  ["levels", camera(levels(12)), camera(levels(13)), "is nested too deeply: 13, at most 12"],
  [
    "levels inside inline fragments",
    camera(levels(12, inline)),
    camera(levels(13, inline)),
    "is nested too deeply: 13, at most 12",
  ],
  [
    "levels inside named fragments",
    deepFragments("id"),
    deepFragments("facility { id }"),
    "is nested too deeply: 13, at most 12",
  ],
  [
    "skipped levels",
    camera(levels(12)),
    camera(levels(13)).replace("{ id }", "@skip(if: true) { id }"),
    "is nested too deeply: 13, at most 12",
  ],
  ["levels below an abstract type", deepNode(12), deepNode(13), "is nested too deeply: 13, at most 12"],
  ["aliases", aliases(30), aliases(31), "has too many aliases: 31, at most 30"],
  [
    "aliases in fragments, wherever they are spread,",
    aliases(10, 3),
    aliases(11, 3),
    "has too many aliases: 33, at most 30",
  ],
  [
    "aliases of introspection",
    "{ a: __schema { queryType { name } } }",
    `{ ${times(31, (n) => `a${n}: __schema { queryType { name } }`)} }`,
    "has too many aliases: 31, at most 30",
  ],
  [
    "aliases on all types",
    both((type) => times(15, (n) => `${type}${n}: name`)),
    both((type) => times(16, (n) => `${type}${n}: name`)),
    "has too many aliases: 32, at most 30",
  ],
  ["directives", directives(50), directives(51), "has too many directives: 51, at most 50"],
  [
    "directives on fragments and their spreads",
    directives(1),
    `{ workspace { ${"...A @include(if: true) ... @skip(if: false) { name } ".repeat(17)} } } fragment A on Workspace { id @include(if: true) }`,
    "has too many directives: 51, at most 50",
  ],
  [
    "directives on all types",
    both(() => "name"),
    both(() => "name @include(if: true) ".repeat(26)),
    "has too many directives: 52, at most 50",
  ],
  ["costs", view("(first: 247)"), view("(first: 248)"), expensive(100_020)],
  [
    "costs of defaults",
    view("(first: $first)", "($first: Int = 247)"),
    view("(first: $first)", "($first: Int = 248)"),
    expensive(100_020),
  ],
  ["costs of fragments, wherever they are spread,", parts(24), parts(25), expensive(100_026)],
  ["costs of objects by their ids", nodes(998), nodes(999), expensive(100_100)],
  [
    "lists of introspection",
    introspection(5),
    introspection(6),
    "introspects too many lists: 18, at most 15",
  ],
  [
    "lists of introspection below one field",
    introspection(1),
    `{ __schema { types { name ${times(30, (n) => `a${n}: fields { name }`)} } } }`,
    "introspects too many lists: 31, at most 15",
  ],
  [
    "levels of introspection",
    '{ __type(name: "Query") { ofType { name } } }',
    `{ __type(name: "Query") { ${"ofType { ".repeat(30)} name ${"}".repeat(30)} } }`,
    "introspects the schema too deeply: 31, at most 16",
  ],
])("%s are limited", (_what, accepted, refused, message) => {
  expect(issuesOf(accepted)).toEqual([]);
  expect(issuesOf(refused)).toEqual([{ path: "query", message: `${message} allowed` }]);
});

describe("the cost", () => {
  it.each(["first", "last"])("is determined by %s from a variable, each time", (name) => {
    const runs = inspect(
      view(`(${name}: $size)`, "($size: Int!)"),
      { size: 247 },
      { size: 248 },
      { size: 1 },
    );
    expect(runs.map(({ cost }) => cost)).toEqual([99_620, 100_020, 1_220]);
  });

  it.each([
    ["", "", {}],
    ["(first: $first)", "($first: Int)", {}],
    ["(first: $first)", "($first: Int)", { first: null }],
  ])("assumes 20 for the page%s of %j given %j", (argument, definitions, variables) => {
    expect(costOf(view(argument, definitions), variables)).toBe(8820);
  });

  it.each<[what: string, cost: number, query: string]>([
    [
      "lists that are part of their object",
      1220,
      "{ cameras { alertRules { areas { name points { x y } } } } }",
    ],
    ["counts", 20, `{ alertCounts(filter: { ${period} }, aggregate: DAY) { key } }`],
    ["a search", 101, "{ searchCameras(first: 100) { nodes { id } } }"],
    ["leaves and introspection", 1, "{ workspace { id name } __schema { types { fields { name } } } }"],
    [
      "the dearest type below an abstract one",
      1 + 21,
      node(
        `nodeId ... on Camera { ${alerts(10)} } ... on Facility { cameras { id } workspace { id } } ... on Alert { camera { id } }`,
      ),
    ],
    [
      "fragments on an abstract type",
      1 + 11 + 1 + 1,
      `${node("...A ... on Node { ... on Camera { facility { id } } }")} fragment A on Node { ... on Camera { ${alerts(10)} } ...B }
       fragment B on Node { ... on Node { ... on Camera { calibration { id } } } ... on Facility { ${alerts(11)} } }`,
    ],
    [
      "fragments on the types of an object",
      1 + 11,
      camera(`... on Node { ... on Camera { ${alerts(10)} } ... on Alert { camera { id } } }`),
    ],
    ["statistics by days and kinds", 100, statistics("[WEEK, TYPE, CAMERA]")],
    [
      "statistics of kinds and places",
      100,
      statistics("[DAY]", `${period}, types: ["FENCE"], facilityIds: []`),
    ],
    ["statistics by hours", 5000, statistics("[HOUR_OF_DAY]")],
    ["statistics by rules", 5000, statistics("[ALERT_RULE]")],
    ["statistics of bookmarks", 5000, statistics("[DAY]", `${period}, bookmark: true`)],
    [
      "statistics of local days",
      100,
      statistics("[DAY]", 'localDays: { from: "2026-01-01", to: "2026-12-31" }'),
    ],
    ["statistics of relative days", 100, statistics("[DAY]", "relativeDays: { from: -6, to: 0 }")],
    ["statistics of relative weeks", 100, statistics("[DAY]", "relativeWeeks: { from: -1, to: 0 }")],
    [
      "statistics of nights",
      5000,
      statistics("[DAY]", `${period}, localTimes: { from: "18:00", to: "06:00" }`),
    ],
    ["statistics of some hours", 5000, statistics("[DAY]", `${period}, hoursOfDay: []`)],
    ["statistics of Sundays", 5000, statistics("[DAY]", `${period}, daysOfWeek: [0]`)],
    ["statistics with their cameras", 120, statistics("[CAMERA]", period, "camera { name }")],
    ["kinds of alerts", 201, "{ workspace { alertTypes alertSeverities } }"],
    ["a heat map", 5001, camera(`alertHeatmap(filter: { ${period} }) { alerts }`)],
  ])("of %s is %i", (_what, cost, query) => {
    expect(costOf(query)).toBe(cost);
  });

  it.each([
    ["markAlerts(ids: $given, marks: { bookmark: true })", "UUID", id],
    [
      "recordAlerts(input: $given)",
      "RecordAlertInput",
      { id, cameraId: id, name: "A", createdAt: "2026-11-20T12:00:00Z" },
    ],
  ])("of what is selected of the alerts of %s counts once for each", (field, type, item) => {
    const query = `mutation ($given: [${type}!]!) { ${field} { alerts { camera { ${alerts(97)} } } } }`;
    const sizes = inspect(query, { given: Array(1000).fill(item) }, { given: [item, item] });
    // The payload, and per alert the alert, its camera, a connection and its alerts.
    expect(sizes.map(({ cost }) => cost)).toEqual([100_001, 201]);
  });

  it("of objects by their ids counts once for each", () => {
    const query = `query ($ids: [ID!]!) { nodes(nodeIds: $ids) { ... on Camera { ${alerts(10)} } } }`;
    const sizes = inspect(query, { ids: Array(100).fill(nodeId()) }, { ids: Array(3).fill(nodeId()) });
    expect(sizes.map(({ cost }) => cost)).toEqual([100 + 100 * 11, 3 + 3 * 11]);
  });

  it("of entities is that of objects by their ids", () => {
    const selection = `{ ... on Camera { facility { name } ${alerts(9)} } }`;
    const representations = Array(7).fill({ __typename: "Camera", id });
    const entities = `query ($given: [_Any!]!) { _entities(representations: $given) ${selection} }`;
    const byIds = `query ($given: [ID!]!) { nodes(nodeIds: $given) ${selection} }`;
    expect(costOf(entities, { given: representations })).toBe(
      costOf(byIds, { given: Array(7).fill(nodeId()) }),
    );
  });

  it.each([
    ["Workspace", "{ workspace { ...F0 } }", "... { ...F1 }", "cameras { id }"],
    ["Node", node("...F0"), "... on Node { ...F1 }", "... on Facility { cameras { id } }"],
  ])(
    "that grows exponentially through fragments on %s is computed immediately",
    (type, operation, second, last) => {
      const fragments = times(
        40,
        (n) => `fragment F${n} on ${type} { ...F${n + 1} ${second.replace("F1", `F${n + 1}`)} }`,
      );
      expect(costOf(`${operation} ${fragments} fragment F40 on ${type} { ${last} }`)).toBeGreaterThan(
        2 ** 40,
      );
    },
  );
});

function statistics(groupBy: string, filter = period, selection = "count"): string {
  return `{ alertStatistics(filter: { ${filter} }, groupBy: ${groupBy}) { ${selection} } }`;
}

it.each([
  ["statistics of alerts one by one", statistics("[HOUR_OF_DAY]"), true],
  ["statistics by days", statistics("[DAY]"), false],
  [
    "a thousand alerts with four objects each",
    "{ workspace { alerts(first: 1000) { nodes { camera { id facility { id } } facility { id } alertRule { id } } } } }",
    false,
  ],
])("a large answer or not is known before: %s", (_what, query, isLarge) => {
  const [{ objects, details }] = inspect(query);
  expect([objects >= largeAnswer, details]).toEqual([isLarge, []]);
});

it.each([
  ["first: 1001", "first"],
  ["last: 1001", "last"],
  ["first: 1, last: 1", "last"],
  [`filter: { ${period}, types: ["\\u0000"] }`, "filter.types.0"],
])("an argument is checked below an abstract type, whatever the id names: %s", (argument, path) => {
  for (const selection of [
    `... on Camera { alerts(${argument}) { nodes { id } } }`,
    `... on Node { ... on Camera { alerts(${argument}) { nodes { id } } } }`,
    `... on Alert { camera { alerts(${argument}) { nodes { id } } } }`,
  ])
    expect(issuesOf(node(selection)).map((detail) => detail.path)).toEqual([path]);
});

it("values of variables count wherever they are used", () => {
  const texts = Array(1000).fill("x");
  const ids = Array(1000).fill(id);
  const filter = {
    start: "2026-11-01T00:00:00Z",
    end: "2026-12-01T00:00:00Z",
    types: texts,
    severities: texts,
  };
  const query = (more: string) =>
    `query ($filter: AlertFilter!) ${both((type) => `${times(15, (n) => `${type}${n}: alerts(first: 1, filter: $filter) { totalCount }`)} ${more}`)}`;
  const variables = { filter: { ...filter, cameraIds: ids, facilityIds: ids, alertRuleIds: ids.slice(100) } };
  // Thirty times some 4,900 values.
  expect(issuesOf(query(""), variables)).toEqual([]);
  const more = "alerts(first: 1, filter: $filter) { totalCount }";
  expect(
    issuesOf(query(`${more} alertCounts(filter: $filter, aggregate: DAY) { key }`), variables)[0]?.message,
  ).toMatch(/^the arguments of all fields hold too many values/);
});
