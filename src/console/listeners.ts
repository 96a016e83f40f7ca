export class Listeners {
  readonly #listeners = new Set<() => void>();

  get isEmpty(): boolean {
    return this.#listeners.size === 0;
  }

  /** Calls a listener after each change, until the returned function is called. */
  readonly add = (listener: () => void) => {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  };

  notify(): void {
    for (const listener of this.#listeners) listener();
  }
}
