// Runs once: no database can influence what is tested here.

import { getIntrospectionQuery } from "graphql";
import { createAlerts, createPlace, createUser } from "../support/factories.js";
import { type Gateway, type GraphQLAnswer, sharedGateway, startGateway } from "../support/harness.js";
import { listOf } from "../support/list-of.js";

const reader = { user: "limits|reader" };
const gateway = await sharedGateway();
const cameraId = await createReader(gateway, 1);
beforeEach(() => gateway.clearStatements());

/** Creates the reader with a camera that has a number of alerts. */
async function createReader({ prisma }: Gateway, alerts: number): Promise<string> {
  const site = await createPlace(prisma);
  const { workspaceId } = site;
  await createUser(prisma, { workspaceId, authId: reader.user, roles: ["alerts:read"] });
  await createAlerts(
    prisma,
    listOf(alerts, () => ({ ...site, name: "FENCE" })),
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

/** A query with an odd number of levels. */
function nested(levels: number): string {
  const steps = (levels - 3) / 2;
  return `{ workspace ${"{ facilities { workspace ".repeat(steps)} { facilities { id } } ${"} }".repeat(steps)} }`;
}

// The limits of each kind are tested in query-limits.test.ts.
it("an operation over a limit is refused before anything is read, whatever else would be wrong", async () => {
  expectSuccess(await gateway.graphql(nested(5), { as: reader }));
  expectRefusal(await gateway.graphql(nested(13), { as: reader }), /nested too deeply: 13, at most 12/);
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

it("fragments that spread each other twice and only multiply leaves are run immediately", async () => {
  const levels = listOf(
    40,
    (index) => `fragment F${index} on Workspace { ...F${index + 1} ...F${index + 1} }`,
  );
  const query = `{ workspace { ...F0 } } ${levels.join(" ")} fragment F40 on Workspace { name }`;
  for (const document of [query, query.replace("{ ...F0", "@include(if: true) { ...F0")])
    expect((await gateway.graphql(document, { as: reader })).data).toEqual({
      workspace: { name: "Workspace" },
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

  it("that recurses through types is rejected", async () => {
    const query = `{ __schema { types { ${"fields { type {".repeat(8)} name ${"} }".repeat(8)} } } }`;
    const { status, errors } = await gateway.graphql(query);
    expect([status, errors?.[0]?.extensions.code]).toEqual([400, "GRAPHQL_VALIDATION_FAILED"]);
  });
});

it("an anonymous caller gets an error about missing credentials only, and no SQL is run", async () => {
  for (const query of [
    nested(13),
    `{ camera(id: "${cameraId}") { alerts(first: 0) { nodes { id } } } }`,
    "{ workspace { name } }",
  ]) {
    const { status, errors, headers } = await gateway.graphql(query);
    expect([status, errors?.[0]?.extensions]).toEqual([401, { code: "UNAUTHENTICATED", reason: "MISSING" }]);
    expect(headers.get("www-authenticate")).toMatch(/^Bearer .*Basic /);
  }
  expect(gateway.statements).toEqual([]);
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

  it("a document with only fragments is rejected", async () => {
    const { status } = await gateway.graphql("fragment A on Workspace { name }", { as: reader });
    expect(status).toBe(400);
  });
});

it("the cost of statistics counts the selection below once per row, including rows that fill gaps", async () => {
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
