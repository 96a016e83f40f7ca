import { GraphQLError, GraphQLScalarType, Kind, type ValueNode } from "graphql";
import { GraphQLDateTimeISO, GraphQLJSONObject, GraphQLSafeInt } from "graphql-scalars";
import { z } from "zod";

const anyUuid = /^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$/;

/** Any 8-4-4-4-12 hexadecimal UUID, normalized to lower case. Both APIs (REST and GraphQL) use this rule. */
export const uuid = z
  .string("must be a UUID")
  .regex(anyUuid, "must be a UUID")
  .transform((value) => value.toLowerCase())
  .meta({ format: "uuid" });

/** Parses a UUID without Zod, which takes several times as long: a request may have thousands. */
function parseUuid(value: unknown): string {
  if (typeof value !== "string" || !anyUuid.test(value)) throw new GraphQLError("must be a UUID");
  return value.toLowerCase();
}

/** Parses a literal by the rules for values. Errors point at the literal. */
function parseLiteralBy<Value>(parseValue: (value: unknown) => Value): (node: ValueNode) => Value {
  return (node) => {
    try {
      return parseValue(node.kind === Kind.STRING ? node.value : undefined);
    } catch (error) {
      throw error instanceof GraphQLError ? new GraphQLError(error.message, { nodes: node }) : error;
    }
  };
}

export const Uuid = new GraphQLScalarType<string, string>({
  name: "UUID",
  description: "A UUID of 8-4-4-4-12 hexadecimal digits. Upper case is accepted; responses use lower case.",
  serialize: (value) => String(value).toLowerCase(),
  parseValue: parseUuid,
  parseLiteral: parseLiteralBy(parseUuid),
});

/** The first timestamp that the database can store and ISO 8601 can express, in milliseconds since 1970. */
export const minTimestamp = Date.parse("0001-01-01T00:00:00.000Z");
export const maxTimestamp = Date.parse("9999-12-31T23:59:59.999Z");

function inStorableRange(value: Date): Date {
  const time = value.getTime();
  if (!(time >= minTimestamp && time <= maxTimestamp))
    throw new GraphQLError("must be between the years 1 and 9999");
  return value;
}

/** No timestamp is longer. */
const maxDateTimeLength = 100;
const exampleTimestamp = "2026-11-20T09:30:00.000Z";

function parseDateTime(value: unknown): Date {
  const known = typeof value === "string" ? canonicalDateTime(value) : undefined;
  if (known) return inStorableRange(known);
  if (typeof value === "string" && value.length > maxDateTimeLength)
    throw new GraphQLError(`must have at most ${maxDateTimeLength} characters`);
  let parsed: Date;
  try {
    parsed = GraphQLDateTimeISO.parseValue(value);
  } catch {
    throw new GraphQLError(`${lackOf(value)} such as ${exampleTimestamp}`);
  }
  return inStorableRange(parsed);
}

/** Parses a timestamp in JavaScript's own format, which takes a fraction of the time of any other. */
function canonicalDateTime(text: string): Date | undefined {
  if (text.length !== exampleTimestamp.length) return undefined;
  const parsed = new Date(text);
  return Number.isNaN(parsed.getTime()) || parsed.toISOString() !== text ? undefined : parsed;
}

const date = /^\d{4}-\d\d-\d\d$/;
const localTimestamp = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?$/;

/** The beginning of the message about an invalid timestamp: the part that is missing. */
function lackOf(value: unknown): string {
  if (typeof value === "string" && date.test(value))
    return "has no time and no time zone: must be a timestamp";
  if (typeof value === "string" && localTimestamp.test(value)) return "has no time zone: must be a timestamp";
  return "must be a timestamp in ISO 8601 with a time zone,";
}

/** DateTimeISO of graphql-scalars, restricted to the range that the database can store. */
export const DateTimeIso = new GraphQLScalarType<Date, Date | string>({
  name: "DateTimeISO",
  description: `A timestamp in ISO 8601 with a time zone, such as ${exampleTimestamp}. Responses are in UTC with milliseconds.`,
  serialize: (value) =>
    value instanceof Date ? value.toISOString() : (GraphQLDateTimeISO.serialize(value) as string),
  parseValue: parseDateTime,
  parseLiteral: parseLiteralBy(parseDateTime),
});

/** The message about an integer in JSON that JavaScript may have rounded. */
export const roundedNumber = "is too large for its value to be kept: send it as text";

/** The path of an integer in JSON that JavaScript may have rounded; undefined if there is none. */
export function roundedIn(value: unknown): string[] | undefined {
  if (typeof value === "number") return Math.abs(value) > Number.MAX_SAFE_INTEGER ? [] : undefined;
  if (typeof value !== "object" || value === null) return undefined;
  for (const [name, inner] of Object.entries(value)) {
    const path = roundedIn(inner);
    if (path) return [name, ...path];
  }
  return undefined;
}

function withoutRounded<Value>(value: Value, node?: ValueNode): Value {
  const path = roundedIn(value);
  if (path) throw new GraphQLError(`${path.join(".")}: ${roundedNumber}`, { nodes: node ?? null });
  return value;
}

const jsonObject = GraphQLJSONObject.toConfig();

/** GraphQLJSONObject of graphql-scalars, without integers that JavaScript rounds. */
export const JsonObject = new GraphQLScalarType({
  ...jsonObject,
  description: `${jsonObject.description} In inputs, the gateway refuses integers beyond ±(2^53 - 1), which IEEE 754 doubles do not all keep: send them as text.`,
  parseValue: (value) => withoutRounded(jsonObject.parseValue(value)),
  parseLiteral: (node, variables) => withoutRounded(jsonObject.parseLiteral(node, variables), node),
});

/** An integer that may exceed 32 bits, such as a national phone number. */
export const SafeInt = GraphQLSafeInt;
