/** A server keeps prepared statements for the lifetime of the connection, so that their number has to be limited. */
const maxNames = 400;
const maxCandidates = 4_000;
const minUses = 3;

/**
 * Names for statements that are run repeatedly, so that the server parses and plans them once per connection. Rare statements
 * get none, because clients can cause any number of different ones.
 */
export class StatementNames {
  readonly #names = new Map<string, string>();
  readonly #seen = new Map<string, number>();

  /** The name to prepare a statement under; undefined for one that was not run often enough, or if there are too many names. */
  of(text: string): string | undefined {
    const name = this.#names.get(text);
    if (name || this.#names.size >= maxNames) return name;
    const seen = (this.#seen.get(text) ?? 0) + 1;
    if (seen < minUses) {
      if (this.#seen.size >= maxCandidates) this.#seen.clear();
      this.#seen.set(text, seen);
      return undefined;
    }
    this.#seen.delete(text);
    const newName = `gateway_${this.#names.size}`;
    this.#names.set(text, newName);
    return newName;
  }
}
