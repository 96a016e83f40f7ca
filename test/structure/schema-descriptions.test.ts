// Needs no gateway.
import {
  buildSchema,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  isSpecifiedDirective,
  isSpecifiedScalarType,
} from "graphql";
import { schema } from "../../src/api/graphql/schema.js";

interface SchemaElement {
  path: string;
  description?: string | null | undefined;
  deprecationReason?: string | null | undefined;
}

/**
 * The schema and all its elements: directives, types, fields, arguments, input fields and
 * enum values.
 */
function elementsOf(described: GraphQLSchema): SchemaElement[] {
  const directives = described.getDirectives().filter((directive) => !isSpecifiedDirective(directive));
  const types = Object.values(described.getTypeMap()).filter(
    (type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type),
  );
  const members = types.flatMap((type) => {
    const fields = isObjectType(type) || isInterfaceType(type) ? Object.values(type.getFields()) : [];
    const inputFields = isInputObjectType(type) ? Object.values(type.getFields()) : [];
    const values = isEnumType(type) ? type.getValues() : [];
    return [
      ...[...fields, ...inputFields, ...values].map((member) => ({
        ...member,
        path: `${type.name}.${member.name}`,
      })),
      ...fields.flatMap(({ name, args }) =>
        args.map((argument) => ({ ...argument, path: `${type.name}.${name}(${argument.name})` })),
      ),
    ];
  });
  return [
    { path: "schema", description: described.description },
    ...directives.flatMap(({ name, description, args }) => [
      { path: `@${name}`, description },
      ...args.map((argument) => ({ ...argument, path: `@${name}(${argument.name})` })),
    ]),
    ...types.map(({ name, description }) => ({ path: name, description })),
    ...members,
  ];
}

const withoutDescription = (described: GraphQLSchema) =>
  elementsOf(described)
    .filter(({ description }) => !description?.trim())
    .map(({ path }) => path);

/** See “How do I deprecate a field?” in docs/development.md. */
const completeReason = /^.+\. Stays until \d{4}-\d{2}-\d{2} at least\.$/s;

const badlyDeprecated = (described: GraphQLSchema) =>
  elementsOf(described)
    .filter(({ deprecationReason }) => deprecationReason != null && !completeReason.test(deprecationReason))
    .map(({ path }) => path);

it("everything in the schema has a description", () => {
  expect(withoutDescription(schema)).toEqual([]);
});

it("every deprecation names the replacement, and the end of the old way", () => {
  expect(badlyDeprecated(schema)).toEqual([]);
});

describe("the checks find", () => {
  const sample = buildSchema(`
    directive @marked(by: String) on FIELD
    scalar Color
    enum Size { SMALL LARGE @deprecated(reason: "Use SMALL instead. Stays until 2027-05-22 at least.") }
    input Wish { size: Size }
    interface Thing { id(version: Int): ID }
    union Anything = Query
    type Query { "  " thing(wish: Wish @deprecated): Thing @deprecated(reason: "Stays until 2027-05-22 at least.") anything: Anything color: Color }
  `);

  it("each kind of element without a description", () => {
    expect(withoutDescription(sample).sort()).toEqual(
      [
        [
          "schema",
          "@marked",
          "@marked(by)",
          "Color",
          "Size",
          "Size.LARGE",
          "Size.SMALL",
          "Wish",
          "Wish.size",
          "Thing",
          "Thing.id",
          "Thing.id(version)",
        ],
        ["Anything", "Query", "Query.thing", "Query.thing(wish)", "Query.anything", "Query.color"],
      ]
        .flat()
        .sort(),
    );
  });

  it("each incomplete deprecation", () => {
    expect(badlyDeprecated(sample)).toEqual(["Query.thing", "Query.thing(wish)"]);
  });
});
