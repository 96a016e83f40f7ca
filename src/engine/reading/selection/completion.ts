import type { GraphQLLeafType } from "graphql";
import { JsonText } from "../../../platform/json/json-text.js";

/** How to write the selected parts of a value as JSON. */
export type Completion = { isNullable: boolean } & (
  | { kind: "leaf"; type: GraphQLLeafType }
  | { kind: "list"; items: Completion }
  | { kind: "object"; members: readonly CompletedMember[] }
  /** PostgreSQL has written the rows and everything below them. */
  | { kind: "written" }
);

/** A member of an object, or the name of its type, under the name in the response. */
export type CompletedMember = {
  name: string;
  /** The text before the value. */
  start: string;
} & ({ typeName: string } | { member: string; value: Completion });

/** The JSON of a value; a promise if the value contains one. Throws if its type does not allow the value. */
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
      // If there are no rows, PostgreSQL writes nothing.
      if (Array.isArray(value) && value.length === 0) return "[]";
      throw new Error("PostgreSQL has not written the rows");
  }
}

function leafText(value: unknown): string {
  return typeof value === "boolean" || (typeof value === "number" && Number.isFinite(value))
    ? String(value)
    : JSON.stringify(value);
}

function listText(values: readonly unknown[], items: Completion): string | Promise<string> {
  const texts = values.map((value) => completedText(value, items));
  const areSettled = texts.every((text) => typeof text === "string");
  return areSettled ? `[${texts.join()}]` : Promise.all(texts).then((settled) => `[${settled.join()}]`);
}

/** A plain loop, because statistics may have thousands of groups with an object each. */
function objectText(
  value: Record<string, unknown>,
  members: readonly CompletedMember[],
): string | Promise<string> {
  let text = "{";
  for (let index = 0; index < members.length; index += 1) {
    const each = members[index] as CompletedMember;
    const member = "typeName" in each ? `"${each.typeName}"` : completedText(value[each.member], each.value);
    if (typeof member !== "string") return objectTextLater(value, members);
    text += each.start + member;
  }
  return `${text}}`;
}

async function objectTextLater(
  value: Record<string, unknown>,
  members: readonly CompletedMember[],
): Promise<string> {
  const texts = members.map((each) =>
    "typeName" in each ? `"${each.typeName}"` : completedText(value[each.member], each.value),
  );
  const settled = await Promise.all(texts);
  return `{${members.map(({ start }, index) => start + settled[index]).join("")}}`;
}
