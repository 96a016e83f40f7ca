// Needs no gateway.
import { GraphQLInterfaceType, GraphQLObjectType, GraphQLSchema, GraphQLString } from "graphql";
import { schema as gatewaySchema } from "../../src/api/graphql/schema.js";
import { completeNodes } from "../../src/engine/nodes/node.resolver.js";
import type { EntityType } from "../../src/engine/reading/entity-type.js";
import { assertReadable } from "../../src/engine/reading/selection/schema-check.js";
import { apiKeys } from "../../src/features/api-key/api-key.loader.js";
import { cameras, camerasByFacility } from "../../src/features/camera/camera.loader.js";
import { cameraSearch } from "../../src/features/camera/camera-search.loader.js";
import { facilityAccesses } from "../../src/features/user/user.loader.js";

/** A schema with one field on a type of API keys. */
function schemaWith(
  field: string,
  declared: { extensions?: Record<string, unknown>; resolve?: () => unknown; type?: GraphQLObjectType } = {},
  entityType: EntityType = apiKeys,
): GraphQLSchema {
  const key = new GraphQLObjectType({
    name: "Key",
    extensions: { entityType: () => entityType },
    fields: { [field]: { type: GraphQLString, ...declared } },
  });
  return new GraphQLSchema({
    query: new GraphQLObjectType({ name: "Query", fields: { key: { type: key } } }),
  });
}

const resolve = () => null;
const CameraConnection = gatewaySchema.getType("CameraConnection") as GraphQLObjectType;

it("refuses a field that reads ahead for parents without an id", () => {
  const schema = schemaWith(
    "facilityId",
    { extensions: { readAhead: camerasByFacility, requiredColumns: [] } },
    facilityAccesses,
  );
  expect(() => assertReadable(schema)).toThrow(
    "Key.facilityId reads ahead, but the rows of its parent have no id",
  );
});

it("refuses a field that returns a page as it was written, but does not name its list", () => {
  const page = (extensions: object) =>
    schemaWith("cameras", {
      resolve,
      type: CameraConnection,
      extensions: { requiredColumns: ["id"], returnsLoaded: true, ...extensions },
    });
  const message = "Key.cameras returns a page and must name its list with @ReturnsLoaded";
  expect(() => assertReadable(page({}))).toThrow(message);
  expect(() => assertReadable(page({ loads: camerasByFacility }))).toThrow(message);
  expect(() => assertReadable(page({ loads: cameraSearch.pages }))).not.toThrow();
});

it("accepts fields of columns that JSON carries", () => {
  expect(() => assertReadable(schemaWith("lastUsedAt"))).not.toThrow();
  expect(() =>
    assertReadable(schemaWith("label", { resolve, extensions: { requiredColumns: ["name", "id"] } })),
  ).not.toThrow();
});

it("refuses a field of a column that JSON cannot carry, by its own name and by @RequiresColumns", () => {
  const message = /^Key\.\w+ requires the column secretHash, which JSON cannot carry/;
  expect(() => assertReadable(schemaWith("secretHash"))).toThrow(message);
  expect(() =>
    assertReadable(schemaWith("hash", { resolve, extensions: { requiredColumns: ["secretHash"] } })),
  ).toThrow(message);
});

it("refuses a field of a column that does not exist", () => {
  expect(() => assertReadable(schemaWith("nmae"))).toThrow(
    "Key.nmae requires the column nmae, which does not exist",
  );
});

it("refuses a field with a resolver that does not declare its columns", () => {
  expect(() => assertReadable(schemaWith("name", { resolve }))).toThrow(
    "Key.name has a resolver and must declare with @RequiresColumns",
  );
});

it("refuses a field that reads ahead rows of another entity type than that of its type", () => {
  const extensions = { requiredColumns: [], readAhead: camerasByFacility };
  const typeOf = (entityType: EntityType) =>
    new GraphQLObjectType({
      name: "Item",
      extensions: { entityType: () => entityType },
      fields: { name: { type: GraphQLString } },
    });
  expect(() => assertReadable(schemaWith("items", { extensions, type: typeOf(cameras) }))).not.toThrow();
  expect(() => assertReadable(schemaWith("items", { extensions, type: typeOf(apiKeys) }))).toThrow(
    "reads ahead rows that its type is not backed by",
  );
});

it("refuses a node type whose objects cannot be found, and a findable type that is no node type", () => {
  const fields = { name: { type: GraphQLString } };
  const node = new GraphQLInterfaceType({ name: "Node", fields });
  const typeWith = (interfaces: GraphQLInterfaceType[], extensions: Record<string, unknown>) =>
    new GraphQLObjectType({ name: "Item", fields, interfaces, extensions });
  const complete = (type: GraphQLObjectType) => {
    const query = new GraphQLObjectType({ name: "Query", fields: { node: { type: node }, item: { type } } });
    completeNodes(new GraphQLSchema({ query }));
  };
  const message = "Item must implement Node and say with @FoundBy how it is found, or neither";
  expect(() => complete(typeWith([node], {}))).toThrow(message);
  expect(() => complete(typeWith([], { findNode: resolve }))).toThrow(message);
  expect(() => complete(typeWith([node], { findNode: resolve }))).not.toThrow();
  expect(() => complete(typeWith([], {}))).not.toThrow();
});
