import { readFileSync } from "node:fs";
import { pageHeader } from "./header.js";

const settingsPlaceholder = "<!--settings-->";
const headerPlaceholder = "<!--header-->";

/** A page that the build has made: its parts before and after the settings. */
export class BuiltPage {
  readonly #parts: [string, string];

  /** Reads the page; throws if the build has not made it. */
  constructor(path: string, name: "console" | "playground") {
    let page: string;
    try {
      page = readFileSync(path, "utf8");
    } catch (error) {
      throw new Error(`The page ${path} is missing; run \`npm run build\``, { cause: error });
    }
    const [start, end] = page
      .replace(headerPlaceholder, () => pageHeader(name).toString())
      .split(settingsPlaceholder);
    if (start === undefined || end === undefined)
      throw new Error(`The page ${path} is damaged; run \`npm run build\``);
    this.#parts = [start, end];
  }

  /**
   * The page with settings, which its script reads from the element with the id
   * `settings`.
   */
  withSettings(settings: object): string {
    // An unescaped "<" could close the script element.
    const json = JSON.stringify(settings).replaceAll("<", "\\u003c");
    return `${this.#parts[0]}<script type="application/json" id="settings">${json}</script>${this.#parts[1]}`;
  }
}

/**
 * Where a page's script may connect by WebSocket to the host that it was loaded from;
 * with a leading space, or empty.
 */
export function socketSources(host: string | undefined): string {
  // Not all browsers match WebSockets on the same host with 'self'. The host comes from a
  // client-supplied header, so it is ignored unless it looks like a host name.
  return host && /^[\w.:[\]-]+$/.test(host) ? ` ws://${host} wss://${host}` : "";
}
