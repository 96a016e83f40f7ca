import { isRecord } from "../platform/record.js";
/**
 * Texts that the browser keeps for a page. If the browser refuses, the page itself keeps them until it is loaded again.
 * With cookies blocked, even naming a storage throws; a full storage refuses writes, and a damaged one also reads.
 */
export class PageStorage {
  readonly #open: () => Storage;
  readonly #namespace: string;
  /** Texts that the browser refused to store, and null for those that it refused to remove. */
  readonly #ownTexts = new Map<string, string | null>();

  /** All keys in the browser's storage begin with the namespace. */
  constructor(open: () => Storage, namespace: string) {
    this.#open = open;
    this.#namespace = namespace;
  }

  get length(): number {
    return this.#keys().length;
  }

  getItem(key: string): string | null {
    const own = this.#ownTexts.get(key);
    if (own !== undefined) return own;
    return this.#attempt((storage) => storage.getItem(key)) ?? null;
  }

  /** A kept value as JSON; undefined if there is none or it cannot be parsed. */
  getJson(key: string): unknown {
    try {
      return JSON.parse(this.getItem(key) ?? "");
    } catch {
      return undefined;
    }
  }

  /** Keeps a text. Returns whether the browser stores it. */
  setItem(key: string, text: string): boolean {
    const isStored = this.#attempt((storage) => {
      storage.setItem(key, text);
      return storage.getItem(key) === text;
    });
    if (isStored) this.#ownTexts.delete(key);
    else {
      // The earlier text must not come back when the page is loaded again.
      this.removeItem(key);
      this.#ownTexts.set(key, text);
    }
    return isStored === true;
  }

  removeItem(key: string): void {
    const isGone = this.#attempt((storage) => {
      storage.removeItem(key);
      return true;
    });
    if (isGone) this.#ownTexts.delete(key);
    else this.#ownTexts.set(key, null);
  }

  clear(): void {
    for (const key of this.#keys()) this.removeItem(key);
  }

  #keys() {
    const stored = this.#attempt((storage) => Object.keys(storage)) ?? [];
    const keys = new Set([...stored, ...this.#ownTexts.keys()]);
    return [...keys].filter((key) => key.startsWith(this.#namespace) && this.getItem(key) !== null);
  }

  /** The browser's answer; undefined if the browser refuses in any way. */
  #attempt<Answer>(ask: (storage: Storage) => Answer) {
    try {
      return ask(this.#open());
    } catch {
      return undefined;
    }
  }
}

/** Whether a kept value is an object with these texts: other versions, extensions and people may have written it. */
export const hasTexts = <Name extends string>(
  value: unknown,
  names: readonly Name[],
): value is Record<Name, string> => isRecord(value) && names.every((name) => typeof value[name] === "string");

/** Texts for all tabs, also after they are closed. */
export const localTexts = new PageStorage(() => localStorage, "console.");

/** Texts for this tab only: closing the tab removes them. */
export const sessionTexts = new PageStorage(() => sessionStorage, "console.");
