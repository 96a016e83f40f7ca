/** A server keeps what it prepared for as long as the connection lives: enough for what a fleet of clients asks, and no more. */
const mostNames = 400;
const mostCandidates = 4_000;
const worthIt = 3;

/**
 * Names of statements that come again and again, so that the server parses and plans them once per connection. A statement
 * that is rare has none, because whoever asks can make any number of them.
 */
export class StatementNames {
  readonly #names = new Map<string, string>();
  readonly #seen = new Map<string, number>();

  /** The name that a statement is to be prepared under; nothing when it is not worth it, or not yet. */
  of(text: string): string | undefined {
    const name = this.#names.get(text);
    if (name || this.#names.size >= mostNames) return name;
    const seen = (this.#seen.get(text) ?? 0) + 1;
    if (seen < worthIt) {
      if (this.#seen.size >= mostCandidates) this.#seen.clear();
      this.#seen.set(text, seen);
      return undefined;
    }
    this.#seen.delete(text);
    const given = `gateway_${this.#names.size}`;
    this.#names.set(text, given);
    return given;
  }
}
