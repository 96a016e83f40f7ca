import { loadReferenced } from "./load-referenced.js";
import type { ReadingContext } from "./loader.js";
import { columnsOnly, type RelationLoader } from "./selection.js";

/**
 * The value of a computed column. A row that a write returned lacks it, so it is read
 * then.
 */
export function computedColumn<Row extends { id: string }, Column extends keyof Row & string>(
  context: ReadingContext,
  rowById: RelationLoader<Row | null, void>,
  row: Row,
  column: Column,
): NonNullable<Row[Column]> | Promise<NonNullable<Row[Column]>> {
  return (
    row[column] ??
    loadReferenced(context, rowById, columnsOnly(["id", column]), row.id).then(
      (read) => read[column] as NonNullable<Row[Column]>,
    )
  );
}
