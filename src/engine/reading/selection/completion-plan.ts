import {
  type FieldNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
  getNamedType,
  getNullableType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
} from "graphql";
import { type DocumentParts, selectedFields } from "../../../platform/selection-set.js";
import { entityTypeOf } from "../annotations.js";
import type { CompletedMember, Completion } from "./completion.js";

/** Tells of a member with a row or a list of rows whether PostgreSQL writes it. */
type AreRowsWritten = (field: GraphQLField<unknown, unknown>, nodes: readonly FieldNode[]) => boolean;

/**
 * Plans how to complete a value of a type. Undefined if that takes resolvers below the value, or the type of an object
 * at run time: only graphql-js can do that.
 */
export function completionOf(
  parts: DocumentParts,
  type: GraphQLOutputType,
  nodes: readonly FieldNode[],
  areRowsWritten: AreRowsWritten = () => false,
): Completion | undefined {
  const isNullable = !isNonNullType(type);
  const nullable = getNullableType(type);
  if (isLeafType(nullable)) return { kind: "leaf", isNullable, type: nullable };
  if (entityTypeOf(getNamedType(nullable))) return { kind: "written", isNullable };
  if (isListType(nullable)) {
    const items = completionOf(parts, nullable.ofType, nodes, areRowsWritten);
    return items && { kind: "list", isNullable, items };
  }
  const members = isObjectType(nullable)
    ? completedMembers(parts, nullable, nodes, areRowsWritten)
    : undefined;
  return members && { kind: "object", isNullable, members };
}

function completedMembers(
  parts: DocumentParts,
  type: GraphQLObjectType,
  nodes: readonly FieldNode[],
  areRowsWritten: AreRowsWritten,
): CompletedMember[] | undefined {
  const members: CompletedMember[] = [];
  for (const [name, fieldNodes] of selectedFields(parts, type, nodes)) {
    const start = `${members.length === 0 ? "" : ","}"${name}":`;
    const member = fieldNodes[0].name.value;
    if (member === "__typename") {
      members.push({ name, start, typeName: type.name });
      continue;
    }
    const field = type.getFields()[member];
    const value =
      field && !field.resolve ? completionOf(parts, field.type, fieldNodes, areRowsWritten) : undefined;
    if (!field || !value || (value.kind === "written" && !areRowsWritten(field, fieldNodes)))
      return undefined;
    members.push({ name, start, member, value });
  }
  return members;
}

/** Matches the JSON that PostgreSQL writes for values of these types. */
const leafPatterns: Readonly<Record<string, string>> = {
  Float: "-?\\d{1,15}(?:\\.\\d{1,15})?",
  Int: "-?\\d{1,9}",
  Boolean: "true|false",
  String: '"(?:[^"\\\\]|\\\\.)*"',
};

/**
 * Matches an object or a list of objects, at the position where the search begins, that PostgreSQL has written with
 * exactly the selected members in their order. Such a text needs no completion. A brace follows it. Undefined if there
 * is no such pattern.
 */
export function completePattern(completion: Completion): RegExp | undefined {
  const pattern = completion.kind === "leaf" ? undefined : patternOf(completion);
  return pattern === undefined ? undefined : new RegExp(`(?:${pattern})(?=\\})`, "y");
}

function patternOf(completion: Completion): string | undefined {
  const pattern = patternOfValue(completion);
  return pattern === undefined || !completion.isNullable ? pattern : `(?:${pattern}|null)`;
}

function patternOfValue(completion: Completion): string | undefined {
  if (completion.kind === "leaf") return leafPatterns[completion.type.name];
  if (completion.kind === "object") {
    const members = completion.members.map((each) => {
      const value = "member" in each && each.member === each.name ? patternOf(each.value) : undefined;
      return value === undefined ? undefined : `"${each.name}": (?:${value})`;
    });
    return members.includes(undefined) ? undefined : `\\{${members.join(", ")}\\}`;
  }
  const item =
    completion.kind === "list" && completion.items.kind === "object"
      ? patternOf(completion.items)
      : undefined;
  return item === undefined ? undefined : `\\[(?:${item}(?:, ${item})*)?\\]`;
}
