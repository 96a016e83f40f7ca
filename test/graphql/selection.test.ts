import { readFileSync } from "node:fs";
import { buildSchema, type GraphQLField, type GraphQLObjectType, getNamedType, isLeafType, isObjectType, isRequiredArgument } from "graphql";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Gateway, startGateway } from "../support/harness.js";
import { completeId, completeTheFleet } from "./complete-fleet.js";

const admin = { user: "demo|admin" };
const schema = buildSchema(readFileSync(new URL("../../schema/schema.graphql", import.meta.url), "utf8"));
const queryType = schema.getQueryType() as GraphQLObjectType;

let gateway: Gateway;
beforeAll(async () => {
  // Links carry their hour: with a clock that stands still, two answers of one thing are equal.
  const moment = new Date();
  gateway = await startGateway({ seed: "demo", now: () => moment, environment: { MAX_QUERY_COST: "1000000" } });
  await completeTheFleet(gateway.prisma, moment);
});
afterAll(() => gateway.close());

const values: Record<string, string> = {
  filter: '{ start: "2000-01-01T00:00:00Z", end: "2100-01-01T00:00:00Z" }',
  aggregate: "WEEK",
  type: '"STATIC_DELIMITATION_AREA"',
  id: `"${completeId}"`,
  first: "2",
};

/** A field with the arguments that it needs, and `first` where there is one. */
function call(field: GraphQLField<unknown, unknown>): string {
  const wanted = field.args.filter((argument) => isRequiredArgument(argument) || argument.name === "first");
  for (const argument of wanted) if (!values[argument.name]) throw new Error(`No value for the argument ${argument.name} of ${field.name}`);
  return wanted.length > 0 ? `${field.name}(${wanted.map(({ name }) => `${name}: ${values[name]}`).join(", ")})` : field.name;
}

const isWrapper = (type: GraphQLObjectType) => /(Connection|Edge)$/.test(type.name);

/** A field alone: with all the leaves of what it leads to, and through the pages of connections. */
function selectionOf(field: GraphQLField<unknown, unknown>): string {
  const type = getNamedType(field.type);
  if (!isObjectType(type)) return call(field);
  const below = Object.values(type.getFields()).filter((child) => isLeafType(getNamedType(child.type)) || isWrapper(type));
  return `${call(field)} { ${below.map(selectionOf).join(" ")} }`;
}

/** The shortest way from Query to every object type that does not look up an id, so that it mostly leads through lists. */
function waysToTypes(): Map<GraphQLObjectType, string[]> {
  const ways = new Map<GraphQLObjectType, string[]>([[queryType, []]]);
  for (const [type, way] of ways) {
    for (const field of Object.values(type.getFields())) {
      const target = getNamedType(field.type);
      const byId = field.args.some((argument) => argument.name === "id");
      if (isObjectType(target) && !byId && !ways.has(target)) ways.set(target, [...way, call(field)]);
    }
  }
  ways.delete(queryType);
  return ways;
}

/** The objects at the end of a way through an answer. */
function objectsAt(data: unknown, way: string[]): Record<string, unknown>[] {
  let found = [data];
  for (const step of way) {
    const name = step.replace(/\(.*/, "");
    found = found.flatMap((value) => (value as Record<string, unknown>)[name]).filter((value) => value != null);
  }
  return found as Record<string, unknown>[];
}

describe("each field has the same value alone as among all the others", () => {
  it.each([...waysToTypes()].map(([type, way]) => [type.name, way.join("."), way, type] as const))(
    "%s, reached by %s",
    async (_name, _by, way, type) => {
      const at = (selection: string) => `{ ${way.join(" { ")} { ${selection} } ${"}".repeat(way.length)}`;
      const read = async (selection: string) => objectsAt(await gateway.data(at(selection), { as: admin }), way);
      const fields = Object.values(type.getFields());
      const together = await read(fields.map(selectionOf).join(" "));
      expect(together.length).toBeGreaterThan(0);
      for (const field of fields) {
        const name = field.name;
        expect(await read(selectionOf(field)), name).toEqual(together.map((object) => ({ [name]: object[name] })));
      }
      // A field that is null everywhere would prove nothing.
      const empty = fields.filter(({ name }) => together.every((object) => object[name] == null)).map(({ name }) => name);
      expect(empty).toEqual([]);
    },
  );
});

describe("a selection may be written in many ways", () => {
  const expected = "{ cameras { id name facility { id name } alerts(first: 2) { nodes { id localCreatedAt name } } } }";
  const ways: [string, string, object?][] = [
    [
      "through named fragments, fragments of fragments and the same fragment twice",
      `query { cameras { ...Whole id } }
       fragment Whole on Camera { id name facility { ...Named } ...Newest }
       fragment Newest on Camera { alerts(first: 2) { nodes { id ...Alert name ...Alert } } }
       fragment Alert on Alert { localCreatedAt }
       fragment Named on Facility { id name }`,
    ],
    [
      "through inline fragments with and without a type",
      `{ ... on Query { cameras { id ... { name } ... on Camera { facility { id ... on Facility { name } }
         alerts(first: 2) { ... { nodes { id ... on Alert { localCreatedAt } name } } } } } } }`,
    ],
    [
      "in several parts that are merged",
      `{ cameras { id } cameras { name facility { id } facility { name } }
         cameras { alerts(first: 2) { nodes { id } } alerts(first: 2) { nodes { localCreatedAt } nodes { name } } } }`,
    ],
    [
      "with @include and @skip that keep it, by variables",
      `query ($yes: Boolean!, $no: Boolean! = false) { cameras { id name @include(if: $yes) facility @skip(if: $no) { id name }
         ... @include(if: $yes) { alerts(first: 2) { nodes { id localCreatedAt @skip(if: $no) ...Name @include(if: $yes) } } } } }
       fragment Name on Alert { name }`,
      { yes: true },
    ],
    [
      "with @include and @skip that take other fields away, by variables",
      `query ($yes: Boolean!, $no: Boolean!) { cameras { id name url @skip(if: $yes) facility { id name cameraCount @include(if: $no) }
         ... @include(if: $no) { status calibration { id } } alerts(first: 2) { nodes { id localCreatedAt name severity @include(if: $no) } } } }`,
      { yes: true, no: false },
    ],
  ];

  it.each(ways)("%s", async (_way, query, variables) => {
    const plain = await gateway.data(expected, { as: admin });
    expect(await gateway.data(query, { as: admin, variables })).toEqual(plain);
  });

  it("under aliases, two of one field with different selections and arguments", async () => {
    type Page = { nodes: object[] };
    const plain = await gateway.data<{ cameras: { id: string; two: Page; three: Page }[] }>(
      `{ cameras { id two: alerts(first: 2) { nodes { id name } } three: alerts(first: 3) { nodes { id createdAt info } } } }`,
      { as: admin },
    );
    const two = await gateway.data<{ cameras: { alerts: Page }[] }>("{ cameras { alerts(first: 2) { nodes { id name } } } }", { as: admin });
    const three = await gateway.data<{ cameras: { alerts: Page }[] }>("{ cameras { alerts(first: 3) { nodes { id createdAt info } } } }", {
      as: admin,
    });
    expect(plain.cameras.map((camera) => camera.two)).toEqual(two.cameras.map((camera) => camera.alerts));
    expect(plain.cameras.map((camera) => camera.three)).toEqual(three.cameras.map((camera) => camera.alerts));
  });

  it("with a field's name as the alias of another field", async () => {
    const { cameras } = await gateway.data<{ cameras: object[] }>("{ cameras { id: name name: id status: statusDetail } }", { as: admin });
    const plain = await gateway.data<{ cameras: { id: string; name: string; statusDetail: string }[] }>("{ cameras { id name statusDetail } }", {
      as: admin,
    });
    expect(cameras).toEqual(plain.cameras.map(({ id, name, statusDetail }) => ({ id: name, name: id, status: statusDetail })));
  });

  it("on one thing reached in two ways, each with its own fields", async () => {
    const { camera } = await gateway.data<{
      camera: { name: string; alertRules: { camera: object }[]; facility: { cameras: { id: string; url: string }[] } };
    }>("query ($id: UUID!) { camera(id: $id) { name alertRules { camera { url } } facility { cameras { id url } } } }", {
      as: admin,
      variables: { id: (await gateway.prisma.camera.findFirstOrThrow({ where: { name: "A complete camera" } })).id },
    });
    expect(camera).toMatchObject({ name: "A complete camera", alertRules: [{ camera: { url: "rtsp://user:word@camera.example/1" } }] });
    expect(camera.facility.cameras.map(({ url }) => url)).toContain("rtsp://user:word@camera.example/1");
  });

  it("with nothing but __typename", async () => {
    const { alerts } = await gateway.data<{ alerts: object }>(
      `{ alerts(filter: ${values.filter}, first: 1) { __typename nodes { __typename camera { __typename } } } }`,
      {
        as: admin,
      },
    );
    expect(alerts).toEqual({ __typename: "AlertConnection", nodes: [{ __typename: "Alert", camera: { __typename: "Camera" } }] });
  });
});
