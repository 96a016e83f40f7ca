import {
  type FieldNode,
  type GraphQLField,
  type GraphQLLeafType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  getNamedType,
  getNullableType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
} from "graphql";
import { JsonText } from "../platform/json-text.js";
import { type DocumentParts, selectedFields } from "../platform/selection-set.js";
import { entityTypeOf } from "./annotations.js";

/** How a value of a type becomes JSON with what is selected of it. */
export type Completion = { isNullable: boolean } & (
  | { kind: "leaf"; type: GraphQLLeafType }
  | { kind: "list"; items: Completion }
  | { kind: "object"; members: readonly CompletedMember[] }
  /** PostgreSQL has written the rows, and everything below them. */
  | { kind: "written" }
);

/** A member of an object under its name in the response, or the name of the object's type. */
export type CompletedMember = { name: string /** What is written before it. */; start: string } & (
  | { typeName: string }
  | { member: string; value: Completion }
);

/** Is asked for each member that is a row, or a list of rows, whether PostgreSQL will have written it. */
export type AreRowsWritten = (field: GraphQLField<unknown, unknown>, nodes: readonly FieldNode[]) => boolean;

/**
 * Plans how a value of a type is completed; undefined if that needs resolvers below it, or the type of an object at run time.
 * Only graphql-js does that.
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
  const members = isObjectType(nullable) ? completedMembers(parts, nullable, nodes, areRowsWritten) : undefined;
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
    const member = (fieldNodes[0] as FieldNode).name.value;
    if (member === "__typename") {
      members.push({ name, start, typeName: type.name });
      continue;
    }
    const field = type.getFields()[member];
    const value = field && !field.resolve ? completionOf(parts, field.type, fieldNodes, areRowsWritten) : undefined;
    if (!field || !value || (value.kind === "written" && !areRowsWritten(field, fieldNodes))) return undefined;
    members.push({ name, start, member, value });
  }
  return members;
}

/** The JSON of a value; a promise if the value has one. Throws if it is not what its type allows. */
export function completedText(value: unknown, completion: Completion): string | Promise<string> {
  if (value instanceof Promise) return value.then((settled) => completedText(settled, completion));
  if (value == null) {
    if (!completion.isNullable) throw new Error("A value is null that must not be");
    return "null";
  }
  switch (completion.kind) {
    case "leaf":
      return leafText(completion.type.serialize(value));
    case "list":
      if (!Array.isArray(value)) throw new Error("A value is no list");
      return listText(value, completion.items);
    case "object":
      if (typeof value !== "object") throw new Error("A value is no object");
      return objectText(value as Record<string, unknown>, completion.members);
    case "written":
      if (value instanceof JsonText) return value.text;
      // Of no rows, PostgreSQL writes nothing.
      if (Array.isArray(value) && value.length === 0) return "[]";
      throw new Error("PostgreSQL has not written the rows");
  }
}

function leafText(value: unknown): string {
  return typeof value === "boolean" || (typeof value === "number" && Number.isFinite(value)) ? String(value) : JSON.stringify(value);
}

function listText(values: readonly unknown[], items: Completion): string | Promise<string> {
  const texts = values.map((value) => completedText(value, items));
  const areSettled = texts.every((text) => typeof text === "string");
  return areSettled ? `[${texts.join()}]` : Promise.all(texts).then((settled) => `[${settled.join()}]`);
}

/** In a loop, as there may be an object for each of thousands of groups. */
function objectText(value: Record<string, unknown>, members: readonly CompletedMember[]): string | Promise<string> {
  let text = "{";
  for (let index = 0; index < members.length; index += 1) {
    const each = members[index] as CompletedMember;
    const member = "typeName" in each ? `"${each.typeName}"` : completedText(value[each.member], each.value);
    if (typeof member !== "string") return objectTextLater(value, members);
    text += each.start + member;
  }
  return `${text}}`;
}

async function objectTextLater(value: Record<string, unknown>, members: readonly CompletedMember[]): Promise<string> {
  const texts = members.map((each) => ("typeName" in each ? `"${each.typeName}"` : completedText(value[each.member], each.value)));
  const settled = await Promise.all(texts);
  return `{${members.map(({ start }, index) => start + settled[index]).join("")}}`;
}

/** How PostgreSQL writes values of these types as JSON. */
const leafPatterns: Readonly<Record<string, string>> = {
  Float: "-?\\d{1,15}(?:\\.\\d{1,15})?",
  Int: "-?\\d{1,9}",
  Boolean: "true|false",
  String: '"(?:[^"\\\\]|\\\\.)*"',
};

/**
 * Matches, where it begins to search, an object or a list of objects, as PostgreSQL writes it, that has exactly the selected members,
 * in their order: it needs no completion. A brace follows. Undefined if there is no such pattern.
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
  const item = completion.kind === "list" && completion.items.kind === "object" ? patternOf(completion.items) : undefined;
  return item === undefined ? undefined : `\\[(?:${item}(?:, ${item})*)?\\]`;
}
