import {
  type FieldNode,
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
export type CompletedMember = { name: string } & ({ typeName: string } | { member: string; value: Completion });

/**
 * Plans how a value of a type is completed; undefined if that needs resolvers below it, or the type of an object at run time.
 * Only graphql-js does that.
 */
export function completionOf(parts: DocumentParts, type: GraphQLOutputType, nodes: readonly FieldNode[]): Completion | undefined {
  const isNullable = !isNonNullType(type);
  const nullable = getNullableType(type);
  if (isLeafType(nullable)) return { kind: "leaf", isNullable, type: nullable };
  if (entityTypeOf(getNamedType(nullable))) return { kind: "written", isNullable };
  if (isListType(nullable)) {
    const items = completionOf(parts, nullable.ofType, nodes);
    return items && { kind: "list", isNullable, items };
  }
  const members = isObjectType(nullable) ? completedMembers(parts, nullable, nodes) : undefined;
  return members && { kind: "object", isNullable, members };
}

function completedMembers(parts: DocumentParts, type: GraphQLObjectType, nodes: readonly FieldNode[]): CompletedMember[] | undefined {
  const members: CompletedMember[] = [];
  for (const [name, fieldNodes] of selectedFields(parts, type, nodes)) {
    const member = (fieldNodes[0] as FieldNode).name.value;
    if (member === "__typename") {
      members.push({ name, typeName: type.name });
      continue;
    }
    const field = type.getFields()[member];
    const value = field && !field.resolve ? completionOf(parts, field.type, fieldNodes) : undefined;
    // A resolver would have to be asked for rows.
    if (!value || value.kind === "written") return undefined;
    members.push({ name, member, value });
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
      return JSON.stringify(completion.type.serialize(value));
    case "list": {
      if (!Array.isArray(value)) throw new Error("A value is no list");
      return joined(
        value.map((item) => completedText(item, completion.items)),
        (items) => `[${items.join()}]`,
      );
    }
    case "object": {
      if (typeof value !== "object") throw new Error("A value is no object");
      const { members } = completion;
      return joined(
        members.map((each) =>
          "typeName" in each ? `"${each.typeName}"` : completedText((value as Record<string, unknown>)[each.member], each.value),
        ),
        (texts) => `{${texts.map((text, index) => `"${(members[index] as CompletedMember).name}":${text}`).join()}}`,
      );
    }
    case "written":
      if (value instanceof JsonText) return value.text;
      // Of no rows, PostgreSQL writes nothing.
      if (Array.isArray(value) && value.length === 0) return "[]";
      throw new Error("PostgreSQL has not written the rows");
  }
}

/** Joins texts, once all are there. */
function joined(texts: (string | Promise<string>)[], join: (texts: string[]) => string): string | Promise<string> {
  return texts.some((text) => text instanceof Promise) ? Promise.all(texts).then(join) : join(texts as string[]);
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
