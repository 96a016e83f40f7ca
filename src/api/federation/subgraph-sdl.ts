import {
  type ConstDirectiveNode,
  type GraphQLSchema,
  isObjectType,
  Kind,
  lexicographicSortSchema,
  type ObjectTypeDefinitionNode,
  parse,
  print,
  printSchema,
  visit,
} from "graphql";
import { findNodeOf } from "../../engine/nodes/node.type.js";
import { keysOf } from "./representation.js";

const link =
  'extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key", "@shareable"])';

/**
 * Types of Relay's specification. Other subgraphs have the same ones, and a router must know that it may ask either.
 */
const sharedTypes = ["PageInfo"];

/**
 * A schema as a subgraph of Federation 2, in the schema definition language. Without the fields that
 * Federation adds, as routers know them.
 */
export function subgraphSdl(schema: GraphQLSchema): string {
  const document = visit(parse(printSchema(lexicographicSortSchema(schema)), { noLocation: true }), {
    ObjectTypeDefinition: (node): ObjectTypeDefinitionNode => ({
      ...node,
      directives: directivesOf(schema, node.name.value),
    }),
  });
  return `${link}\n\n${print(document)}\n`;
}

function directivesOf(schema: GraphQLSchema, name: string): ConstDirectiveNode[] {
  const type = schema.getType(name);
  if (!isObjectType(type)) return [];
  if (sharedTypes.includes(name)) return [directive("shareable")];
  return findNodeOf(type) ? keysOf(type).map((key) => directive("key", { fields: key })) : [];
}

const directive = (name: string, values: Record<string, string> = {}): ConstDirectiveNode => ({
  kind: Kind.DIRECTIVE,
  name: { kind: Kind.NAME, value: name },
  arguments: Object.entries(values).map(([argument, value]) => ({
    kind: Kind.ARGUMENT,
    name: { kind: Kind.NAME, value: argument },
    value: { kind: Kind.STRING, value },
  })),
});
