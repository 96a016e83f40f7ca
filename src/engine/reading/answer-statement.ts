import { Prisma } from "../../generated/prisma/client.js";
import { asJson, itemsStatement, levelAt, type Nested, sideOfPage } from "./relation-statement.js";
import type {
  Answer,
  AnswerField,
  AnswerPart,
  EdgePart,
  PageInfoPart,
  PaginatedList,
  Relation,
  Selection,
  StoredValues,
} from "./selection/selection.js";
import type { VisibleSources } from "./visibility.js";

/** The subquery that returns the answer for the parent with the alias `parent` as JSON. */
export function answerStatement<Args>(
  sources: VisibleSources,
  relation: Relation<Args>,
  selection: Selection,
  args: Args,
): Prisma.Sql {
  return nestedAnswer(sources, { relation, selection, args }, Prisma.sql`parent`, 1);
}

function nestedAnswer(
  sources: VisibleSources,
  nested: Nested,
  parent: Prisma.Sql,
  depth: number,
): Prisma.Sql {
  const { written } = nested.selection.answer as Answer;
  const writer = new RowWriter(sources, depth);
  const items = itemsStatement(sources, nested, Prisma.sql`${parent}."id"`);
  if ("fields" in written)
    return asJson(
      nested.relation,
      Prisma.sql`SELECT ${writer.fields(written.fields)} FROM (${items}) AS ${writer.level}`,
    );
  return pageStatement(nested, written.parts, { writer, items, parent });
}

/** Writes the selected fields of the rows at one level of nesting. */
class RowWriter {
  readonly level: Prisma.Sql;
  readonly #sources: VisibleSources;
  readonly #depth: number;

  constructor(sources: VisibleSources, depth: number) {
    this.#sources = sources;
    this.#depth = depth;
    this.level = levelAt(depth);
  }

  /** The fields of a row, each as a column under its name in the response. */
  fields(fields: readonly AnswerField[]): Prisma.Sql {
    return Prisma.join(
      fields.map((field) => Prisma.sql`${this.#expression(field)} AS ${responseName(field.name)}`),
    );
  }

  column(name: string): Prisma.Sql {
    return Prisma.sql`${this.level}.${Prisma.raw(`"${name}"`)}`;
  }

  #expression(field: AnswerField): Prisma.Sql {
    switch (field.kind) {
      case "type name":
        return typeName(field);
      case "column":
        return checked[field.values](this.column(field.column));
      case "part":
        return gap(field.gap, this.column(field.column));
      case "resolved":
        return gap(
          field.gap,
          Prisma.sql`json_build_array(${Prisma.join(field.columns.map((name) => this.column(name)))})`,
        );
      case "relation": {
        const { loader, selection, args } = field;
        return Prisma.sql`(${nestedAnswer(this.#sources, { relation: loader.relation, selection, args }, this.level, this.#depth + 1)})`;
      }
    }
  }
}

// The names in a response are GraphQL names. They need no escaping.
const responseName = (name: string) => Prisma.raw(`"${name}"`);
const typeName = (part: { typeName: string }) => Prisma.raw(`'${part.typeName}'`);

interface WrittenPage {
  writer: RowWriter;
  items: Prisma.Sql;
  parent: Prisma.Sql;
}

/** A page as one JSON object. It does not list the rows around the page. */
function pageStatement(
  { relation, selection }: Nested,
  parts: readonly AnswerPart[],
  { writer, items, parent }: WrittenPage,
): Prisma.Sql {
  const { orderColumn } = relation.list as PaginatedList<unknown>;
  const isMarked = selection.pageInfo.hasNextPage || selection.pageInfo.hasPreviousPage;
  const side = Prisma.sql`${writer.level}.${sideOfPage}`;
  const listed = isMarked ? Prisma.sql` FILTER (WHERE ${side} = 0)` : Prisma.empty;
  const position = Prisma.sql`json_build_array(${writer.column("id")}, ${writer.column(orderColumn)})`;
  const records: Prisma.Sql[] = [];
  /** Writes a record beside each row, and returns its name. */
  const record = (columns: Prisma.Sql): Prisma.Sql => {
    const name = Prisma.raw(`"record${records.length}$"`);
    records.push(Prisma.sql` CROSS JOIN LATERAL (SELECT ${columns}) AS ${name}`);
    return name;
  };
  const listOf = (columns: Prisma.Sql) => Prisma.sql`coalesce(json_agg(${record(columns)})${listed}, '[]')`;
  const edgeColumn = (part: EdgePart): Prisma.Sql => {
    if (part.kind === "type name") return typeName(part);
    return part.kind === "cursor"
      ? gap(part.gap, position)
      : Prisma.sql`to_json(${record(writer.fields(part.fields))})`;
  };
  const infoMember = (part: PageInfoPart): Prisma.Sql => {
    if (part.kind === "type name") return typeName(part);
    if (part.kind === "hasNextPage") return Prisma.sql`coalesce(bool_or(${side} > 0), false)`;
    if (part.kind === "hasPreviousPage") return Prisma.sql`coalesce(bool_or(${side} < 0), false)`;
    const positions = Prisma.sql`json_agg(${position})${listed}`;
    return Prisma.sql`CASE WHEN count(*)${listed} > 0 THEN ${gap(part.gap, Prisma.sql`(${positions}) -> ${Prisma.raw(part.kind === "endCursor" ? "-1" : "0")}`)} END`;
  };
  const member = (part: AnswerPart): Prisma.Sql => {
    switch (part.kind) {
      case "type name":
        return typeName(part);
      case "nodes":
        return listOf(writer.fields(part.fields));
      case "edges":
        return listOf(
          Prisma.join(
            part.parts.map((each) => Prisma.sql`${edgeColumn(each)} AS ${responseName(each.name)}`),
          ),
        );
      case "page info":
        return jsonObject(part.parts.map((each) => [each.name, infoMember(each)]));
      case "total count":
        return gap(part.gap, Prisma.sql`json_build_array(${parent}."id")`);
    }
  };
  const page = jsonObject(parts.map((part) => [part.name, member(part)]));
  // If none of the other parts is selected, no row needs to be read.
  const isRead = parts.some(({ kind }) => kind !== "type name" && kind !== "total count");
  if (!isRead) return Prisma.sql`SELECT ${page}`;
  const besides = records.length > 0 ? Prisma.join(records, "") : Prisma.empty;
  return Prisma.sql`SELECT ${page} FROM (${items}) AS ${writer.level}${besides}`;
}

/** Replaces a value that its type does not allow. Nothing else in an answer contains a tab. */
export const notWritten = "\t";
const notWrittenNull = Prisma.sql`E'\\tnull'::json`;

/** The JSON of a column, if its values are what its type allows. */
const checked: Record<StoredValues, (column: Prisma.Sql) => Prisma.Sql> = {
  any: (column) => column,
  // In the format of `Date.prototype.toISOString`. Sessions are in UTC.
  dates: (
    column,
  ) => Prisma.sql`CASE WHEN ${column} BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999Z'
    THEN to_json(to_char(${column}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) WHEN ${column} IS NOT NULL THEN ${notWrittenNull} END`,
  lists: (column) => Prisma.sql`CASE WHEN array_ndims(${column}) > 1 THEN ${notWrittenNull}
    WHEN array_position(${column}, NULL) IS NULL THEN to_json(${column}) ELSE ${notWrittenNull} END`,
  objects: (column) =>
    Prisma.sql`CASE WHEN jsonb_typeof(${column}) = 'object' THEN to_json(${column}) ELSE ${notWrittenNull} END`,
  "objects or null": (column) =>
    Prisma.sql`CASE WHEN jsonb_typeof(${column}) IN ('object', 'null') THEN to_json(${column}) WHEN ${column} IS NOT NULL THEN ${notWrittenNull} END`,
};

/** Leaves a gap: an object whose only member is the index of the gap, with the values that filling it needs. */
const gap = (index: number, content: Prisma.Sql) =>
  Prisma.sql`json_build_object(${Prisma.raw(`'${index}'`)}, ${content})`;

/**
 * The beginning of a gap. Nothing else in an answer matches, whatever the database stores: only `json_build_object`
 * writes a space before a colon, the names of a page are not numbers, and a quote inside a text follows a backslash.
 */
export const startOfGap = /\{"(\d+)" : /g;

const jsonObject = (members: readonly (readonly [string, Prisma.Sql])[]) =>
  Prisma.sql`json_build_object(${Prisma.join(members.map(([name, value]) => Prisma.sql`${Prisma.raw(`'${name}'`)}, ${value}`))})`;
