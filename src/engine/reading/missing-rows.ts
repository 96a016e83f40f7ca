import type { VisibleSources } from "./visibility.js";

type Source = keyof VisibleSources;

/**
 * Rows that were deleted between the statement that read a reference to them and the one that looked them up. The
 * operation runs again without such references: see `RequestContext.again`.
 */
export class MissingRows {
  readonly #ids: Map<Source, Set<string>>;
  #hasNew = false;

  constructor(known?: MissingRows) {
    this.#ids = new Map(known ? [...known.#ids].map(([source, ids]) => [source, new Set(ids)]) : []);
  }

  /** Whether rows are missing that were not known to be missing before. */
  get hasNew(): boolean {
    return this.#hasNew;
  }

  add(source: Source, id: string): void {
    const ids = this.#ids.get(source) ?? new Set();
    this.#ids.set(source, ids);
    this.#hasNew ||= !ids.has(id);
    ids.add(id);
  }

  idsOf(source: Source): string[] {
    return [...(this.#ids.get(source) ?? [])];
  }
}
