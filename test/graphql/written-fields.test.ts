// Runs once: both kinds of databases run the same statements.
import {
  type FieldNode,
  type GraphQLField,
  type GraphQLObjectType,
  getNamedType,
  isObjectType,
  isRequiredArgument,
  Kind,
  parse,
} from "graphql";
import { schema } from "../../src/api/graphql/schema.js";
import {
  entityTypeOf,
  isConnection,
  isPartOfConnection,
  readAheadOf,
} from "../../src/engine/reading/annotations.js";
import { planOf } from "../../src/engine/reading/selection/plan.js";
import { completeDemo } from "../support/complete-demo.js";
import { ownGateway } from "../support/harness.js";

const startTime = new Date();
const gateway = await ownGateway({
  seed: "demo",
  now: () => startTime,
  environment: { MAX_QUERY_COST: "100000000", KEEP_DETECTIONS: "on" },
});
await completeDemo(gateway.prisma, startTime);

const types = Object.values(schema.getTypeMap()).filter(
  (type) => isObjectType(type) && entityTypeOf(type) && !isPartOfConnection(type),
) as GraphQLObjectType[];

function isWritable(type: GraphQLObjectType, selection: string): boolean {
  const [operation] = parse(`{ row { ${selection} } }`, { noLocation: true }).definitions;
  if (operation?.kind !== Kind.OPERATION_DEFINITION) throw new Error("There is no operation");
  return (
    planOf({ schema, fragments: {}, operation }, type, operation.selectionSet.selections as FieldNode[])
      ?.isWritable === true
  );
}

const nodeTypeOf = (type: GraphQLObjectType) =>
  getNamedType((type.getFields().nodes as GraphQLField<unknown, unknown>).type) as GraphQLObjectType;

/**
 * A field with everything below it that can be selected. Limits rows that are read ahead
 * to a number of levels.
 */
function selectionOf(field: GraphQLField<unknown, unknown>, depth: number): string | undefined {
  const type = getNamedType(field.type);
  if (field.args.some(isRequiredArgument)) return undefined;
  if (!isObjectType(type)) return field.name;
  if (isConnection(type)) {
    const nodes = depth > 0 && readAheadOf(field) ? writableFields(nodeTypeOf(type), depth - 1) : "";
    return nodes && `${field.name}(first: 2) { nodes { ${nodes} } }`;
  }
  if (entityTypeOf(type))
    return depth > 0 && readAheadOf(field)
      ? `${field.name} { ${writableFields(type, depth - 1)} }`
      : undefined;
  return `${field.name} { ${Object.values(type.getFields())
    .map((member) => selectionOf(member, depth))
    .join(" ")} }`;
}

function writableFields(type: GraphQLObjectType, depth: number): string {
  const selections = Object.values(type.getFields()).map((field) => selectionOf(field, depth));
  return selections.filter((selection) => selection && isWritable(type, selection)).join(" ");
}

/** A field alone. For rows, selects only their type. */
function selectionOfAlone(field: GraphQLField<unknown, unknown>): string {
  const type = getNamedType(field.type);
  const required = field.args.filter(isRequiredArgument).map(({ name }) => `${name}: $${name}`);
  const called = required.length > 0 ? `${field.name}(${required.join(", ")})` : field.name;
  if (!isObjectType(type)) return called;
  if (isConnection(type)) return `${called} { nodes { __typename } }`;
  if (entityTypeOf(type)) return `${called} { __typename }`;
  return `${called} { ${Object.values(type.getFields()).map(selectionOfAlone).join(" ")} }`;
}

/**
 * The fields that PostgreSQL cannot write, so that graphql-js makes the answer, by the
 * reason.
 */
const leftToGraphqlJs = {
  "only some queries give it to the row": ["User.supportHash"],
};

it("PostgreSQL writes each field of a row, except those known to be left to graphql-js", () => {
  expect(types.length).toBeGreaterThan(10);
  const found = types.flatMap((type) => {
    const fields = Object.values(type.getFields());
    return fields
      .filter((field) => !isWritable(type, selectionOfAlone(field)))
      .map(({ name }) => `${type.name}.${name}`);
  });
  expect(found.sort()).toEqual(Object.values(leftToGraphqlJs).flat().sort());
});

it.each(["facilities", "cameras", "alerts(first: 3, filter: $filter)", "searchCameras(first: 3)"])(
  "every possible value of such an answer is written, as graphql-js has it: %s",
  async (field) => {
    const root = schema.getQueryType()?.getFields()[field.replace(/\(.*/, "")] as GraphQLField<
      unknown,
      unknown
    >;
    const named = getNamedType(root.type) as GraphQLObjectType;
    const isPage = isConnection(named);
    const type = isPage ? nodeTypeOf(named) : named;
    const rows = writableFields(type, 2);
    const selection = isPage ? `nodes { ${rows} }` : rows;
    const query = `${field.includes("$") ? "query ($filter: AlertFilter!) " : ""}{ ${field} { ${selection} } }`;
    const options = {
      as: { user: "demo|admin" },
      variables: field.includes("$")
        ? { filter: { start: "2000-01-01T00:00:00Z", end: "2100-01-01T00:00:00Z" } }
        : {},
    };
    gateway.clearStatements();
    const { data, errors } = await gateway.graphql<object>(query, options);
    expect(errors).toBeUndefined();
    expect(gateway.statements.filter((statement) => statement.includes("level1"))).toHaveLength(1);
    // PostgreSQL does not write answers to documents with a directive.
    const executed = await gateway.graphql(
      query.replace("{", "{ skipped: __typename @skip(if: true) "),
      options,
    );
    // Not by a comparison of the texts, which fills screens.
    expect(JSON.stringify(executed.data) === JSON.stringify(data)).toBe(true);
  },
);
