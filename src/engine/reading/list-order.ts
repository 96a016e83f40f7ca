import { Prisma } from "../../generated/prisma/client.js";
import { uuidShape } from "../../platform/ids/uuid.js";
import { maxTimestamp, minTimestamp } from "../../platform/input/scalars.js";
import { identifier } from "./identifier.js";

/** A position in a list: the values that order the list. Clients see its text as a cursor. */
export interface Position {
  value: Date | string;
  id: string;
}

/** The side of a position on which rows are: after it or not, before it or not. */
type Side = "after" | "not after" | "before" | "not before";

/**
 * The order of a list that is read page by page: by a column, and by the ID in the same direction among rows
 * with the same value.
 */
export interface ListOrder<in Row> {
  described: string;
  /** The column that orders the list. Each row needs its value. */
  column: string;
  /** The order and its reverse, over the alias `item`. */
  forwards: Prisma.Sql;
  backwards: Prisma.Sql;
  /** The condition that the row with the alias `item` is on a side of a position. */
  condition(side: Side, position: Position): Prisma.Sql;
  encodeCursor(row: Row): string;
  /** The position in a cursor. Undefined unless the cursor is of a list with this order. */
  decodeCursor(cursor: string): Position | undefined;
}

interface OrderDefinition<Row, Value extends Date | string> {
  described: string;
  column: string;
  valueIn(row: Row): Value;
  isDescending: boolean;
  parameter(value: Value): Prisma.Sql;
  /** The maximum length of a cursor. */
  maxCursorLength: number;
  /** Writes a position as text. No text may be a position in two orders. */
  toText(value: Value, id: string): string;
  fromText(text: string): { value: Value; id: string } | undefined;
}

function defineOrder<Row extends { id: string }, Value extends Date | string>(
  definition: OrderDefinition<Row, Value>,
): ListOrder<Row> {
  const { described, column, valueIn, isDescending, parameter, maxCursorLength, toText, fromText } =
    definition;
  const name = Prisma.sql`item.${identifier(column)}`;
  const ordered = (direction: string) =>
    Prisma.sql`${name}${Prisma.raw(direction)}, item."id"${Prisma.raw(direction)}`;
  const [forwards, backwards] = isDescending
    ? [ordered(" DESC"), ordered(" ASC")]
    : [ordered(""), ordered(" DESC")];
  const operators: Record<Side, string> = isDescending
    ? { after: "<", "not after": ">=", before: ">", "not before": "<=" }
    : { after: ">", "not after": "<=", before: "<", "not before": ">=" };
  const encode = (position: Position) =>
    Buffer.from(toText(position.value as Value, position.id)).toString("base64url");
  return {
    described,
    column,
    forwards,
    backwards,
    condition: (side, { value, id }) =>
      Prisma.sql`(${name}, item."id") ${Prisma.raw(operators[side])} (${parameter(value as Value)}, ${id}::uuid)`,
    encodeCursor: (row) => encode({ value: valueIn(row), id: row.id }),
    decodeCursor(cursor) {
      if (cursor.length > maxCursorLength) return undefined;
      const position = fromText(Buffer.from(cursor, "base64url").toString());
      // Base64 decoders ignore stray characters: only the exact text of a cursor is accepted.
      return position && encode(position) === cursor ? position : undefined;
    },
  };
}

const timeAndId = new RegExp(`^(-?\\d{1,15})\\.(${uuidShape})$`);
const idAndName = new RegExp(`^(${uuidShape})\\.(.*)$`, "s");

/** The order by `createdAt`, descending. */
export const newestFirst = defineOrder<{ createdAt: Date; id: string }, Date>({
  described: "newest first",
  column: "createdAt",
  valueIn: ({ createdAt }) => createdAt,
  isDescending: true,
  parameter: (createdAt) => Prisma.sql`${createdAt}::timestamptz`,
  maxCursorLength: 100,
  toText(createdAt, id) {
    const time = createdAt.getTime();
    if (Number.isNaN(time)) throw new RangeError("A time that cannot be shown cannot be in a list");
    return `${time}.${id}`;
  },
  fromText(text) {
    const [, time, id] = timeAndId.exec(text) ?? [];
    if (!id || Number(time) < minTimestamp || Number(time) > maxTimestamp) return undefined;
    return { value: new Date(Number(time)), id };
  },
});

/** The order by `name`, by code points as in UTF-8 and in the columns. JavaScript orders strings differently. */
export const byName = defineOrder<{ name: string; id: string }, string>({
  described: "by name",
  column: "name",
  valueIn: ({ name }) => name,
  isDescending: false,
  parameter: (name) => Prisma.sql`${name}::text`,
  // Names have at most 200 characters.
  maxCursorLength: 1000,
  toText: (name, id) => `${id}.${name}`,
  fromText(text) {
    const [, id, name] = idAndName.exec(text) ?? [];
    // Text in PostgreSQL cannot hold NUL.
    return id === undefined || name === undefined || name.includes("\0") ? undefined : { value: name, id };
  },
});
