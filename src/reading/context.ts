import type { LoaderStore } from "./loader.js";
import type { VisibleRecords } from "./visibility.js";

/** What reading needs of a request: the database as its caller may see it, and the loaders of the request. */
export interface ReadingContext {
  readonly visible: VisibleRecords;
  readonly loaders: LoaderStore;
}
