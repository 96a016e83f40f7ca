import { Prisma } from "../generated/prisma/client.js";
import type { Answer, AnswerField, ConnectionFields, StoredValues } from "./answer.js";
import type { Relation } from "./relation.js";
import { asJson, itemsStatement, levelAt } from "./relation-statement.js";
import type { Selection } from "./selection.js";
import type { VisibleSources } from "./visibility.js";

/** The subquery that returns the answer for the parent with the alias `parent` as JSON. */
export function answerStatement<Args>(sources: VisibleSources, relation: Relation<Args>, selection: Selection, args: Args): Prisma.Sql {
  return nestedAnswer(sources, { relation: relation as Relation<unknown>, selection, args }, Prisma.sql`parent."id"`, 1);
}

function nestedAnswer(
  sources: VisibleSources,
  nested: { relation: Relation<unknown>; selection: Selection; args: unknown },
  parentId: Prisma.Sql,
  depth: number,
): Prisma.Sql {
  const { relation, selection } = nested;
  const level = levelAt(depth);
  const { fields } = selection.answer as Answer;
  const written = fields.map((field) => {
    // Names of a response are GraphQL names, which need no escaping.
    return Prisma.sql`${expression(sources, field, level, depth)} AS ${Prisma.raw(`"${field.name}"`)}`;
  });
  const rows = Prisma.sql`SELECT ${Prisma.join(written, ", ")} FROM (${itemsStatement(sources, nested, parentId)}) AS ${level}`;
  return asJson(relation, rows);
}

function expression(sources: VisibleSources, field: AnswerField, level: Prisma.Sql, depth: number): Prisma.Sql {
  switch (field.kind) {
    case "type name":
      return Prisma.raw(`'${field.typeName}'`);
    case "column":
      return checked[field.values](column(level, field.column));
    case "part":
      return gap(field.gap, column(level, field.column));
    case "computed":
      return gap(field.gap, Prisma.sql`json_build_array(${Prisma.join(field.columns.map((name) => column(level, name)))})`);
    case "relation": {
      const { loader, selection, args, page } = field;
      const rows = nestedAnswer(sources, { relation: loader.relation, selection, args }, Prisma.sql`${level}."id"`, depth + 1);
      return page ? connection(page, rows) : Prisma.sql`(${rows})`;
    }
  }
}

const column = (level: Prisma.Sql, name: string) => Prisma.sql`${level}.${Prisma.raw(`"${name}"`)}`;

/** What an answer has in place of a value that its type does not allow: nothing else in it has a tab. */
export const notWritten = "\t";
const notWrittenNull = Prisma.sql`E'\\tnull'::json`;

/** The JSON of a column, if its values are what its type allows. */
const checked: Record<StoredValues, (column: Prisma.Sql) => Prisma.Sql> = {
  any: (column) => column,
  // As `Date.prototype.toISOString` writes it; sessions are in UTC.
  dates: (column) => Prisma.sql`CASE WHEN ${column} BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999Z'
    THEN to_json(to_char(${column}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) WHEN ${column} IS NOT NULL THEN ${notWrittenNull} END`,
  lists: (column) => Prisma.sql`CASE WHEN array_ndims(${column}) > 1 THEN ${notWrittenNull}
    WHEN array_position(${column}, NULL) IS NULL THEN to_json(${column}) ELSE ${notWrittenNull} END`,
  objects: (column) => Prisma.sql`CASE WHEN jsonb_typeof(${column}) = 'object' THEN to_json(${column}) ELSE ${notWrittenNull} END`,
  "objects or null": (column) =>
    Prisma.sql`CASE WHEN jsonb_typeof(${column}) IN ('object', 'null') THEN to_json(${column}) WHEN ${column} IS NOT NULL THEN ${notWrittenNull} END`,
};

/** Leaves a gap: an object that has nothing but the index of what fills it, with what is needed for that. */
const gap = (index: number, content: Prisma.Sql) => Prisma.sql`json_build_object(${Prisma.raw(`'${index}'`)}, ${content})`;

/**
 * How a gap begins. Nothing else in an answer looks like that, whatever is stored: only `json_build_object` writes a space before a
 * colon, connections have names there that are no numbers, and in a text a quote has a backslash before it.
 */
export const startOfGap = /\{"(\d+)" : /g;

const jsonObject = (members: readonly (readonly [string, Prisma.Sql])[]) =>
  Prisma.sql`json_build_object(${Prisma.join(
    members.map(([name, value]) => Prisma.sql`${Prisma.raw(`'${name}'`)}, ${value}`),
    ", ",
  )})`;

/** Of a connection only the nodes and the name of its type are read. */
const connection = (fields: ConnectionFields, rows: Prisma.Sql) =>
  jsonObject(fields.map(({ name, typeName }) => [name, typeName ? Prisma.raw(`'${typeName}'`) : Prisma.sql`(${rows})`]));
