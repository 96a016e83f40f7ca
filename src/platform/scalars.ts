import { GraphQLError, GraphQLScalarType, Kind } from "graphql";
import { GraphQLDateTimeISO, GraphQLJSONObject, GraphQLSafeInt } from "graphql-scalars";
import { z } from "zod";

/** Any 8-4-4-4-12 hexadecimal UUID, in whatever case, answered in lower case. The one UUID schema of both doors. */
export const uuid = z
  .string("must be a UUID")
  .regex(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i, "must be a UUID")
  .transform((value) => value.toLowerCase());

function parseUuid(value: unknown): string {
  const parsed = uuid.safeParse(value);
  if (!parsed.success) throw new GraphQLError("must be a UUID");
  return parsed.data;
}

/** The GraphQL face of {@link uuid}. */
export const Uuid = new GraphQLScalarType<string, string>({
  name: "UUID",
  description: "A UUID of 8-4-4-4-12 hexadecimal digits. Upper case is accepted; answers are in lower case.",
  serialize: (value) => String(value).toLowerCase(),
  parseValue: parseUuid,
  parseLiteral: (node) => parseUuid(node.kind === Kind.STRING ? node.value : undefined),
});

/** What the database can hold and ISO 8601 can write, in milliseconds since 1970. */
export const earliestMoment = Date.parse("0001-01-01T00:00:00.000Z");
export const latestMoment = Date.parse("9999-12-31T23:59:59.999Z");

function inStorableRange(value: Date): Date {
  const time = value.getTime();
  if (!(time >= earliestMoment && time <= latestMoment)) throw new GraphQLError("must lie between the years 1 and 9999");
  return value;
}

/** graphql-scalars' DateTimeISO, narrowed to what the database can hold. */
export const DateTimeIso = new GraphQLScalarType<Date, Date | string>({
  name: "DateTimeISO",
  description: "A moment as ISO 8601 with a zone, such as 2026-11-20T09:30:00.000Z. Answers are in UTC with milliseconds.",
  serialize: (value) => (value instanceof Date ? value.toISOString() : (GraphQLDateTimeISO.serialize(value) as unknown as string)),
  parseValue: (value) => inStorableRange(GraphQLDateTimeISO.parseValue(value)),
  parseLiteral: (node) => inStorableRange(GraphQLDateTimeISO.parseLiteral(node) as Date),
});

export const JsonObject = GraphQLJSONObject;
/** An integer beyond 32 bits, such as a national telephone number. */
export const SafeInt = GraphQLSafeInt;
