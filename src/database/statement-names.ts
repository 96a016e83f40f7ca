import { createHash } from "node:crypto";

// A server keeps prepared statements, with their plans, for the lifetime of each
// connection, so that their number and size have to be limited: clients determine what
// statements are made of. PostgreSQL takes some 400 bytes per character of a text.
const maxNames = 400;
const maxTextLength = 8_192;
const maxTotalLength = 256 * 1024;
const maxCandidates = 4_000;
const minUses = 3;

/**
 * The name of a prepared statement, the same on every instance: where instances share
 * server connections, equal names must mean equal statements. The text determines all
 * that the server plans, because parameters are sent without types, and what else matters
 * (database, role, `search_path`) is the same on a connection or makes the server plan
 * anew.
 */
export const statementName = (text: string): string =>
  `gateway_${createHash("sha256").update(text).digest("base64url")}`;

/**
 * Names for statements that are run repeatedly, so that the server parses and plans them
 * once per connection. Rare and long statements get none, because clients can cause any
 * number of different ones.
 */
export class StatementNames {
  readonly #names = new Map<string, string>();
  #totalLength = 0;
  /** How often statements without a name were run, by the name they would get. */
  readonly #seen = new Map<string, number>();

  /**
   * The name to prepare a statement under; undefined for one that was not run often
   * enough or is too long, or if there are too many.
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
