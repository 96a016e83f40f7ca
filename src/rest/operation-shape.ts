import { collectSubFields } from "@graphql-tools/utils";
import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLNamedOutputType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getOperationAST,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
} from "graphql";

/** What an operation answers at one place: what the docs describe, and what the answer is written by. */
export type Shape = { nullable: boolean; description?: string } & (
  | { kind: "object"; fields: Record<string, Shape> }
  | { kind: "list"; items: Shape }
  | { kind: "leaf"; type: GraphQLNamedOutputType }
);

/** The shape of an operation's data, from its selection and the schema. */
export function shapeOfOperation(schema: GraphQLSchema, document: DocumentNode): Shape {
  const operation = getOperationAST(document);
  const root = operation && schema.getRootType(operation.operation);
  if (!operation || !root) throw new Error("A document of one operation is needed");
  const fragments: Record<string, FragmentDefinitionNode> = {};
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments[definition.name.value] = definition;
  }
  const rootField = { kind: Kind.FIELD, name: operation.name ?? { kind: Kind.NAME, value: "" }, selectionSet: operation.selectionSet } as const;
  return objectShape(schema, fragments, root, [rootField]);
}

function objectShape(schema: GraphQLSchema, fragments: Record<string, FragmentDefinitionNode>, type: GraphQLObjectType, nodes: FieldNode[]): Shape {
  const fields: Record<string, Shape> = {};
  const selected = collectSubFields(schema, fragments, { coerced: {}, sources: {} }, type, nodes).fields;
  for (const [key, children] of selected) {
    const field = type.getFields()[(children[0] as FieldNode).name.value];
    if (!field) throw new Error(`${type.name} has no such field: ${key}`);
    const shape = typeShape(schema, fragments, field.type, children);
    fields[key] = field.description ? { ...shape, description: field.description } : shape;
  }
  return { kind: "object", nullable: false, fields };
}

function typeShape(schema: GraphQLSchema, fragments: Record<string, FragmentDefinitionNode>, type: GraphQLOutputType, nodes: FieldNode[]): Shape {
  if (isNonNullType(type)) return { ...typeShape(schema, fragments, type.ofType, nodes), nullable: false };
  if (isListType(type)) return { kind: "list", nullable: true, items: typeShape(schema, fragments, type.ofType, nodes) };
  if (isObjectType(type)) return { ...objectShape(schema, fragments, type, nodes), nullable: true };
  return { kind: "leaf", nullable: true, type: type as GraphQLNamedOutputType };
}

/** The shape at a path of fields. */
export function shapeAt(shape: Shape, path: readonly string[]): Shape {
  return path.reduce((current, name) => {
    const next = current.kind === "object" ? current.fields[name] : undefined;
    if (!next) throw new Error(`The operation does not answer ${path.join(".")}`);
    return next;
  }, shape);
}
