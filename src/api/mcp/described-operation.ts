import {
  type DocumentNode,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isScalarType,
  isSpecifiedScalarType,
  Kind,
  type OperationDefinitionNode,
  print,
  TypeInfo,
  typeFromAST,
  visit,
  visitWithTypeInfo,
} from "graphql";
import { memberIn } from "../../platform/record.js";
import type { Operation } from "../graphql/operation-document.js";

/** In characters. Descriptions of the schema say what matters first. */
const maxMeaning = 300;
/** In bytes of JSON: two fit into an answer. */
const maxDescription = 7_000;

/**
 * What models must know of an operation: what it answers with, and which variables it takes. All texts are those of the
 * schema, which the gateway wrote.
 */
export function describedOperation({ document: { schema, ast }, definition }: Operation): object {
  const { fields, variables } = meaningsIn(schema, ast, definition);
  const definitions = definition.variableDefinitions ?? [];
  const description = {
    fields: Object.fromEntries(fields),
    variables: definitions.map(({ variable: { name }, type, defaultValue }) => ({
      name: name.value,
      type: print(type),
      ...(defaultValue && { default: print(defaultValue) }),
      meaning: variables.get(name.value),
    })),
    types: typesOf(definitions.map(({ type }) => typeFromAST(schema, type as never) as GraphQLInputType)),
  };
  return Buffer.byteLength(JSON.stringify(description)) <= maxDescription
    ? description
    : { hint: "Too long to describe: ask the user which variables it takes" };
}

/** The descriptions of what an operation selects, and of where its variables are used. */
function meaningsIn(schema: GraphQLSchema, document: DocumentNode, { operation }: OperationDefinitionNode) {
  const fields = new Map<string, string | undefined>();
  const variables = new Map<string, string | undefined>();
  const root = schema.getRootType(operation);
  const info = new TypeInfo(schema);
  const visitor = visitWithTypeInfo(info, {
    Field: ({ name }) => {
      if (info.getParentType() === root)
        fields.set(name.value, meaningOf(info.getFieldDef()?.description) ?? "");
    },
    Variable: ({ name }, _key, parent) => {
      const used = isOfObject(parent) ? inputField(info, parent.name.value) : info.getArgument();
      if (used && !variables.has(name.value)) variables.set(name.value, meaningOf(used.description));
    },
  });
  visit(document, visitor);
  return { fields, variables };
}

const isOfObject = (parent: unknown): parent is { name: { value: string } } =>
  memberIn(parent, "kind") === Kind.OBJECT_FIELD;

function inputField(info: TypeInfo, name: string) {
  const type = getNamedType(info.getParentInputType());
  return isInputObjectType(type) ? type.getFields()[name] : undefined;
}

/** How values of these types are written, and of all types in these. */
function typesOf(types: readonly GraphQLInputType[]): Record<string, string> {
  const written = new Map<string, string>();
  const add = (type: GraphQLInputType): void => {
    const named = getNamedType(type);
    if (written.has(named.name)) return;
    if (isEnumType(named))
      written.set(
        named.name,
        named
          .getValues()
          .map(({ name }) => name)
          .join(" | "),
      );
    if (isScalarType(named) && !isSpecifiedScalarType(named))
      written.set(named.name, meaningOf(named.description) ?? "");
    if (!isInputObjectType(named)) return;
    const fields = Object.values(named.getFields());
    written.set(named.name, `{ ${fields.map(({ name, type }) => `${name}: ${type}`).join(", ")} }`);
    for (const field of fields) add(field.type);
  };
  types.forEach(add);
  return Object.fromEntries(written);
}

function meaningOf(description: string | null | undefined): string | undefined {
  if (!description) return undefined;
  return description.length > maxMeaning ? `${description.slice(0, maxMeaning)}…` : description;
}
