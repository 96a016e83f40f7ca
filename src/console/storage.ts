/**
 * What the browser keeps for a page, or the page itself where the browser does not: with
 * cookies blocked even naming a storage throws, a full one refuses what is written, and a
 * damaged one also what is read. What the page keeps is gone when it is loaded again.
 */
export class PageStorage {
  readonly #open: () => Storage;
  readonly #namespace: string;
  /** What the browser would not take, and null for what it would not give up. */
  readonly #ownTexts = new Map<string, string | null>();

  /** The keys of what is kept begin with the namespace. */
  constructor(open: () => Storage, namespace: string) {
    this.#open = open;
    this.#namespace = namespace;
  }

  /** How many texts are kept. */
  get length(): number {
    return this.#keys().length;
  }

  /** A text that is kept, or null. */
  getItem(key: string): string | null {
    const own = this.#ownTexts.get(key);
    if (own !== undefined) return own;
    return this.#attempt((storage) => storage.getItem(key)) ?? null;
  }

  /** What is kept as JSON; undefined if there is nothing, or nothing that can be read. */
  getJson(key: string): unknown {
    try {
      return JSON.parse(this.getItem(key) ?? "");
    } catch {
      return undefined;
    }
  }

  /** Keeps a text, and says whether the browser does. */
  setItem(key: string, text: string): boolean {
    const isStored = this.#attempt((storage) => {
      storage.setItem(key, text);
      return storage.getItem(key) === text;
    });
    if (isStored) this.#ownTexts.delete(key);
    else {
      // What was there before must not come back when the page is loaded again.
      this.removeItem(key);
      this.#ownTexts.set(key, text);
    }
    return isStored === true;
  }

  /** Keeps a text no longer. */
  removeItem(key: string): void {
    const isGone = this.#attempt((storage) => {
      storage.removeItem(key);
      return true;
    });
    if (isGone) this.#ownTexts.delete(key);
    else this.#ownTexts.set(key, null);
  }

  /** Keeps nothing any longer. */
  clear(): void {
    for (const key of this.#keys()) this.removeItem(key);
  }

  #keys(): string[] {
    const stored = this.#attempt((storage) => Object.keys(storage)) ?? [];
    const keys = new Set([...stored, ...this.#ownTexts.keys()]);
    return [...keys].filter((key) => key.startsWith(this.#namespace) && this.getItem(key) !== null);
  }

  /** What the browser answers; undefined if it refuses, in whatever way. */
  #attempt<Answer>(ask: (storage: Storage) => Answer): Answer | undefined {
    try {
      return ask(this.#open());
    } catch {
      return undefined;
    }
  }
}

/**
 * Whether what was kept is an object with these texts. Anything may be there: other
 * versions, extensions and people write it too.
 */
export const hasTexts = <Name extends string>(
  value: unknown,
  names: readonly Name[],
): value is Record<Name, string> =>
  typeof value === "object" &&
  value !== null &&
  names.every((name) => typeof (value as Record<string, unknown>)[name] === "string");

/** What the console keeps for all tabs, also after they are closed. */
export const localTexts = new PageStorage(() => localStorage, "console.");

/** What the console keeps for this tab alone, gone with it. */
export const sessionTexts = new PageStorage(() => sessionStorage, "console.");
