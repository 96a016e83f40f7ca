import { Prisma } from "../../generated/prisma/client.js";
import type { AlertFilter } from "./alert.input.js";
import { typeTexts } from "./type-texts.js";

// The database looks at each alert that matches the other conditions, so that these need no index that each alert would
// have to be entered in. Labels have one: a rare object is found among 500,000 alerts in 13 ms instead of 3.5 s.

type Columns = readonly Prisma.Sql[];
type Value<Field extends keyof AlertFilter> = NonNullable<AlertFilter[Field]>;

/** The elements of a list in a JSON column, whatever the detector sent. */
const elementsOf = (list: Prisma.Sql) =>
  Prisma.sql`jsonb_array_elements(CASE WHEN jsonb_typeof(${list}) = 'array' THEN ${list} ELSE '[]' END)`;

const objectsIn = (info: Prisma.Sql) => elementsOf(Prisma.sql`(${info} -> 'objects')`);

/** The label of an object, which detectors also send alone. */
const label = Prisma.sql`(CASE jsonb_typeof(object) WHEN 'object' THEN object ->> 'label' WHEN 'string' THEN object #>> '{}' END)`;

/** The labels, and what is between them, as they are in "Alert_labels_idx". */
const labelsIn = (info: Prisma.Sql) =>
  Prisma.sql`string_to_array(upper((jsonb_path_query_array(${info}, '$.objects[*].label') || jsonb_path_query_array(${info}, '$.objects[*] ? (@.type() == "string")'))::text), '"')`;

export function hasObject(info: Prisma.Sql, labels: Value<"objectLabels">) {
  const wanted = Prisma.sql`${labels.map((each) => each.toUpperCase())}::text[]`;
  const found = Prisma.sql`EXISTS (SELECT FROM ${objectsIn(info)} AS object WHERE upper(${label}) = ANY(${wanted}))`;
  // Other labels have escaped characters in JSON.
  const isIndexed = labels.every((each) => JSON.stringify(each) === `"${each}"`);
  return isIndexed ? Prisma.sql`(${labelsIn(info)} && ${wanted} AND ${found})` : found;
}

export function hasAttributes(info: Prisma.Sql, attributes: Value<"objectAttributes">) {
  const has = ({ name, value }: (typeof attributes)[number]) =>
    Prisma.sql`object -> 'attributes' ->> ${name}::text = ${value}::text`;
  const all = Prisma.join([Prisma.sql`TRUE`, ...attributes.map(has)], " AND ");
  return attributes.length === 0
    ? Prisma.sql`FALSE`
    : Prisma.sql`EXISTS (SELECT FROM ${objectsIn(info)} AS object WHERE ${all})`;
}

/** Whether each word of a text is in the type, in the rule's own name, in a label or in a comment. */
export function hasText(
  [workspaceId, id, name, alertRuleName, info]: Columns,
  text: Value<"text">,
): Prisma.Sql {
  const patterns = text
    .trim()
    .split(/\s+/)
    .map((word) => `%${word.replace(/[\\%_]/g, "\\$&")}%`);
  // The collation of types knows lower case of ASCII alone.
  return Prisma.sql`lower(concat_ws(chr(10), ${typeTexts(name ?? Prisma.empty)}, ${alertRuleName},
    (SELECT string_agg(${label}, chr(10)) FROM ${objectsIn(info ?? Prisma.empty)} AS object),
    (SELECT string_agg(comment."text", chr(10)) FROM "AlertComment" AS comment
      WHERE comment."workspaceId" = ${workspaceId} AND comment."alertId" = ${id})) COLLATE "default")
    LIKE ALL (string_to_array(lower(${patterns.join(" ")}::text), ' '))`;
}

/** Whether there is a clip to play. */
export const hasClip = ([workspaceId, id]: Columns, wanted: boolean): Prisma.Sql =>
  Prisma.sql`${wanted ? Prisma.empty : Prisma.sql`NOT `}EXISTS (SELECT FROM "AlertClip" AS clip
    WHERE clip."workspaceId" = ${workspaceId} AND clip."alertId" = ${id} AND clip."state" = 'READY')`;

/** Whether a point lies in a box of the picture. Points are on the canvas, or on the picture itself. */
export function hasPointIn(
  [points, canvasDimensions, imageDimensions]: Columns,
  { x1, y1, x2, y2 }: Value<"box">,
): Prisma.Sql {
  const isBetween = (axis: "x" | "y", side: "width" | "height", from: number, to: number) => {
    const length = Prisma.sql`(coalesce(${canvasDimensions}, ${imageDimensions}) ->> ${side}::text)::float8`;
    return Prisma.sql`(point ->> ${axis}::text)::float8 BETWEEN ${from}::float8 * ${length} AND ${to}::float8 * ${length}`;
  };
  return Prisma.sql`EXISTS (SELECT FROM ${elementsOf(points ?? Prisma.empty)} AS point
    WHERE ${isBetween("x", "width", x1, x2)} AND ${isBetween("y", "height", y1, y2)})`;
}
