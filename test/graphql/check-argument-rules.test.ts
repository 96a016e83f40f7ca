import "reflect-metadata";
import { extractExtensionsFromSchema, makeExecutableSchema } from "@graphql-tools/schema";
import { buildSchema } from "graphql";
import { expect, it } from "vitest";
import { z } from "zod";
import { assertRulesMatchTypes } from "../../src/graphql/check-argument-rules.js";

const typeDefs = /* GraphQL */ `
  scalar UUID
  scalar DateTimeISO
  scalar JSONObject
  enum Color { RED GREEN }
  input Size { width: Float!, height: Float! }
  input NewThing { id: UUID!, name: String!, color: Color, sizes: [Size!], count: Int = 1, createdAt: DateTimeISO, info: JSONObject }
  type Query { things(first: Int): Int }
  type Mutation { add(thing: NewThing!): Int }
`;

const size = z.object({ width: z.number(), height: z.number() });
const thing = {
  id: z.string(),
  name: z.string().pipe(z.email()),
  color: z.enum(["RED", "GREEN"]).nullish(),
  sizes: z.array(size).max(2).optional(),
  count: z.int().nullish(),
  createdAt: z.date().nullish(),
  info: z.looseObject({}).nullish(),
};

/** Checks a schema with a mutation that has these rules. */
function check(rules: Record<string, z.ZodType> | undefined, first: z.ZodType = z.int().nullish()): () => void {
  const extensions = extractExtensionsFromSchema(buildSchema(typeDefs));
  const withRules = (argumentRules: z.ZodType) => ({
    type: "object" as const,
    extensions: {},
    fields: (name: string) => ({ [name]: { arguments: {}, extensions: { argumentRules } } }),
  });
  const query = withRules(z.object({ first }));
  const mutation = withRules(z.object(rules ? { thing: z.object(rules).refine(() => true) } : {}));
  extensions.types.Query = { ...query, fields: query.fields("things") };
  extensions.types.Mutation = { ...mutation, fields: mutation.fields("add") };
  return () => assertRulesMatchTypes(makeExecutableSchema({ typeDefs, schemaExtensions: extensions }));
}

it("rules that match their types pass", () => {
  expect(check(thing)).not.toThrow();
});

const { name: _name, ...nameless } = thing;

it.each<[what: string, rules: Record<string, z.ZodType> | undefined, problem: string]>([
  ["a field without a rule", nameless, "thing.name: has no rule"],
  ["a rule without a field", { ...thing, note: z.string() }, "thing.note: is not in the schema"],
  ["a required field whose rule is optional", { ...thing, name: z.string().nullish() }, "thing.name: is required by the schema but not by its rule"],
  [
    "an optional field whose rule requires it",
    { ...thing, createdAt: z.date().nullable() },
    "thing.createdAt: is required by its rule but not by the schema",
  ],
  [
    "a list whose rule is for a single value",
    { ...thing, sizes: size.optional() },
    "thing.sizes: is a list in the schema, but its rule is for object",
  ],
  ["items that differ", { ...thing, sizes: z.array(size.omit({ width: true })).optional() }, "thing.sizes[].width: has no rule"],
  [
    "an object whose rule is for a string",
    { ...thing, sizes: z.array(z.string()).optional() },
    "thing.sizes[]: is an object in the schema, but its rule is for string",
  ],
  ["a scalar of another type", { ...thing, createdAt: z.string().nullish() }, "thing.createdAt: is date in the schema, but its rule is for string"],
  ["an enum whose rule is for a string", { ...thing, color: z.string().nullish() }, "thing.color: is enum in the schema, but its rule is for string"],
  ["an input without rules", undefined, "thing: has no rules"],
])("%s fails at startup", (_what, rules, problem) => {
  expect(check(rules)).toThrow(new Error(`The rules for arguments do not match the schema: Mutation.add(${problem})`));
});

it("an argument whose rule requires it fails at startup", () => {
  expect(check(thing, z.int())).toThrow("Query.things(first: is required by its rule but not by the schema)");
});
