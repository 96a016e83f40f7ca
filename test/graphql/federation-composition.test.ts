// Needs no gateway.
import { composeServices } from "@apollo/composition";
import {
  buildSchema,
  type GraphQLInterfaceType,
  isObjectType,
  Kind,
  lexicographicSortSchema,
  parse,
  print,
  printSchema,
  visit,
} from "graphql";
import { subgraphSdl } from "../../src/api/federation/subgraph-sdl.js";
import { schema } from "../../src/api/graphql/schema.js";
import { floorPlansSdl } from "./floor-plans-subgraph.js";

const sdl = subgraphSdl(schema);
const nodeTypes = schema.getPossibleTypes(schema.getType("Node") as GraphQLInterfaceType);

const compose = (...typeDefs: string[]) =>
  composeServices(
    typeDefs.map((text, index) => ({
      name: `subgraph${index}`,
      url: `http://subgraph${index}.example`,
      typeDefs: parse(text),
    })),
  );

it("is a valid subgraph of Federation 2", () => {
  const { errors, supergraphSdl } = compose(sdl);
  expect(errors).toBeUndefined();
  expect(supergraphSdl).toContain("join__Graph");
});

it("composes with a subgraph that extends its types by each of their keys", () => {
  const { errors, schema: supergraph } = compose(sdl, floorPlansSdl);
  expect(errors).toBeUndefined();
  const fieldsOf = (name: string) => {
    const type = supergraph?.toAPISchema().toGraphQLJSSchema().getType(name);
    return isObjectType(type) ? Object.keys(type.getFields()) : [];
  };
  expect(fieldsOf("Camera")).toEqual(expect.arrayContaining(["nodeId", "alerts", "place"]));
  expect(fieldsOf("Facility")).toEqual(expect.arrayContaining(["cameras", "caretaker"]));
  expect(fieldsOf("Query")).toEqual(expect.arrayContaining(["cameras", "places"]));
});

it("is the schema, with keys that identify objects in all workspaces", () => {
  const keys = new Map<string, string[]>();
  const bare = visit(parse(sdl), {
    SchemaExtension: () => null,
    ObjectTypeDefinition: ({ name, directives = [] }) => {
      const ofType = directives.filter((directive) => directive.name.value === "key");
      if (ofType.length > 0) keys.set(name.value, ofType.map(print));
    },
    Directive: ({ name }) => (["key", "shareable"].includes(name.value) ? null : undefined),
  });
  expect(bare.definitions.map(({ kind }) => kind)).not.toContain(Kind.SCHEMA_EXTENSION);
  expect(printSchema(lexicographicSortSchema(buildSchema(print(bare))))).toBe(
    printSchema(lexicographicSortSchema(schema)),
  );
  const [byNodeId, byId] = ['@key(fields: "nodeId")', '@key(fields: "id")'];
  expect(Object.fromEntries(keys)).toEqual(
    Object.fromEntries(nodeTypes.map(({ name }) => [name, name === "Alert" ? [byNodeId] : [byNodeId, byId]])),
  );
});
