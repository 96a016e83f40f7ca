import { GraphQLError, GraphQLScalarType, Kind } from "graphql";
import { GraphQLDateTimeISO, GraphQLJSONObject, GraphQLSafeInt } from "graphql-scalars";
import { z } from "zod";

/** Any 8-4-4-4-12 hexadecimal UUID in upper or lower case, normalized to lower case. Both APIs (REST and GraphQL) use it. */
export const uuid = z
  .string("must be a UUID")
  .regex(/^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$/, "must be a UUID")
  .transform((value) => value.toLowerCase())
  .meta({ format: "uuid" });

function parseUuid(value: unknown): string {
  const parsed = uuid.safeParse(value);
  if (!parsed.success) throw new GraphQLError("must be a UUID");
  return parsed.data;
}

/** {@link uuid} as a GraphQL scalar. */
export const Uuid = new GraphQLScalarType<string, string>({
  name: "UUID",
  description: "A UUID of 8-4-4-4-12 hexadecimal digits. Upper case is accepted; responses use lower case.",
  serialize: (value) => String(value).toLowerCase(),
  parseValue: parseUuid,
  parseLiteral: (node) => parseUuid(node.kind === Kind.STRING ? node.value : undefined),
});

/** The range that the database can store and ISO 8601 can express, in milliseconds since 1970. */
export const minTimestamp = Date.parse("0001-01-01T00:00:00.000Z");
export const maxTimestamp = Date.parse("9999-12-31T23:59:59.999Z");

function inStorableRange(value: Date): Date {
  const time = value.getTime();
  if (!(time >= minTimestamp && time <= maxTimestamp)) throw new GraphQLError("must be between the years 1 and 9999");
  return value;
}

/** Longer than any timestamp. */
const maxDateTimeLength = 100;

function parseDateTime(value: unknown): Date {
  if (typeof value === "string" && value.length > maxDateTimeLength) throw new GraphQLError(`must have at most ${maxDateTimeLength} characters`);
  return inStorableRange(GraphQLDateTimeISO.parseValue(value));
}

/** DateTimeISO of graphql-scalars, restricted to the range that the database can store. */
export const DateTimeIso = new GraphQLScalarType<Date, Date | string>({
  name: "DateTimeISO",
  description: "A timestamp in ISO 8601 with a time zone, such as 2026-11-20T09:30:00.000Z. Responses are in UTC with milliseconds.",
  serialize: (value) => (value instanceof Date ? value.toISOString() : (GraphQLDateTimeISO.serialize(value) as unknown as string)),
  parseValue: parseDateTime,
  parseLiteral: (node) => inStorableRange(GraphQLDateTimeISO.parseLiteral(node) as Date),
});

export const JsonObject = GraphQLJSONObject;
/** An integer that may exceed 32 bits, such as a national phone number. */
export const SafeInt = GraphQLSafeInt;
