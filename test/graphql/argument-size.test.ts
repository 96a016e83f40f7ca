// Runs once: no database can influence what is tested here.

import { createAdmin } from "../support/factories.js";
import { sharedGateway } from "../support/harness.js";
import { listOf } from "../support/list-of.js";

const id = (n: number) => `00000004-0000-4000-8000-${n.toString(16).padStart(12, "0")}`;
const period = { start: "2026-01-01T00:00:00Z", end: "2026-01-02T00:00:00Z" };
const gateway = await sharedGateway();
const admin = (await createAdmin(gateway.prisma)).as;
// The caller is loaded once, before the document is looked at.
await gateway.data("{ me { id } }", { as: admin });

/** The issues that an operation is refused for. */
async function issuesOf(
  query: string,
  variables: object,
): Promise<{ path: string; message: string }[] | undefined> {
  gateway.clearStatements();
  const { errors } = await gateway.graphql(query, { as: admin, variables });
  return errors?.flatMap(({ extensions }) => extensions.details ?? []);
}

const tooMany = "hold too many values (items of lists, fields of objects, texts): at most 150000 allowed";

describe("the values of all variables together", () => {
  it("are at most 150,000, whatever they are for", async () => {
    const list = listOf(40_000, () => [true]);
    const issues = await issuesOf("query ($id: UUID) { cameras(facilityId: $id) { id } }", {
      id: list,
      unknown: { list },
    });
    expect(issues).toEqual([{ path: "variables", message: tooMany }]);
    expect(gateway.statements).toEqual([]);
  });

  it("include the fields of JSON objects", async () => {
    const info = Object.fromEntries(listOf(80_000, (n) => [`k${n}`, [n]]));
    const input = [{ id: id(1), cameraId: id(2), name: "A", createdAt: period.start, info }];
    expect(
      await issuesOf("mutation ($input: [RecordAlertInput!]!) { recordAlerts(input: $input) { recorded } }", {
        input,
      }),
    ).toEqual([{ path: "variables", message: tooMany }]);
  });

  it("suffice for 1000 alerts with 25 points each", async () => {
    const area = listOf(25, (n) => ({ x: n, y: n }));
    const input = listOf(1000, (n) => ({
      id: id(n),
      cameraId: id(2),
      name: "A",
      createdAt: period.start,
      area,
      areaIds: [id(3)],
    }));
    Object.assign(input[999] as object, { createdAt: "2999-01-01T00:00:00Z" });
    const issues = await issuesOf(
      "mutation ($input: [RecordAlertInput!]!) { recordAlerts(input: $input) { recorded } }",
      { input },
    );
    expect(issues).toEqual([
      { path: "input.999.createdAt", message: "must be at most 24 hours in the future" },
    ]);
  });
});

it("a body may hold at most 150,000 values, commas in texts not counted", async () => {
  const errorsFor = async (variables: object) =>
    (await gateway.graphql("{ __typename }", { as: admin, variables })).errors;
  expect(await errorsFor({ other: Array(151_000).fill(1) })).toEqual([
    expect.objectContaining({
      message: "The body holds more than 150000 values",
      extensions: { code: "BAD_REQUEST" },
    }),
  ]);
  expect(await errorsFor({ other: `\\",${",".repeat(200_000)}` })).toBeUndefined();
});

describe("the values in the arguments of all fields together", () => {
  it("include variables inside literals", async () => {
    const query = `mutation ($alert: RecordAlertInput!) { recordAlerts(input: [${"$alert ".repeat(900)}]) { recorded } }`;
    const area = listOf(1000, (n) => ({ x: n, y: n }));
    const alert = { id: id(1), cameraId: id(2), name: "A", createdAt: period.start, area };
    expect(await issuesOf(query, { alert })).toEqual([
      { path: "query", message: `the arguments of all fields ${tooMany}` },
    ]);
  });

  it("count long texts more than once", async () => {
    const query = `query ($type: String!) { cameras { ${listOf(29, (n) => `a${n}: lastAlert(type: $type) { id }`).join(" ")} } }`;
    expect(await issuesOf(query, { type: "x".repeat(2_000_000) })).toContainEqual({
      path: "query",
      message: `the arguments of all fields ${tooMany}`,
    });
  });
});

it("every text has a maximum length, also where no rule says one", async () => {
  const issues = await issuesOf(
    "mutation ($input: CreateFacilityInput!) { createFacility(input: $input) { id } }",
    { input: { name: "A", timeZoneId: "x".repeat(101) } },
  );
  expect(issues?.map(({ path }) => path)).toEqual(["input.timeZoneId"]);
  expect(gateway.statements).toEqual([]);
});
