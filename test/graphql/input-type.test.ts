// Needs no gateway.
import "reflect-metadata";
import { type GraphQLInputObjectType, getNamedType } from "graphql";
import { Arg, buildSchemaSync, Query, Resolver } from "type-graphql";
import { z } from "zod";
import { argumentsType, CheckedArgs, graphqlField, inputType } from "../../src/platform/input/input-type.js";

it("a rule that does not say its GraphQL type is refused", () => {
  const define = () => inputType("Unclear", "An input.", z.object({ anything: z.unknown() }));
  expect(define).toThrow("A rule for unknown does not say its GraphQL type");
});

it("a rule can deprecate its field and its argument", () => {
  const reason = "Use name instead. Stays until 2027-05-22 at least.";
  const title = z.string().optional().register(graphqlField, { deprecationReason: reason });
  const RenamedInput = inputType("RenamedInput", "An input.", z.object({ title }));
  const RenamedArguments = argumentsType(z.object({ title }));
  class RenamedResolver {
    field(): string {
      return "";
    }
  }
  Arg("input", () => RenamedInput)(RenamedResolver.prototype, "field", 0);
  CheckedArgs(RenamedArguments)(RenamedResolver.prototype, "field", 1);
  Query(() => String)(RenamedResolver.prototype, "field", {});
  Resolver()(RenamedResolver);
  const field = buildSchemaSync({ resolvers: [RenamedResolver], validate: false })
    .getQueryType()
    ?.getFields().field;
  expect(field?.args.find(({ name }) => name === "title")?.deprecationReason).toBe(reason);
  const input = getNamedType(
    field?.args.find(({ name }) => name === "input")?.type,
  ) as GraphQLInputObjectType;
  expect(input.getFields().title?.deprecationReason).toBe(reason);
});
