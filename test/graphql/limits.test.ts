// Runs once: no database can influence what is tested here.
import { randomUUID } from "node:crypto";
import { getIntrospectionQuery, type OperationDefinitionNode, parse } from "graphql";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { inspectOperation } from "../../src/graphql/limits.js";
import { schema } from "../../src/graphql/schema.js";
import { largeAnswer } from "../../src/operation/operation-places.js";
import { encodeNodeId } from "../../src/relay/node-id.js";
import {
  createAlerts,
  createCamera,
  createFacility,
  createUser,
  createWorkspace,
} from "../support/factories.js";
import { type Gateway, type GraphQLAnswer, sharedGateway, startGateway } from "../support/harness.js";

const reader = { user: "limits|reader" };

let gateway: Gateway;
let cameraId: string;
beforeAll(async () => {
  gateway = await sharedGateway();
  cameraId = await createReader(gateway, 1);
});
beforeEach(() => gateway.clearStatements());

/** Creates the reader with a camera that has a number of alerts. */
async function createReader({ prisma }: Gateway, alerts: number): Promise<string> {
  const workspaceId = await createWorkspace(prisma, {});
  await createUser(prisma, { workspaceId, authId: reader.user, roles: ["alerts:read"] });
  const facilityId = await createFacility(prisma, { workspaceId });
  const site = { workspaceId, facilityId, cameraId: await createCamera(prisma, { workspaceId, facilityId }) };
  await createAlerts(
    prisma,
    Array.from({ length: alerts }, () => ({ ...site, name: "FENCE" })),
  );
  return site.cameraId;
}

function expectSuccess(response: GraphQLAnswer<unknown>): void {
  expect(response.errors).toBeUndefined();
  expect(response.status).toBe(200);
  gateway.clearStatements();
}

function expectRefusal(response: GraphQLAnswer<unknown>, message: RegExp, code = "BAD_REQUEST"): void {
  expect(response.errors?.map(({ extensions }) => extensions.code)).toEqual([code]);
  expect(response.errors?.[0]?.message).toMatch(message);
  expect(response.status).toBe(400);
  expect(gateway.statements).toEqual([]);
}

/** The cost of an operation, as the gateway reports it. */
const costOf = async (query: string, variables: object = {}) => {
  const headers = { "content-type": "application/json", "graphql-cost": "1" };
  const response = await gateway.fetch("/graphql", {
    method: "POST",
    as: reader,
    headers,
    body: JSON.stringify({ query, variables }),
  });
  return ((await response.json()) as { extensions: { cost: { requestedQueryCost: number } } }).extensions.cost
    .requestedQueryCost;
};

/** A query with a number of levels, each a single object. */
function nested(levels: number, spread = (selection: string) => selection): string {
  let selection = "id";
  for (let level = levels - 1; level > 1; level -= 1)
    selection =
      level % 2 === 0 ? `lastAlert(type: "FENCE") { ${spread(selection)} }` : `camera { ${selection} }`;
  return `{ camera(id: "${cameraId}") { ${selection} } }`;
}

describe("depth", () => {
  it("12 levels are accepted", async () => {
    expectSuccess(await gateway.graphql(nested(12), { as: reader }));
  });

  it("13 levels are rejected", async () => {
    expectRefusal(await gateway.graphql(nested(13), { as: reader }), /nested too deeply: 13, at most 12/);
  });

  it("levels inside inline fragments count, but not the fragments", async () => {
    const inline = (selection: string) => `... on Alert { ... { ${selection} } }`;
    expectSuccess(await gateway.graphql(nested(12, inline), { as: reader }));
    expectRefusal(await gateway.graphql(nested(13, inline), { as: reader }), /too deeply: 13/);
  });

  it("levels inside named fragments count where they are spread", async () => {
    const document = (extra: string) => `{ camera(id: "${cameraId}") { ...A } }
      fragment A on Camera { lastAlert(type: "FENCE") { camera { lastAlert(type: "FENCE") { ...B } } } }
      fragment B on Alert { camera { lastAlert(type: "FENCE") { camera { lastAlert(type: "FENCE") { camera { lastAlert(type: "FENCE") { ${extra} } } } } } } }`;
    expectSuccess(await gateway.graphql(document("camera { id }"), { as: reader }));
    expectRefusal(
      await gateway.graphql(document("camera { facility { id } }"), { as: reader }),
      /too deeply: 13/,
    );
  });

  it("skipped levels count as well", async () => {
    const query = nested(13).replace("{ id }", "@skip(if: true) { id }");
    expectRefusal(await gateway.graphql(query, { as: reader }), /too deeply: 13/);
  });

  it.each([
    ["fields", `${"{ camera ".repeat(1200)} { id } ${"}".repeat(1200)}`],
    ["inline fragments", `${"{ ... ".repeat(1200)} { workspace { name } } ${"}".repeat(1200)}`],
    ["lists", `{ camera(id: ${"[".repeat(2400)}${"]".repeat(2400)}) { id } }`],
    ["objects", `{ alerts(filter: ${"{start:".repeat(1200)}1${"}".repeat(1200)}) { nodes { id } } }`],
    ["list types", `query ($id: ${"[".repeat(2400)}Int${"]".repeat(2400)}) { workspace { name } }`],
  ])("as many levels of %s as the token limit allows cause no internal error", async (_what, query) => {
    const { status, errors } = await gateway.graphql(query, { as: reader });
    expect([200, 400]).toContain(status);
    expect(errors?.map(({ extensions }) => extensions.code) ?? []).not.toContain("INTERNAL");
    expect(JSON.stringify(errors ?? [])).not.toMatch(/call stack/);
  });
});

describe("aliases", () => {
  const aliased = (count: number, spreads = 1) => {
    const fields = Array.from({ length: count }, (_, index) => `a${index}: name`).join(" ");
    return `{ workspace { ${"...A ".repeat(spreads)} } } fragment A on Workspace { ${fields} }`;
  };

  it("30 are accepted", async () => {
    expectSuccess(await gateway.graphql(aliased(30), { as: reader }));
  });

  it("31 are rejected", async () => {
    expectRefusal(await gateway.graphql(aliased(31), { as: reader }), /too many aliases: 31, at most 30/);
  });

  it("count each time their fragment is spread", async () => {
    expectSuccess(await gateway.graphql(aliased(10, 3), { as: reader }));
    expectRefusal(await gateway.graphql(aliased(11, 3), { as: reader }), /too many aliases: 33/);
  });

  it("of introspection count as well", async () => {
    const query = `{ ${Array.from({ length: 31 }, (_, index) => `a${index}: __schema { queryType { name } }`).join(" ")} }`;
    expectRefusal(await gateway.graphql(query, { as: reader }), /too many aliases: 31/);
  });
});

describe("directives", () => {
  const directed = (count: number) => `{ workspace { ${"name @include(if: true) ".repeat(count)} } }`;

  it("50 are accepted", async () => {
    expectSuccess(await gateway.graphql(directed(50), { as: reader }));
  });

  it("51 are rejected", async () => {
    expectRefusal(await gateway.graphql(directed(51), { as: reader }), /too many directives: 51, at most 50/);
  });

  it("on fragments and their spreads count as well", async () => {
    const query = `{ workspace { ${"...A @include(if: true) ... @skip(if: false) { name } ".repeat(17)} } } fragment A on Workspace { id @include(if: true) }`;
    expectRefusal(await gateway.graphql(query, { as: reader }), /too many directives: 51/);
  });
});

describe("tokens", () => {
  // Two braces around the operation, three tokens for the workspace.
  const sized = (tokens: number) => `{ workspace { ${"id ".repeat(tokens - 5)} } }`;

  it("5000 are parsed", async () => {
    const { errors } = await gateway.graphql(sized(5000), { as: reader });
    expect(errors?.map(({ extensions }) => extensions.code) ?? []).not.toContain("GRAPHQL_PARSE_FAILED");
  });

  it("5001 are rejected", async () => {
    expectRefusal(await gateway.graphql(sized(5001), { as: reader }), /5000 tokens/, "GRAPHQL_PARSE_FAILED");
  });
});

describe("cost", () => {
  // 20 facilities, 20 × 20 cameras, 400 connections, and `first` alerts in each: 820 +
  // 400 × first.
  const view = (first: string) => `facilities { cameras { alerts${first} { nodes { id } } } }`;
  const overLimit = /is too expensive.*cost 100020, at most 100000/;

  it("of at most 100,000 is accepted, with literals", async () => {
    expectSuccess(await gateway.graphql(`{ ${view("(first: 247)")} }`, { as: reader }));
    expectRefusal(await gateway.graphql(`{ ${view("(first: 248)")} }`, { as: reader }), overLimit);
  });

  it.each(["first", "last"])("is determined by %s from a variable", async (name) => {
    const query = `query ($size: Int!) { ${view(`(${name}: $size)`)} }`;
    expectSuccess(await gateway.graphql(query, { as: reader, variables: { size: 247 } }));
    expectRefusal(await gateway.graphql(query, { as: reader, variables: { size: 248 } }), overLimit);
  });

  it("is determined by first from a variable's default", async () => {
    const query = (first: number) => `query ($first: Int = ${first}) { ${view("(first: $first)")} }`;
    expectSuccess(await gateway.graphql(query(247), { as: reader }));
    expectRefusal(await gateway.graphql(query(248), { as: reader }), overLimit);
  });

  it.each([
    ["no first", "{ ? }", {}],
    ["a variable that is not given", "query ($first: Int) { ? }", {}],
    ["null", "query ($first: Int) { ? }", { first: null }],
  ])("assumes 20 for %s", async (_what, document, variables) => {
    const argument = document.includes("$first") ? "(first: $first)" : "";
    expect(await costOf(document.replace("?", view(argument)), variables)).toBe(8820);
  });

  it("of fragments counts wherever they are spread", async () => {
    const query = (spreads: number) => {
      const parts = Array.from(
        { length: spreads },
        (_, index) => `a${index}: alerts(first: 1000) { ...A }`,
      ).join(" ");
      return `{ workspace { ${parts} } } fragment A on AlertConnection { nodes { ...B } } fragment B on Alert { camera { id } facility { id } ...C } fragment C on Alert { alertRule { id } }`;
    };
    // The workspace, and per part a connection with 1000 alerts of three objects each: 1
    // + 4001 per part.
    expectSuccess(await gateway.graphql(query(24), { as: reader }));
    expectRefusal(await gateway.graphql(query(25), { as: reader }), /cost 100026/);
  });

  it("of lists that are part of their object is that of one object", async () => {
    // 20 cameras, 20 × 20 rules, and the areas and the points of each.
    expect(await costOf("{ cameras { alertRules { areas { name points { x y } } } } }")).toBe(1220);
  });

  it("of counts is that of a list", async () => {
    const query =
      '{ alertCounts(filter: { start: "2026-11-01T00:00:00Z", end: "2026-12-01T00:00:00Z" }, aggregate: DAY) { key } }';
    expect(await costOf(query)).toBe(20);
  });

  it("of a search for cameras is multiplied by first", async () => {
    expect(await costOf("{ searchCameras(first: 100) { nodes { id } } }")).toBe(101);
  });

  it.each([
    [
      "marked",
      "mutation ($given: [UUID!]!) { markAlerts(ids: $given, marks: { bookmark: true }) { ? } }",
      (id: string) => id,
    ],
    [
      "recorded",
      "mutation ($given: [RecordAlertInput!]!) { recordAlerts(input: $given) { recorded ? } }",
      (id: string) => ({ id, cameraId, name: "FENCE", createdAt: "2026-11-20T12:00:00Z" }),
    ],
  ])("of what is selected of alerts that are %s counts once for each", async (_what, mutation, given) => {
    const query = (first: number) =>
      mutation.replace("?", `alerts { camera { alerts(first: ${first}) { nodes { id } } } }`);
    const variables = (length: number) => ({ given: Array.from({ length }, () => given(randomUUID())) });
    // The payload, and per alert the alert, its camera, a connection and `first` alerts.
    expectRefusal(
      await gateway.graphql(query(97), { as: reader, variables: variables(1000) }),
      /cost 100001, at most 100000/,
    );
    for (const [first, length] of [
      [96, 1000],
      [1000, 3],
    ] as const) {
      const { errors } = await gateway.graphql(query(first), { as: reader, variables: variables(length) });
      expect(errors?.[0]?.extensions.code).toMatch(/^(?:FORBIDDEN|NOT_FOUND)$/);
      gateway.clearStatements();
    }
  });

  it("of leaves and of introspection is zero", async () => {
    const query = "{ workspace { id name } __schema { types { fields { name } } } }";
    expect(await costOf(query)).toBe(await costOf("{ workspace { id } }"));
  });

  it("that grows exponentially through fragments is computed immediately", async () => {
    const levels = Array.from(
      { length: 40 },
      (_, index) => `fragment F${index} on Workspace { ...F${index + 1} ... { ...F${index + 1} } }`,
    );
    const query = `{ workspace { ...F0 } } ${levels.join(" ")} fragment F40 on Workspace { cameras { id } }`;
    expectRefusal(await gateway.graphql(query, { as: reader }), /cost \d+/);
  });

  it("of fragments that only multiply leaves is accepted", async () => {
    const levels = Array.from(
      { length: 40 },
      (_, index) => `fragment F${index} on Workspace { ...F${index + 1} ...F${index + 1} }`,
    );
    const query = `{ workspace { ...F0 } } ${levels.join(" ")} fragment F40 on Workspace { name }`;
    expect((await gateway.graphql(query, { as: reader })).data).toEqual({ workspace: { name: "Workspace" } });
  });
});

describe("below an abstract type", () => {
  const nodeId = (type = "Camera") => encodeNodeId({ type, workspaceId: randomUUID(), id: randomUUID() });
  const alerts = (first: number) => `alerts(first: ${first}) { nodes { id } }`;

  it("the cost is that of the dearest type, whatever the id names", async () => {
    const fragments = `... on Camera { ${alerts(10)} } ... on Facility { cameras { id } workspace { id } } ... on Alert { camera { id } }`;
    for (const type of ["Camera", "Alert"])
      expect(await costOf(`{ node(nodeId: "${nodeId(type)}") { nodeId ${fragments} } }`)).toBe(1 + 21);
  });

  it("fragments on the abstract type count for each type, and those in them for their own", async () => {
    const document = `{ node(nodeId: "${nodeId()}") { ...A ... on Node { ... on Camera { facility { id } } } } }
      fragment A on Node { ... on Camera { ${alerts(10)} } ...B } fragment B on Node { ... on Node { ... on Camera { calibration { id } } } ... on Facility { ${alerts(11)} } }`;
    expect(await costOf(document)).toBe(1 + 11 + 1 + 1);
    expect(
      await costOf(
        `{ camera(id: "${cameraId}") { ... on Node { ... on Camera { ${alerts(10)} } ... on Alert { camera { id } } } } }`,
      ),
    ).toBe(1 + 11);
  });

  it("each id costs as much", async () => {
    const query = (first: number) =>
      `query ($ids: [ID!]!) { nodes(nodeIds: $ids) { ... on Camera { ${alerts(first)} } } }`;
    const ids = Array.from({ length: 100 }, () => nodeId());
    expect(await costOf(query(10), { ids })).toBe(100 + 100 * 11);
    expect(await costOf(query(10), { ids: ids.slice(0, 3) })).toBe(3 + 3 * 11);
    expectSuccess(await gateway.graphql(query(998), { as: reader, variables: { ids } }));
    expectRefusal(
      await gateway.graphql(query(999), { as: reader, variables: { ids } }),
      /cost 100100, at most 100000/,
    );
    const literal = query(999)
      .replace("($ids: [ID!]!)", "")
      .replace("$ids", JSON.stringify(Array(100).fill(ids[0])));
    expectRefusal(await gateway.graphql(literal, { as: reader }), /cost 100100, at most 100000/);
  });

  it.each([
    ["first", "first: 1001", "first"],
    ["last", "last: 1001", "last"],
    ["first and last", "first: 1, last: 1", "last"],
    [
      "a text",
      'filter: { start: "2026-11-01T00:00:00Z", end: "2026-12-01T00:00:00Z", types: ["\\u0000"] }',
      "filter.types.0",
    ],
  ])("%s is checked, also of other types than that of the id", async (_what, argument, path) => {
    const selections = [
      `... on Camera { alerts(${argument}) { nodes { id } } }`,
      `... on Node { ... on Camera { alerts(${argument}) { nodes { id } } } }`,
      `... on Alert { camera { alerts(${argument}) { nodes { id } } } }`,
    ];
    for (const selection of selections) {
      const { errors } = await gateway.graphql(
        `{ nodes(nodeIds: ["${nodeId("Facility")}"]) { nodeId ${selection} } }`,
        { as: reader },
      );
      expect(errors?.[0]?.extensions).toMatchObject({ code: "BAD_REQUEST", details: [{ path }] });
      expect(gateway.statements).toEqual([]);
    }
  });

  it("levels count, but not the fragments", async () => {
    const deep = (levels: number) => {
      const inner = nested(levels)
        .replace(/^\{ camera\(id: "[^"]+"\) \{ /, "")
        .slice(0, -" } }".length);
      return `{ node(nodeId: "${nodeId("Facility")}") { ... on Node { ... { ... on Camera { ${inner} } } } } }`;
    };
    expectSuccess(await gateway.graphql(deep(12), { as: reader }));
    expectRefusal(await gateway.graphql(deep(13), { as: reader }), /too deeply: 13/);
  });

  it("aliases and directives of all types count together", async () => {
    const node = (selection: (type: string) => string) =>
      `{ node(nodeId: "${nodeId()}") { ${["Camera", "Facility"].map((type) => `... on ${type} { ${selection(type)} }`).join(" ")} } }`;
    const aliases = (count: number) => (type: string) =>
      Array.from({ length: count }, (_, index) => `${type}${index}: name`).join(" ");
    expectSuccess(await gateway.graphql(node(aliases(15)), { as: reader }));
    expectRefusal(await gateway.graphql(node(aliases(16)), { as: reader }), /too many aliases: 32/);
    expectRefusal(
      await gateway.graphql(
        node(() => "name @include(if: true) ".repeat(26)),
        { as: reader },
      ),
      /too many directives: 52/,
    );
  });

  it("fragments that spread each other twice are weighed immediately", async () => {
    const levels = Array.from(
      { length: 40 },
      (_, index) => `fragment F${index} on Node { ...F${index + 1} ... on Node { ...F${index + 1} } }`,
    );
    const query = `{ node(nodeId: "${nodeId()}") { ...F0 } } ${levels.join(" ")} fragment F40 on Node { ... on Facility { cameras { id } } }`;
    expectRefusal(await gateway.graphql(query, { as: reader }), /cost \d+/);
  });

  it("values of variables count wherever they are used", async () => {
    const lists = {
      types: Array(1000).fill("x"),
      severities: Array(1000).fill("x"),
      cameraIds: Array(1000).fill(cameraId),
      facilityIds: Array(1000).fill(cameraId),
      alertRuleIds: Array(900).fill(cameraId),
    };
    const filter = { start: "2026-11-01T00:00:00Z", end: "2026-12-01T00:00:00Z", ...lists };
    const aliased = (type: string) =>
      Array.from(
        { length: 15 },
        (_, index) => `${type}${index}: alerts(first: 1, filter: $filter) { totalCount }`,
      );
    const query = (more: string) => {
      const fragments = ["Camera", "Facility"].map(
        (type) => `... on ${type} { ${aliased(type).join(" ")} ${more} }`,
      );
      return `query ($filter: AlertFilter!) { node(nodeId: "${nodeId()}") { ${fragments.join(" ")} } }`;
    };
    // Thirty times some 4,900 values.
    expectSuccess(await gateway.graphql(query(""), { as: reader, variables: { filter } }));
    const more =
      "alerts(first: 1, filter: $filter) { totalCount } alertCounts(filter: $filter, aggregate: DAY) { key }";
    const { errors } = await gateway.graphql(query(more), { as: reader, variables: { filter } });
    expect(errors?.[0]?.extensions.details?.[0]?.message).toMatch(
      /^the arguments of all fields hold too many values/,
    );
  });
});

const introspectionQuery = getIntrospectionQuery({
  descriptions: true,
  specifiedByUrl: true,
  directiveIsRepeatable: true,
  schemaDescription: true,
  inputValueDeprecation: true,
  oneOf: true,
});

describe("with other settings", () => {
  let limited: Gateway;
  beforeAll(async () => {
    limited = await startGateway({
      seed: "none",
      environment: { MAX_PAGE_SIZE: "25", MAX_QUERY_COST: "1000", NODE_ENV: "production" },
    });
    await createReader(limited, 25);
  });
  afterAll(() => limited.close());

  it("MAX_PAGE_SIZE lowers the maximum of first and last on every list", async () => {
    for (const [name, query] of [
      ["last", "{ workspace { alerts(last: 26) { nodes { id } } } }"],
      ["first", "{ workspace { alerts(first: 26) { nodes { id } } } }"],
      ["first", "{ cameras { statusHistory(first: 26) { nodes { id } } } }"],
    ]) {
      const response = await limited.graphql(query as string, { as: reader });
      expect(response.errors?.[0]?.extensions).toEqual({
        code: "BAD_REQUEST",
        details: [{ path: name, message: "must be at most 25" }],
      });
    }
    const allowed = await limited.graphql<{ workspace: { alerts: { nodes: object[] } } }>(
      "{ workspace { alerts(first: 5) { nodes { id } } } }",
      {
        as: reader,
      },
    );
    expectSuccess(allowed);
    expect(allowed.data.workspace.alerts.nodes).toHaveLength(5);
  });

  it("MAX_QUERY_COST lowers the maximum of the cost", async () => {
    // 20 cameras, and a connection with `first` alerts each.
    const cost = (first: number) =>
      `{ cameras { alerts(first: ${first}) { totalCount nodes { camera { id } } } } }`;
    expectSuccess(await limited.graphql(cost(24), { as: reader }));
    expect((await limited.graphql(cost(25), { as: reader })).errors?.[0]?.message).toMatch(
      /cost 1040, at most 1000/,
    );
  });

  it("introspection in production needs credentials, and errors do not suggest names", async () => {
    const anonymous = await limited.graphql(introspectionQuery);
    expect([anonymous.status, anonymous.errors?.[0]?.extensions.code]).toEqual([401, "UNAUTHENTICATED"]);
    expectSuccess(await limited.graphql(introspectionQuery, { as: reader }));
    const misspelled = await limited.graphql("{ facilites { name } }");
    expect(misspelled.errors?.[0]?.message).not.toContain("facilities");
  });
});

describe("introspection", () => {
  it("with the full introspection query needs no credentials and runs no SQL", async () => {
    const response = await gateway.graphql<{ __schema: { queryType: object } }>(introspectionQuery);
    expect(gateway.statements).toEqual([]);
    expectSuccess(response);
    expect(response.data.__schema.queryType).toEqual({ name: "Query", kind: "OBJECT" });
  });

  it("together with data needs credentials", async () => {
    const { status, errors } = await gateway.graphql(
      "{ __schema { types { name } } ...A } fragment A on Query { workspace { name } }",
    );
    expect([status, errors?.[0]?.extensions.code]).toEqual([401, "UNAUTHENTICATED"]);
    expect(gateway.statements).toEqual([]);
  });

  it.each([
    ["fields and their types", "fields { type {", "} }"],
    ["fields and their arguments", "fields { args { type {", "} } }"],
    ["interfaces and possible types", "interfaces { possibleTypes {", "} }"],
  ])("that recurses through %s is rejected", async (_what, open, close) => {
    const query = `{ __schema { types { ${open.repeat(8)} name ${close.repeat(8)} } } }`;
    const { status, errors } = await gateway.graphql(query);
    expect(status).toBe(400);
    expect(errors?.[0]?.extensions.code).toBe("GRAPHQL_VALIDATION_FAILED");
  });

  it("shows the schema a few times, but not as often as there may be aliases", async () => {
    const lists = "types { fields { name args { name } } }";
    const aliased = (count: number) =>
      `{ ${Array.from({ length: count }, (_, index) => `a${index}: __schema { ...S }`).join(" ")} } fragment S on __Schema { ${lists} }`;
    const within = `{ __schema { types { name ${Array.from({ length: 30 }, (_, index) => `a${index}: fields { name }`).join(" ")} } } }`;
    expectSuccess(await gateway.graphql(aliased(5)));
    expectRefusal(await gateway.graphql(aliased(6)), /introspects too many lists: 18, at most 15/);
    expectRefusal(await gateway.graphql(within), /introspects too many lists: 31/);
  });

  it("of a type through many levels of ofType is rejected", async () => {
    const query = `{ __type(name: "Query") { ${"ofType { ".repeat(30)} name ${"}".repeat(30)} } }`;
    const { status, errors } = await gateway.graphql(query, { as: reader });
    expect([status, errors?.[0]?.extensions.code]).toEqual([400, "BAD_REQUEST"]);
    expect(errors?.[0]?.message).toMatch(/introspects the schema too deeply/);
  });
});

describe("an anonymous caller", () => {
  it("gets an error about missing credentials only, and no SQL is run", async () => {
    for (const query of [
      nested(13),
      `{ camera(id: "${cameraId}") { alerts(first: 0) { nodes { id } } } }`,
      "{ workspace { name } }",
    ]) {
      const { status, errors, headers } = await gateway.graphql(query);
      expect([status, errors?.[0]?.extensions]).toEqual([
        401,
        { code: "UNAUTHENTICATED", reason: "MISSING" },
      ]);
      expect(headers.get("www-authenticate")).toMatch(/^Bearer .*Basic /);
    }
    expect(gateway.statements).toEqual([]);
  });
});

describe("an operation is selected by its name:", () => {
  const document = "query One { workspace { name } } query Two { workspace { id } }";

  it.each([
    ["several without a name", undefined],
    ["an unknown name", "Three"],
    ["an empty name", ""],
    ["the name constructor", "constructor"],
  ])("%s is rejected", async (_what, operationName) => {
    expectRefusal(
      await gateway.graphql(document, { as: reader, ...(operationName !== undefined && { operationName }) }),
      /operation/i,
    );
  });

  it("only the named one of several runs", async () => {
    expect((await gateway.graphql(document, { as: reader, operationName: "One" })).data).toEqual({
      workspace: { name: "Workspace" },
    });
  });

  it("only the operation that runs is limited", async () => {
    const both = `query One { workspace { name } } ${nested(13).replace("{", "query Two {")}`;
    expectSuccess(await gateway.graphql(both, { as: reader, operationName: "One" }));
    gateway.clearStatements();
    expectRefusal(await gateway.graphql(both, { as: reader, operationName: "Two" }), /too deeply/);
  });

  it("a document with only fragments is rejected", async () => {
    const { status } = await gateway.graphql("fragment A on Workspace { name }", { as: reader });
    expect(status).toBe(400);
  });
});

describe("the cost of statistics", () => {
  const filter = (more = "") =>
    `filter: { start: "2026-01-01T00:00:00Z", end: "2027-01-01T00:00:00Z" ${more} }`;
  const cases: [what: string, query: string, cost: number][] = [
    ["by days and kinds", `{ alertStatistics(${filter()}, groupBy: [WEEK, TYPE, CAMERA]) { count } }`, 100],
    [
      "of some kinds and places",
      `{ alertStatistics(${filter('types: ["FENCE"], facilityIds: []')}, groupBy: [DAY]) { count } }`,
      100,
    ],
    ["by hours", `{ alertStatistics(${filter()}, groupBy: [HOUR_OF_DAY]) { count } }`, 5000],
    ["by rules", `{ alertStatistics(${filter()}, groupBy: [ALERT_RULE]) { count } }`, 5000],
    ["of bookmarks", `{ alertStatistics(${filter("bookmark: true")}, groupBy: [DAY]) { count } }`, 5000],
    [
      "of local days",
      '{ alertStatistics(filter: { localDays: { from: "2026-01-01", to: "2026-12-31" } }, groupBy: [DAY]) { count } }',
      100,
    ],
    [
      "of relative days",
      "{ alertStatistics(filter: { relativeDays: { from: -6, to: 0 } }, groupBy: [DAY]) { count } }",
      100,
    ],
    [
      "of relative weeks",
      "{ alertStatistics(filter: { relativeWeeks: { from: -1, to: 0 } }, groupBy: [DAY]) { count } }",
      100,
    ],
    [
      "of nights",
      `{ alertStatistics(${filter('localTimes: { from: "18:00", to: "06:00" }')}, groupBy: [DAY]) { count } }`,
      5000,
    ],
    ["of some hours", `{ alertStatistics(${filter("hoursOfDay: []")}, groupBy: [DAY]) { count } }`, 5000],
    ["of Sundays", `{ alertStatistics(${filter("daysOfWeek: [0]")}, groupBy: [DAY]) { count } }`, 5000],
    ["with their cameras", `{ alertStatistics(${filter()}, groupBy: [CAMERA]) { camera { name } } }`, 120],
    ["as their kinds", "{ workspace { alertTypes alertSeverities } }", 201],
    [
      "as a heat map",
      `{ camera(id: "00000000-0000-4000-8000-000000000000") { alertHeatmap(${filter()}) { alerts } } }`,
      5001,
    ],
  ];

  it.each(cases)("%s is known before they are read", async (_what, query, cost) => {
    // Refused fields are not read.
    const dear =
      "more: cameras { facility { cameras { facility { cameras { alerts(first: 1000) { nodes { id } } } } } } }";
    const refused = await gateway.graphql(`{ ${query.slice(1, -1)} ${dear} }`, { as: reader });
    const others = 20 + 20 + 400 + 400 + 8000 + 8000 * 1001;
    expect(refused.errors?.[0]?.message).toMatch(new RegExp(`cost ${others + cost},`));
    expect(gateway.statements).toEqual([]);
  });

  it.each([
    [
      "statistics of alerts one by one",
      `{ alertStatistics(${filter()}, groupBy: [HOUR_OF_DAY]) { count } }`,
      true,
    ],
    ["statistics by days", `{ alertStatistics(${filter()}, groupBy: [DAY]) { count } }`, false],
    [
      "a thousand alerts with four objects each",
      "{ workspace { alerts(first: 1000) { nodes { camera { id facility { id } } facility { id } alertRule { id } } } } }",
      false,
    ],
  ])("makes a large answer or not: %s", (_what, query, isLarge) => {
    const document = parse(query);
    const operation = document.definitions[0] as OperationDefinitionNode;
    const { objects, details } = inspectOperation(
      schema,
      document,
      operation,
      {},
      { cost: 100_000, pageSize: 1000 },
    );
    expect([objects >= largeAnswer, details]).toEqual([isLarge, []]);
  });

  it("counts the selection below once per row, including rows that fill gaps", async () => {
    const days = (selection: string) =>
      `alertStatistics(filter: { start: "1999-09-01T00:00:00Z", end: "2026-12-01T00:00:00Z" }, groupBy: [DAY, FACILITY], fillGaps: true) { count ${selection} }`;
    expectSuccess(await gateway.graphql(`{ ${days("facility { id }")} }`, { as: reader }));
    const facilities = await gateway.graphql(`{ ${days("facility { workspace { facilities { id } } }")} }`, {
      as: reader,
    });
    expect(facilities).toMatchObject({ data: null, errors: [{ extensions: { code: "BAD_REQUEST" } }] });
    // 9954 days with 22 objects each.
    expect(facilities.errors?.[0]?.message).toMatch(/too expensive.*: cost 218988, at most 100000/);
    const places =
      "facility { workspace { id } } one: facility { workspace { id } } two: facility { workspace { id } }";
    gateway.clearStatements();
    const together = await gateway.graphql(`{ ${days(places)} other: ${days(places)} }`, { as: reader });
    expect(together).toMatchObject({
      data: null,
      errors: [{ message: expect.stringMatching(/: cost 119448, at most 100000/) }],
    });
    // The selection of the other field is still read, after the response.
    await expect
      .poll(() => gateway.statements.filter((sql) => sql.includes('FROM "Workspace"')).length)
      .toBe(1);
  });

  it("follows the variables, however often the operation has run", async () => {
    const query =
      "query ($filter: AlertFilter!, $by: [AlertDimension!]!) { alertStatistics(filter: $filter, groupBy: $by) { count } }";
    const aliases = Array.from(
      { length: 21 },
      (_, index) => `s${index}: alertStatistics(filter: $filter, groupBy: $by) { count }`,
    ).join(" ");
    const period = { start: "2026-01-01T00:00:00Z", end: "2027-01-01T00:00:00Z" };
    const many = query.replace(/\{ alertStatistics.*/, `{ ${aliases} }`);
    for (let run = 0; run < 4; run += 1)
      expectSuccess(await gateway.graphql(many, { as: reader, variables: { filter: period, by: ["DAY"] } }));
    expectRefusal(
      await gateway.graphql(many, { as: reader, variables: { filter: period, by: ["HOUR_OF_DAY"] } }),
      /cost 105000, at most 100000/,
    );
  });
});
