// Runs once: both kinds of databases run the same statements.
// Takes long: it reads each field of each type alone.
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
import { completeDemo, completeId } from "../support/complete-demo.js";
import { authorizationOf, startGateway } from "../support/harness.js";
import { idleFeed } from "../support/idle-feed.js";

const schema = buildSchema(readFileSync(new URL("../../schema/schema.graphql", import.meta.url), "utf8"));
const queryType = schema.getQueryType() as GraphQLObjectType;

// Signed links depend on the hour: with a fixed clock, the same read always returns the
// same link.
const startTime = new Date();
const feed = await idleFeed();
/** By one token: links to live views end with the token by which they were made. */
const admin: { authorization: string } = {
  authorization: (await authorizationOf({ user: "demo|admin" })) as string,
};
const gateway = await startGateway({
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

// Equivalent selections are compared in differential.test.ts.
it.each([...pathsToTypes()].map(([type, path]) => [type.name, path.join("."), path, type] as const))(
  "each field has the same value alone as together with all others %s at %s",
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
