import { readFileSync } from "node:fs";
import type { Request } from "express";
import { pageHeader } from "./header.js";
import type { PageSettings } from "./settings.js";

const settingsPlaceholder = "<!--settings-->";
const headerPlaceholder = "<!--header-->";

/** Makes the settings of a page for a request. */
export type SettingsForRequest = (request: Request) => Promise<PageSettings>;

/** A page: its parts before and after the settings. */
export class Page {
  readonly #parts: [string, string];

  /** The text has the placeholder for the settings once. */
  constructor(text: string) {
    const [start, end] = text.split(settingsPlaceholder);
    if (start === undefined || end === undefined) throw new Error("The page has no placeholder for settings");
    this.#parts = [start, end];
  }

  /** Reads a page from the build; throws if the build has not made it. */
  static read(path: string, name: "console" | "playground"): Page {
    try {
      const text = readFileSync(path, "utf8");
      return new Page(text.replace(headerPlaceholder, () => pageHeader(name).toString()));
    } catch (error) {
      throw new Error(`The page ${path} is missing or damaged; run \`npm run build\``, { cause: error });
    }
  }

  /** The page with settings, which its script reads from the element with the id `settings`. */
  withSettings(settings: PageSettings): string {
    // An unescaped "<" could close the script element.
    const json = JSON.stringify(settings).replaceAll("<", "\\u003c");
    return `${this.#parts[0]}<script type="application/json" id="settings">${json}</script>${this.#parts[1]}`;
  }
}

/** Where the scripts of a page may connect to: its host, also by WebSocket, and the provider that renews sessions. */
export function connectSources(host: string | undefined, { identityProvider }: PageSettings): string {
  // Not all browsers match WebSockets on the same host with 'self'. The host comes from a client-supplied header, so it
  // is ignored unless it looks like a host name.
  const sockets = host && /^[\w.:[\]-]+$/.test(host) ? [`ws://${host}`, `wss://${host}`] : [];
  const issuer = identityProvider ? [new URL(identityProvider.issuer).origin] : [];
  return ["'self'", ...sockets, ...issuer].join(" ");
}
