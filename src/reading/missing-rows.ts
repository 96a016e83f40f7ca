import type { VisibleSources } from "./visibility.js";

type Source = keyof VisibleSources;

/**
 * The rows to which others referred, and which were not there when they were looked up,
 * as they had been deleted between two statements. The operation runs again without what
 * refers to them; see `RequestContext.again`.
 */
export class MissingRows {
  readonly #ids: Map<Source, Set<string>>;
  #hasNew = false;

  constructor(known?: MissingRows) {
    this.#ids = new Map(known ? [...known.#ids].map(([source, ids]) => [source, new Set(ids)]) : []);
  }

  /** Whether there are others than those that were known before. */
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
