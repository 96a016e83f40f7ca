import type { ReadingContext } from "./loader.js";
import type { Relation } from "./relation.js";
import { nestedColumn, type RelatedRow, type RelatedRows } from "./relation-statement.js";
import type { Selection } from "./selection.js";

/** Completes rows that came as JSON: dates are made of their texts, and rows of nested relations put into the loaders of these. */
export function receiveRows<Args>(context: ReadingContext, { entityType }: Relation<Args>, selection: Selection, related: RelatedRows): void {
  if (related === null) return;
  const rows = Array.isArray(related) ? related : [related];
  parseDates(
    rows,
    selection.columns.filter((column) => entityType.columns.get(column) === "date"),
  );
  for (const [index, child] of selection.children.entries()) {
    const loader = child.loader(context, child.selection, child.args);
    for (const row of rows) {
      const nested = row[nestedColumn(index)] as RelatedRows;
      receiveRows(context, child.loader.relation, child.selection, nested);
      loader.prime(row.id, nested);
    }
  }
}

function parseDates(rows: readonly RelatedRow[], columns: readonly string[]): void {
  if (columns.length === 0) return;
  for (const row of rows) {
    for (const column of columns) if (row[column] !== null) row[column] = new Date(row[column] as string);
  }
}
