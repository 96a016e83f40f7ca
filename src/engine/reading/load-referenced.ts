import { notFound } from "../../platform/errors/errors.js";
import type { ReadingContext } from "./loader.js";
import type { RelationLoader, Selection } from "./selection/selection.js";

/** Loads the row that another one refers to. NOT_FOUND if it was deleted meanwhile: the operation runs again. */
export async function loadReferenced<Row>(
  context: ReadingContext,
  loader: RelationLoader<Row | null, void>,
  selection: Selection,
  id: string,
): Promise<Row> {
  const row = await loader(context, selection).load(id);
  if (row !== null) return row;
  context.missing.add(loader.relation.entityType.source, id);
  throw notFound();
}
