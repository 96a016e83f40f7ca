import { createHash } from "node:crypto";

// Limit the number and the size of prepared statements: a server keeps them, with their plans, for each connection,
// with some 400 bytes per character, and clients determine the texts.
const maxNames = 400;
const maxTextLength = 8_192;
const maxTotalLength = 256 * 1024;
const maxCandidates = 4_000;
const minUses = 3;

/**
 * The name of a prepared statement, the same on every instance. Where instances share server connections, equal names
 * must mean equal statements. The text determines the whole plan, because parameters are sent without types. Other
 * factors (database, role, `search_path`) stay the same on a connection, or make the server plan anew.
 */
export const statementName = (text: string): string =>
  `gateway_${createHash("sha256").update(text).digest("base64url")}`;

/**
 * Names for statements that run repeatedly, so that the server parses and plans them once per connection. Rare and long
 * statements get no name, because clients can cause any number of different ones.
 */
export class StatementNames {
  readonly #names = new Map<string, string>();
  #totalLength = 0;
  /** The uses of each statement that has no name yet, by its future name. */
  readonly #seen = new Map<string, number>();

  /**
   * The name for preparing a statement. Undefined if it ran too rarely, is too long, or would exceed the limits of all.
   */
  of(text: string): string | undefined {
    if (text.length > maxTextLength) return undefined;
    const name = this.#names.get(text);
    if (name || this.#names.size >= maxNames || this.#totalLength + text.length > maxTotalLength) return name;
    const newName = statementName(text);
    const seen = (this.#seen.get(newName) ?? 0) + 1;
    if (seen < minUses) {
      if (this.#seen.size >= maxCandidates) this.#seen.clear();
      this.#seen.set(newName, seen);
      return undefined;
    }
    this.#seen.delete(newName);
    this.#names.set(text, newName);
    this.#totalLength += text.length;
    return newName;
  }
}
