import { parseInSlices } from "../../platform/json/sliced-json.js";
import { countValues, type ValueCounting } from "../../platform/json/value-count.js";
import { type SlicedWork, unitsPerSlice } from "../../platform/queues/slices.js";
import type { ReadingContext } from "./loader.js";
import { columnsRead, nestedColumn, type RelatedRow, type RelatedRows } from "./relation-statement.js";
import type { Relation, Selection } from "./selection/selection.js";
import type { JsonPerParent } from "./visibility.js";

/** The number of list items in a row that take as much work as a row. */
const itemsPerUnit = 64;
/** The same for the values in an object that is stored as JSON. */
const objects: ValueCounting = { maximum: unitsPerSlice * itemsPerUnit, charactersPerValue: 64 };

/** The work of answering with a row: 1, and more for lists and objects in it, such as the points of an area. */
export function unitsOfRow(row: object): number {
  let units = 1;
  // Object.values would allocate a list for each row.
  for (const name in row) {
    const value: unknown = row[name as keyof typeof row];
    if (Array.isArray(value)) units += value.length / itemsPerUnit;
    else if (typeof value === "object" && value !== null && !(value instanceof Date))
      units += Math.min(countValues(value, objects), objects.maximum) / itemsPerUnit;
  }
  return units;
}

const rowsPerSlice = 1_000;

/** Receives the rows of many parents, each as JSON, in slices. */
export function* receiveResults<Args>(
  context: ReadingContext,
  relation: Relation<Args>,
  selection: Selection,
  results: JsonPerParent["results"],
): SlicedWork<Map<string, RelatedRows>> {
  const related = new Map<string, RelatedRows>();
  const receiver = new RowReceiver(context);
  for (const [parentId, json] of results) {
    const rows = json === null ? null : ((yield* parseInSlices(json)) as RelatedRows);
    yield* receiver.receive(relation, selection, rows);
    related.set(parentId, rows);
  }
  return related;
}

/**
 * Completes rows that came as JSON: turns texts into dates, and puts the rows of nested relations into their loaders.
 */
class RowReceiver {
  readonly #context: ReadingContext;
  #rowsInSlice = 0;

  constructor(context: ReadingContext) {
    this.#context = context;
  }

  *receive<Args>(relation: Relation<Args>, selection: Selection, related: RelatedRows): SlicedWork<void> {
    if (related === null) return;
    const rows = Array.isArray(related) ? related : [related];
    // Add one for the loader that receives these rows.
    this.#rowsInSlice += rows.length + 1;
    if (this.#rowsInSlice > rowsPerSlice) {
      this.#rowsInSlice = 0;
      yield unitsPerSlice;
    }
    parseDates(
      rows,
      columnsRead(relation, selection).filter((column) => relation.entityType.columns.get(column) === "date"),
    );
    for (const [index, child] of selection.children.entries()) {
      const loader = child.loader(this.#context, child.selection, child.args);
      for (const row of rows) {
        const nested = row[nestedColumn(index)] as RelatedRows;
        yield* this.receive(child.loader.relation, child.selection, nested);
        loader.prime(row.id, nested);
      }
    }
  }
}

function parseDates(rows: readonly RelatedRow[], columns: readonly string[]): void {
  if (columns.length === 0) return;
  for (const row of rows) {
    for (const column of columns) if (row[column] !== null) row[column] = new Date(row[column] as string);
  }
}
