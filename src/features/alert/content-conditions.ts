import { Prisma } from "../../generated/prisma/client.js";
import type { AlertFilter } from "./alert.input.js";

// The database looks at each alert that matches the other conditions, so that these need no index that each alert would
// have to be entered in.

type Columns = readonly Prisma.Sql[];
type Value<Field extends keyof AlertFilter> = NonNullable<AlertFilter[Field]>;

/** The elements of a list in a JSON column, whatever the detector sent. */
const elementsOf = (list: Prisma.Sql) =>
  Prisma.sql`jsonb_array_elements(CASE WHEN jsonb_typeof(${list}) = 'array' THEN ${list} ELSE '[]' END)`;

const objectsIn = (info: Prisma.Sql) => elementsOf(Prisma.sql`(${info} -> 'objects')`);

/** The label of an object, which detectors also send alone. */
const label = Prisma.sql`(CASE jsonb_typeof(object) WHEN 'object' THEN object ->> 'label' WHEN 'string' THEN object #>> '{}' END)`;

export const hasObject = (info: Prisma.Sql, labels: Value<"objectLabels">) =>
  Prisma.sql`EXISTS (SELECT FROM ${objectsIn(info)} AS object WHERE upper(${label}) = ANY(${labels.map((each) => each.toUpperCase())}::text[]))`;

export function hasAttributes(info: Prisma.Sql, attributes: Value<"objectAttributes">) {
  const has = ({ name, value }: (typeof attributes)[number]) =>
    Prisma.sql`object -> 'attributes' ->> ${name}::text = ${value}::text`;
  const all = Prisma.join([Prisma.sql`TRUE`, ...attributes.map(has)], " AND ");
  return attributes.length === 0
    ? Prisma.sql`FALSE`
    : Prisma.sql`EXISTS (SELECT FROM ${objectsIn(info)} AS object WHERE ${all})`;
}

/** Whether the type, the rule's own name, a label or a comment has a text. Types are compared as codes and as words. */
export function hasText(
  [workspaceId, id, name, alertRuleName, info]: Columns,
  text: Value<"text">,
): Prisma.Sql {
  const inText = (within: Prisma.Sql) => Prisma.sql`strpos(lower(${within}), lower(${text}::text)) > 0`;
  return Prisma.sql`(${inText(Prisma.sql`concat_ws(chr(10), ${name}, replace(${name}, '_', ' '), ${alertRuleName})`)}
    OR EXISTS (SELECT FROM ${objectsIn(info ?? Prisma.empty)} AS object WHERE ${inText(label)})
    OR EXISTS (SELECT FROM "AlertComment" AS comment WHERE comment."workspaceId" = ${workspaceId} AND comment."alertId" = ${id}
      AND ${inText(Prisma.sql`comment."text"`)}))`;
}

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
