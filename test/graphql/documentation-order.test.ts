// Needs no gateway.
import { type IntrospectionObjectType, introspectionFromSchema } from "graphql";
import { inDocumentationOrder } from "../../src/api/graphql/playground/documentation-order.js";
import { schema } from "../../src/api/graphql/schema.js";

const { types } = inDocumentationOrder(introspectionFromSchema(schema)).__schema;
const typeNames = types.map(({ name }) => name);
const fieldsOf = (name: string) =>
  (types.find((type) => type.name === name) as IntrospectionObjectType).fields.map((field) => field.name);

it("the documentation has the types in the order of the subjects", () => {
  const entities = ["Workspace", "Facility", "Camera", "AlertRule", "Alert", "Delivery", "User", "ApiKey"];
  expect(typeNames.filter((name) => entities.includes(name))).toEqual(entities);
  expect(typeNames.indexOf("CreateCameraInput")).toBeGreaterThan(typeNames.indexOf("Facility"));
  expect(typeNames.indexOf("CreateCameraInput")).toBeLessThan(typeNames.indexOf("AlertRule"));
});

it("the documentation has operations by subject and name, and other fields by name", () => {
  const mutations = fieldsOf("Mutation");
  expect(
    mutations.filter((name) => /^(?:create|update|delete)(?:Facility|Camera|AlertRule)$/.test(name)),
  ).toEqual([
    "createFacility",
    "deleteFacility",
    "updateFacility",
    "createCamera",
    "deleteCamera",
    "updateCamera",
    "createAlertRule",
    "deleteAlertRule",
    "updateAlertRule",
  ]);
  expect(mutations.indexOf("signIn")).toBeGreaterThan(mutations.indexOf("redeliver"));
  expect(fieldsOf("Camera")).toEqual(fieldsOf("Camera").toSorted());
});
