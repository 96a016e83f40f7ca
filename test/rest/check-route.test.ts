// Needs no gateway.
import { parse } from "graphql";
import { z } from "zod";
import { schema } from "../../src/api/graphql/schema.js";
import { routeGroups } from "../../src/api/rest/routes.js";
import type { Route } from "../../src/engine/route/route.js";
import { assertRouteFits } from "./check-route.js";

const renameCamera =
  "mutation ($id: UUID!, $input: UpdateCameraInput!) { updateCamera(id: $id, input: $input) { id } }";

const valid = {
  method: "patch",
  path: "/cameras/:cameraId",
  operation: parse(renameCamera),
  input: { path: z.object({ cameraId: z.string() }), body: z.object({ name: z.string() }) },
  variables: { id: "path.cameraId", input: "body" },
} as unknown as Route;

const check = (changes: Partial<Route> | { operation: object }) => () =>
  assertRouteFits(schema, { ...valid, ...changes } as Route);

it("accepts all routes", () => {
  for (const route of [valid, ...routeGroups.flatMap(({ routes }) => routes)]) assertRouteFits(schema, route);
});

const body = z.object({ name: z.string(), remark: z.string() });
const form = { file: "name", texts: [] };

it.each<[what: string, changes: Partial<Route> | { operation: object }, message: string]>([
  [
    "a body field that the input does not have",
    { input: { ...valid.input, body } },
    "no variable uses `body.remark`",
  ],
  [
    "a body field that no variable uses",
    { input: { ...valid.input, body }, variables: { id: "path.cameraId", "input.name": "body.name" } },
    "no variable uses `body.remark`",
  ],
  [
    "a query parameter that no variable uses",
    { input: { ...valid.input, query: body } },
    "no variable uses `query.name`; no variable uses `query.remark`",
  ],
  [
    "a body field that is not a part of the form",
    { form: { ...form, file: "image" } },
    "`body.name` is not a part of the form",
  ],
  [
    "an invalid operation",
    { operation: parse("{ unknown }") },
    'its operation does not fit the schema: Cannot query field "unknown" on type "Query".',
  ],
])("rejects %s at startup", (_what, changes, message) => {
  expect(check(changes)).toThrow(new Error(`PATCH ${valid.path}: ${message}`));
});
