// Runs once: both kinds of databases run the same statements.
import { encodeNodeId } from "../../src/engine/nodes/node-id.js";
import { completeDemo, completeId } from "../support/complete-demo.js";
import { createAlerts } from "../support/factories.js";
import { ownGateway } from "../support/harness.js";

const filter = { start: "2000-01-01T00:00:00Z", end: "2100-01-01T00:00:00Z" };
const admin = { user: "demo|admin" };
// Signed links depend on the hour.
const startTime = new Date();
const gateway = await ownGateway({
  seed: "demo",
  now: () => startTime,
  environment: { MAX_QUERY_COST: "100000000", KEEP_DETECTIONS: "on" },
});

await completeDemo(gateway.prisma, startTime);
// Simulates a database that has such values from before they were forbidden.
const checks = await gateway.prisma.$queryRaw<{ table: string; name: string }[]>`
    SELECT conrelid::regclass::text AS "table", conname AS "name" FROM pg_constraint WHERE conname LIKE '%_shown_values_check'`;
expect(checks.length).toBeGreaterThan(0);
for (const { table, name } of checks)
  await gateway.prisma.$executeRawUnsafe(`ALTER TABLE ${table} DROP CONSTRAINT "${name}"`);
const { id: cameraId, workspaceId } = await gateway.prisma.camera.findFirstOrThrow({
  where: { name: "A complete camera" },
});

/** The text of a response, and the statements for it. */
async function run(query: string, variables: object = {}): Promise<{ text: string; statements: string[] }> {
  gateway.clearStatements();
  const { data, errors } = await gateway.graphql(query, { as: admin, variables });
  return { text: JSON.stringify({ data, errors }), statements: [...gateway.statements] };
}

/**
 * Runs a query with graphql-js, because PostgreSQL does not write answers to documents
 * with a directive, and then so that PostgreSQL may write the answer.
 */
async function runBothWays(
  query: string,
  variables: object = {},
): Promise<{ executed: string; written: string; statements: string[] }> {
  const { text: executed, statements: ofExecutor } = await run(
    query.replace("{", "{ skipped: __typename @skip(if: true) "),
    variables,
  );
  expect(isWritten(ofExecutor)).toBe(false);
  const { text: written, statements } = await run(query, variables);
  return { executed, written, statements };
}

/**
 * Whether nothing was read but columns under the names of the response, and the number of
 * items in a list.
 */
const isWritten = (statements: string[]) =>
  statements.filter((statement) => statement.includes("level1")).length > 0 &&
  statements.every((statement) => statement.includes("level1") || statement.includes("count(")) &&
  !statements.some((statement) => /level1\$?"?\.\*/.test(statement));

// Random documents are compared in differential.test.ts, and all fields in
// written-fields.test.ts.
describe("an answer that PostgreSQL writes", () => {
  it("has the text of values that look like the marks between what PostgreSQL and the gateway write", async () => {
    const mark = '{"" : 0, "" : {"id" : 1}, "" : null}';
    const where = { workspaceId_id: { workspaceId, id: cameraId } };
    await gateway.prisma.camera.update({
      where,
      data: {
        proxyHost: mark,
        advancedSettings: { [mark]: mark, "": { "": null, a: [mark, "\u0001", "ş🎥"] } },
        groundTruthKey: ', "" : null}',
      },
    });
    const query =
      "query ($id: UUID!) { camera(id: $id) { proxyHost imageLink advancedSettings groundTruthKey url imageDimensions { width height } } }";
    const { executed, written, statements } = await runBothWays(query, { id: cameraId });
    expect(JSON.parse(written)).toEqual(JSON.parse(executed));
    expect(JSON.parse(written).data.camera.proxyHost).toBe(mark);
    expect(isWritten(statements)).toBe(true);
  });

  it.each([
    ["more members than there are fields", { width: 4, depth: { x: [1] }, height: 3 }],
    ["numbers with exponents", { width: 1e21, height: 1e-7 }],
    ["texts for numbers", { width: "4", height: "3.5" }],
    ["a missing member, which is an error of the executor", { width: 4 }],
    ["a list, which is an error of the executor", [1, 2]],
    ["a word, which is an error of the executor", { width: 1, height: "wide" }],
  ])("has the selected members of a value that has %s", async (_what, imageDimensions) => {
    await gateway.prisma.camera.update({
      where: { workspaceId_id: { workspaceId, id: cameraId } },
      data: { imageDimensions },
    });
    const query = "query ($id: UUID!) { camera(id: $id) { id imageDimensions { width height } } }";
    const { executed, written } = await runBothWays(query, { id: cameraId });
    expect(JSON.parse(written)).toEqual(JSON.parse(executed));
  });

  it("is an error like that of the executor where it would be too large", async () => {
    const [facility] = await gateway.prisma.facility.findMany({ where: { workspaceId }, take: 1 });
    const info = { text: "x".repeat(100_000) };
    await createAlerts(
      gateway.prisma,
      Array(200).fill({ workspaceId, facilityId: facility?.id as string, cameraId, info }),
      new Date("2099-01-01"),
    );
    const { executed, written } = await runBothWays(
      "query ($filter: AlertFilter!, $first: Int!) { alerts(filter: $filter, first: $first) { nodes { info } } }",
      { filter, first: 500 },
    );
    expect(JSON.parse(executed).errors[0].message).toContain("would exceed");
    expect(JSON.parse(written)).toEqual(JSON.parse(executed));
  });
});

describe("a value that only SQL can write is the same, or the same error, whoever makes the answer:", () => {
  const times = [
    "'infinity'",
    "'-infinity'",
    "'10000-01-01T00:00:00Z'",
    "'0044-03-15T00:00:00Z BC'",
    "'9999-12-31T23:59:59.999Z'",
    "'0001-01-01T00:00:00Z'",
  ];
  const numbers = ["'NaN'", "'Infinity'", "'-Infinity'", "'-0'", "1e308", "5e-324", "0.1"];
  const json = [
    "'null'",
    "'[]'",
    "'1'",
    "'\"text\"'",
    "'{\"a\": 9007199254740993}'",
    "'{\"a\": 9007199254740992}'",
    "'{\"a\": [1e400]}'",
    "'{\"a\": -1e-400}'",
  ];
  const alertList = (fields: string) =>
    `query ($id: UUID!) { camera(id: $id) { alerts(first: 2) { nodes { id ${fields} } } } }`;
  const ofCamera = (fields: string) => `query ($id: UUID!) { camera(id: $id) { id ${fields} } }`;
  const cases: { table: string; column: string; values: string[]; query: string }[] = [
    { table: "Alert", column: "createdAt", values: times, query: alertList("createdAt") },
    { table: "Alert", column: "createdAt", values: times, query: alertList("localCreatedAt") },
    { table: "Alert", column: "info", values: json, query: alertList("info") },
    {
      table: "Alert",
      column: "area",
      values: [...json, '\'[{"x": 1, "y": 1e400}]\'', "'[{\"x\": 1}, null]'"],
      query: alertList("area { x y }"),
    },
    {
      table: "Alert",
      column: "areaIds",
      values: ["ARRAY[NULL]::uuid[]", `ARRAY[ARRAY['${completeId}']]::uuid[]`, "'{}'"],
      query: alertList("areaIds"),
    },
    {
      table: "Calibration",
      column: "width",
      values: numbers,
      query: ofCamera("calibration { width height }"),
    },
    {
      table: "Calibration",
      column: "homographyMatrix",
      values: ["'{1,NaN}'", "'{-0,1e308}'", "'{NULL}'", "'{{1},{2}}'"],
      query: ofCamera("calibration { homographyMatrix }"),
    },
    {
      table: "AlertRule",
      column: "dayRange",
      values: ["'{1,NULL}'", "'{{1},{2}}'"],
      query: ofCamera("alertRules { dayRange }"),
    },
    {
      table: "Camera",
      column: "dataCollectionConfig",
      values: [...json, "'{\"interval\": 3000000000}'", "'{\"interval\": 1.5}'"],
      query: ofCamera("dataCollectionConfig { interval }"),
    },
    {
      table: "Camera",
      column: "emailAddresses",
      values: ["'{a,NULL}'", "'{{a},{b}}'"],
      query: ofCamera("emailAddresses"),
    },
  ];

  it.each(cases)("$column of $table", async ({ table, column, values, query }) => {
    const where = table === "Camera" ? `"id" = '${cameraId}'` : `"cameraId" = '${cameraId}'`;
    const keptValues = await gateway.prisma.$queryRawUnsafe<object[]>(
      `SELECT "id", "${column}"::text AS "value" FROM "${table}" WHERE ${where}`,
    );
    for (const value of values) {
      await gateway.prisma.$executeRawUnsafe(`UPDATE "${table}" SET "${column}" = ${value} WHERE ${where}`);
      const { executed, written } = await runBothWays(query, { id: cameraId });
      expect([value, JSON.parse(written)]).toEqual([value, JSON.parse(executed)]);
    }
    const type = `(SELECT format_type(atttypid, atttypmod) FROM pg_attribute WHERE attrelid = '"${table}"'::regclass AND attname = '${column}')`;
    const [{ name }] = (await gateway.prisma.$queryRawUnsafe(`SELECT ${type} AS "name"`)) as [
      { name: string },
    ];
    for (const { id, value } of keptValues as { id: string; value: string | null }[])
      await gateway.prisma.$executeRawUnsafe(
        `UPDATE "${table}" SET "${column}" = $1::text::${name} WHERE "id" = $2::uuid`,
        value,
        id,
      );
  });
});

describe("whatever its fields are called, an answer is as under plain names", () => {
  type Names = readonly [string, string, string];
  const plain: Names = ["plain1", "plain2", "plain3"];
  /**
   * Documents in which each field has one of three names. PostgreSQL writes their
   * answers.
   */
  const writtenDocuments = [
    ([a, b, c]: Names) => `query ($facilityId: UUID!, $first: Int!, $type: String!) {
      ${a}: cameras(facilityId: $facilityId) {
        ${a}: calibration { ${a}: updatedAt ${b}: cameraId ${c}: points { ${a}: y ${b}: x } }
        ${b}: alerts(first: $first) { ${a}: __typename ${b}: nodes { ${a}: area { ${c}: x } ${b}: localCreatedAt ${c}: name } }
        ${c}: lastAlert(type: $type) { ${a}: severity ${b}: __typename ${c}: createdAt }
      }
      ${b}: facilities { ${a}: cameraCount ${c}: name }
    }`,
    ([a, b, c]: Names) => `query ($id: UUID!, $filter: AlertFilter!, $first: Int!) {
      ${b}: camera(id: $id) { ${b}: url ${c}: id ${a}: imageDimensions { ${b}: width } }
      ${a}: alerts(filter: $filter, first: $first) { ${a}: totalCount ${c}: nodes { ${a}: info ${b}: id ${c}: areaIds } ${b}: __typename }
      ${c}: searchCameras(first: $first) { ${a}: nodes { ${a}: name ${c}: alertRules { ${b}: group ${c}: dayRange } } ${b}: totalCount }
    }`,
  ];
  const executedDocument = ([a, b, c]: Names) => `query ($nodeId: ID!, $filter: AlertFilter!, $first: Int!) {
    ${a}: node(nodeId: $nodeId) { ${a}: nodeId ... on Camera { ${b}: name ${c}: facility { ${b}: name } } }
    ${b}: searchCameras(first: $first) { ${a}: edges { ${b}: cursor ${c}: node { ${c}: id } } ${b}: pageInfo { ${a}: hasNextPage ${c}: endCursor } }
    ${c}: alertStatistics(filter: $filter, groupBy: [FACILITY, TYPE]) { ${a}: count ${b}: type ${c}: facility { ${a}: id ${c}: online } }
  }`;
  const mutation = ([a, b, c]: Names) => `mutation ($alertIds: [UUID!]!, $alertId: UUID!) {
    ${a}: markAlerts(ids: $alertIds, marks: { bookmark: true }) { ${b}: alerts { ${a}: id ${b}: camera { ${c}: name } ${c}: bookmark } }
    ${b}: setAlertFalsePositive(id: $alertId, falsePositive: true) { ${a}: falsePositive ${c}: facility { ${a}: name } ${b}: area { ${b}: x } }
  }`;
  let variables: object;

  beforeAll(async () => {
    const { facilityId } = await gateway.prisma.camera.findFirstOrThrow({ where: { id: cameraId } });
    const alerts = await gateway.prisma.alert.findMany({ where: { facilityId }, take: 2 });
    const [alertId, ...others] = alerts.map(({ id }) => id);
    const nodeId = encodeNodeId({ type: "Camera", workspaceId, id: cameraId });
    variables = {
      facilityId,
      id: cameraId,
      nodeId,
      alertId,
      alertIds: [alertId, ...others],
      filter,
      first: 2,
      type: "NO_HELMET",
    };
  });

  /** The names that GraphQL allows, in threes. */
  function inThrees(names: Iterable<string>): Names[] {
    const allowed = [...new Set(names)].filter(
      (name) => /^[_A-Za-z][_0-9A-Za-z]*$/.test(name) && !plain.includes(name),
    );
    return allowed
      .map((name, index) => [name, allowed.at(index - 1) as string, allowed.at(index - 2) as string] as const)
      .filter((_, index) => index % 3 === 2);
  }

  /** Runs a document under plain names, and under others. */
  async function compare(
    document: (names: Names) => string,
    names: readonly Names[],
    isExpected: (statements: string[]) => boolean,
  ): Promise<void> {
    const { text: expected } = await run(document(plain), variables);
    expect(expected).not.toContain('"errors"');
    for (const three of names) {
      const { text, statements } = await run(document(three), variables);
      const renamed = plain.reduce(
        (changed, name, index) => changed.replaceAll(`"${name}":`, `"${three[index]}":`),
        expected,
      );
      // Not by a comparison of the texts, which fills screens.
      expect([three, text === renamed, isExpected(statements)]).toEqual([three, true, true]);
    }
  }

  it("for all identifiers in the statements, and for those that SQL itself knows", async () => {
    const statements: string[] = [];
    for (const document of writtenDocuments) {
      const both = await runBothWays(document(plain), variables);
      expect(both.written).toBe(both.executed);
      statements.push(...both.statements);
    }
    // In capitals, nothing is an identifier.
    const identifiers = (statements.join(" ").match(/[_A-Za-z][_0-9A-Za-z]*/g) ?? []).filter(
      (name) => name !== name.toUpperCase(),
    );
    expect(identifiers).toEqual(
      expect.arrayContaining(["record", "level1", "parent", "item", "json", "related"]),
    );
    const systemColumns = ["ctid", "xmin", "xmax", "cmin", "cmax", "tableoid", "oid"];
    const keywords = ["user", "current_user", "select", "order", "table", "all", "null", "SELECT"];
    const longest = "n".repeat(63);
    const names = [
      ...identifiers,
      ...systemColumns,
      ...keywords,
      longest,
      `${longest.slice(1)}N`,
      "Record",
      "level9",
      "child0",
    ];
    for (const document of writtenDocuments) await compare(document, inThrees(names), isWritten);
  });

  it("for all members that objects of JavaScript inherit", async () => {
    const prototypes = [Object, Array, Function, Promise].map((each) => each.prototype);
    const names = [
      "toJSON",
      "length",
      "arguments",
      ...prototypes.flatMap((each) => Object.getOwnPropertyNames(each)),
    ];
    for (const document of [...writtenDocuments, executedDocument, mutation])
      await compare(document, inThrees(names), () => true);
  });
});
