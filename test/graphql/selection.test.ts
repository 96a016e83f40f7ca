// Runs once: both kinds of databases run the same statements.
import { readFileSync } from "node:fs";
import {
  buildSchema,
  type GraphQLField,
  type GraphQLObjectType,
  getNamedType,
  isLeafType,
  isObjectType,
  isRequiredArgument,
} from "graphql";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { completeDemo, completeId } from "../support/complete-demo.js";
import { authorizationOf, type Gateway, startGateway } from "../support/harness.js";
import { type IdleFeed, idleFeed } from "../support/idle-feed.js";

/** By one token: links to live views end with the token by which they were made. */
let admin: { authorization: string };
const schema = buildSchema(readFileSync(new URL("../../schema/schema.graphql", import.meta.url), "utf8"));
const queryType = schema.getQueryType() as GraphQLObjectType;

let gateway: Gateway;
let feed: IdleFeed;
beforeAll(async () => {
  // Signed links depend on the hour: with a fixed clock, the same read always returns the
  // same link.
  const startTime = new Date();
  feed = await idleFeed();
  admin = { authorization: (await authorizationOf({ user: "demo|admin" })) as string };
  gateway = await startGateway({
    seed: "demo",
    now: () => startTime,
    environment: {
      MAX_QUERY_COST: "1000000",
      PICTURE_PROXY_NETWORKS: "public",
      KEEP_DETECTIONS: "on",
      ...feed.environment,
    },
  });
  await completeDemo(gateway.prisma, startTime);
});
afterAll(async () => {
  await gateway.close();
  await feed.remove();
});

const values: Record<string, string> = {
  filter: '{ start: "2000-01-01T00:00:00Z", end: "2100-01-01T00:00:00Z" }',
  aggregate: "WEEK",
  groupBy: "[FACILITY, CAMERA, ALERT_RULE]",
  type: '"STATIC_DELIMITATION_AREA"',
  id: `"${completeId}"`,
  first: "2",
};

/** Fields of statistics for dimensions that were not requested. */
const otherDimensions = ["period", "hourOfDay", "dayOfWeek", "type", "severity"];

/** A field with its required arguments, and `first` if it has one. */
function call(field: GraphQLField<unknown, unknown>): string {
  const used = field.args.filter((argument) => isRequiredArgument(argument) || argument.name === "first");
  for (const argument of used)
    if (!values[argument.name])
      throw new Error(`No value for the argument ${argument.name} of ${field.name}`);
  return used.length > 0
    ? `${field.name}(${used.map(({ name }) => `${name}: ${values[name]}`).join(", ")})`
    : field.name;
}

const isPartOfConnection = (type: GraphQLObjectType) => /(Connection|Edge)$/.test(type.name);

/** A field with all leaf fields of its type or, for a connection, of its nodes. */
function selectionOf(field: GraphQLField<unknown, unknown>): string {
  const type = getNamedType(field.type);
  if (!isObjectType(type)) return call(field);
  const below = Object.values(type.getFields()).filter(
    (child) => isLeafType(getNamedType(child.type)) || isPartOfConnection(type),
  );
  return `${call(field)} { ${below.map(selectionOf).join(" ")} }`;
}

/**
 * The shortest path of fields from Query to every object type, without lookups by id, so
 * that most paths go through lists.
 */
function pathsToTypes(): Map<GraphQLObjectType, string[]> {
  const paths = new Map<GraphQLObjectType, string[]>([[queryType, []]]);
  for (const [type, path] of paths) {
    for (const field of Object.values(type.getFields())) {
      const target = getNamedType(field.type);
      const byId = field.args.some((argument) => argument.name === "id");
      if (isObjectType(target) && !byId && !paths.has(target)) paths.set(target, [...path, call(field)]);
    }
  }
  paths.delete(queryType);
  return paths;
}

/** The objects at a path of a result. */
function objectsAt(data: unknown, path: string[]): Record<string, unknown>[] {
  let objects = [data];
  for (const step of path) {
    const name = step.replace(/\(.*/, "");
    objects = objects
      .flatMap((value) => (value as Record<string, unknown>)[name])
      .filter((value) => value != null);
  }
  return objects as Record<string, unknown>[];
}

describe("each field has the same value alone as together with all others", () => {
  it.each([...pathsToTypes()].map(([type, path]) => [type.name, path.join("."), path, type] as const))(
    "%s at %s",
    async (_name, _title, path, type) => {
      const at = (selection: string) => `{ ${path.join(" { ")} { ${selection} } ${"}".repeat(path.length)}`;
      const read = async (selection: string) =>
        objectsAt(await gateway.data(at(selection), { as: admin }), path);
      const fields = Object.values(type.getFields());
      const together = await read(fields.map(selectionOf).join(" "));
      expect(together.length).toBeGreaterThan(0);
      for (const field of fields) {
        const name = field.name;
        expect(await read(selectionOf(field)), name).toEqual(
          together.map((object) => ({ [name]: object[name] })),
        );
      }
      // The comparison shows nothing for a field that is always null.
      const shown = fields.filter(
        ({ name }) => type.name !== "AlertStatistic" || !otherDimensions.includes(name),
      );
      const empty = shown
        .filter(({ name }) => together.every((object) => object[name] == null))
        .map(({ name }) => name);
      expect(empty, "null everywhere: give them a value in test/support/complete-demo.ts").toEqual([]);
    },
  );
});

describe("equivalent selections return the same", () => {
  const expected =
    "{ cameras { id name facility { id name } alerts(first: 2) { nodes { id localCreatedAt name } } } }";
  const variants: [string, string, object?][] = [
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
      "with @include and @skip that exclude other fields, by variables",
      `query ($yes: Boolean!, $no: Boolean!) { cameras { id name url @skip(if: $yes) facility { id name cameraCount @include(if: $no) }
         ... @include(if: $no) { status calibration { id } } alerts(first: 2) { nodes { id localCreatedAt name severity @include(if: $no) } } } }`,
      { yes: true, no: false },
    ],
  ];

  it.each(variants)("%s", async (_title, query, variables) => {
    const plain = await gateway.data(expected, { as: admin });
    expect(await gateway.data(query, { as: admin, variables })).toEqual(plain);
  });

  it("under aliases, two of one field with different selections and arguments", async () => {
    type Page = { nodes: object[] };
    const plain = await gateway.data<{ cameras: { id: string; two: Page; three: Page }[] }>(
      `{ cameras { id two: alerts(first: 2) { nodes { id name } } three: alerts(first: 3) { nodes { id createdAt info } } } }`,
      { as: admin },
    );
    const two = await gateway.data<{ cameras: { alerts: Page }[] }>(
      "{ cameras { alerts(first: 2) { nodes { id name } } } }",
      { as: admin },
    );
    const three = await gateway.data<{ cameras: { alerts: Page }[] }>(
      "{ cameras { alerts(first: 3) { nodes { id createdAt info } } } }",
      {
        as: admin,
      },
    );
    expect(plain.cameras.map((camera) => camera.two)).toEqual(two.cameras.map((camera) => camera.alerts));
    expect(plain.cameras.map((camera) => camera.three)).toEqual(three.cameras.map((camera) => camera.alerts));
  });

  it("with a field's name as the alias of another field", async () => {
    const { cameras } = await gateway.data<{ cameras: object[] }>(
      "{ cameras { id: name name: id status: statusDetail } }",
      { as: admin },
    );
    const plain = await gateway.data<{ cameras: { id: string; name: string; statusDetail: string }[] }>(
      "{ cameras { id name statusDetail } }",
      {
        as: admin,
      },
    );
    expect(cameras).toEqual(
      plain.cameras.map(({ id, name, statusDetail }) => ({ id: name, name: id, status: statusDetail })),
    );
  });

  it("on one object at two paths, each with its own fields", async () => {
    const { camera } = await gateway.data<{
      camera: {
        name: string;
        alertRules: { camera: object }[];
        facility: { cameras: { id: string; url: string }[] };
      };
    }>(
      "query ($id: UUID!) { camera(id: $id) { name alertRules { camera { url } } facility { cameras { id url } } } }",
      {
        as: admin,
        variables: {
          id: (await gateway.prisma.camera.findFirstOrThrow({ where: { name: "A complete camera" } })).id,
        },
      },
    );
    expect(camera).toMatchObject({
      name: "A complete camera",
      alertRules: [{ camera: { url: "rtsp://user:word@camera.example/1" } }],
    });
    expect(camera.facility.cameras.map(({ url }) => url)).toContain("rtsp://user:word@camera.example/1");
  });

  it("with only __typename", async () => {
    const { alerts } = await gateway.data<{ alerts: object }>(
      `{ alerts(filter: ${values.filter}, first: 1) { __typename nodes { __typename camera { __typename } } } }`,
      {
        as: admin,
      },
    );
    expect(alerts).toEqual({
      __typename: "AlertConnection",
      nodes: [{ __typename: "Alert", camera: { __typename: "Camera" } }],
    });
  });
});
