import { loadReferenced } from "./load-referenced.js";
import type { ReadingContext } from "./loader.js";
import { columnsOnly, type RelationLoader } from "./selection/selection.js";

/** The value of a computed column. A row that a write returned lacks it, so it is read then. */
export function computedColumn<Row extends { id: string }, Column extends keyof Row & string>(
  context: ReadingContext,
  rowById: RelationLoader<Row | null, void>,
  row: Row,
  column: Column,
): Exclude<Row[Column], undefined> | Promise<Exclude<Row[Column], undefined>> {
  type Value = Exclude<Row[Column], undefined>;
  return row[column] !== undefined
    ? (row[column] as Value)
    : loadReferenced(context, rowById, columnsOnly(["id", column]), row.id).then(
        (read) => read[column] as Value,
      );
}
