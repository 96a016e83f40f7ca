import {
  type DocumentNode,
  type FieldNode,
  type GraphQLNamedOutputType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getOperationAST,
  isListType,
  isNonNullType,
  isObjectType,
} from "graphql";
import { type DocumentParts, fragmentsOf, selectedFields } from "../../platform/selection-set.js";

type Nodes = readonly Pick<FieldNode, "selectionSet">[];

/** The shape of an operation's data at one path. The documentation and the response derive from it. */
export type Shape = { nullable: boolean; description?: string } & (
  | { kind: "object"; type: GraphQLObjectType; fields: Record<string, Shape> }
  | { kind: "list"; items: Shape }
  | { kind: "leaf"; type: GraphQLNamedOutputType }
);

/** Derives the shape of an operation's data from its selection and the schema. */
export function shapeOfOperation(schema: GraphQLSchema, document: DocumentNode): Shape {
  const operation = getOperationAST(document);
  const root = operation && schema.getRootType(operation.operation);
  if (!operation || !root) throw new Error("The document must contain exactly one operation");
  return objectShape({ schema, fragments: fragmentsOf(document) }, root, [operation]);
}

function objectShape(parts: DocumentParts, type: GraphQLObjectType, nodes: Nodes): Shape {
  const fields: Record<string, Shape> = {};
  for (const [key, children] of selectedFields(parts, type, nodes)) {
    const field = type.getFields()[children[0].name.value];
    if (!field) throw new Error(`${type.name} has no field for ${key}`);
    const shape = typeShape(parts, field.type, children);
    fields[key] = field.description ? { ...shape, description: field.description } : shape;
  }
  return { kind: "object", type, nullable: false, fields };
}

function typeShape(parts: DocumentParts, type: GraphQLOutputType, nodes: Nodes): Shape {
  if (isNonNullType(type)) return { ...typeShape(parts, type.ofType, nodes), nullable: false };
  if (isListType(type)) return { kind: "list", nullable: true, items: typeShape(parts, type.ofType, nodes) };
  if (isObjectType(type)) return { ...objectShape(parts, type, nodes), nullable: true };
  return { kind: "leaf", nullable: true, type };
}

export function shapeAt(shape: Shape, path: readonly string[]): Shape {
  return path.reduce((current, name) => {
    const next = current.kind === "object" ? current.fields[name] : undefined;
    if (!next) throw new Error(`The operation does not select ${path.join(".")}`);
    return next;
  }, shape);
}
