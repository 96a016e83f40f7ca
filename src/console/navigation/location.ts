import {
  type AnchorHTMLAttributes,
  createElement,
  type MouseEvent,
  useEffect,
  useSyncExternalStore,
} from "react";
import { isUuid } from "../../platform/ids/uuid.js";
import { Listeners } from "../listeners.js";

/** Changes of the query: a text sets a parameter, several texts repeat it, and undefined, "" and [] remove it. */
export type QueryChanges = Record<string, string | readonly string[] | undefined>;

const listeners = new Listeners();
let query = readQuery();

/** The query of the address, with ids in lower case: some programs write them in links in upper case. */
function readQuery() {
  const written = [...new URLSearchParams(location.search)];
  return new URLSearchParams(
    written.map(([name, value]) => [name, isUuid(value.toLowerCase()) ? value.toLowerCase() : value]),
  );
}

function readLocation() {
  query = readQuery();
  listeners.notify();
}

/** Whether the reader may leave what is shown. If not yet, `leave` does so later. */
type MayLeave = (leave: () => void) => boolean;
let mayLeave: MayLeave = () => true;

/** Asks before the reader leaves for another state of the console, by a link, a key or the browser's buttons. */
export function useLeaveQuestion(ask: MayLeave | undefined): void {
  useEffect(() => {
    if (!ask) return;
    mayLeave = ask;
    return () => {
      mayLeave = () => true;
    };
  });
}

window.addEventListener("popstate", () => {
  if (mayLeave(() => history.back())) readLocation();
  // The browser has left already. From an entry like the one that was left, one step back leads there again.
  else history.pushState(null, "", pathOf(query));
});

/** Calls a listener after each change of the query, until the returned function is called. */
export const onQueryChange = listeners.add;

/** The state of the console. It is only in the query of the address. */
export function useAddress(): URLSearchParams {
  return useSyncExternalStore(onQueryChange, () => query);
}

/** The current state of the console, for code outside of components. */
export const currentQuery = (): URLSearchParams => query;

function changed(from: URLSearchParams, changes: QueryChanges) {
  const result = new URLSearchParams(from);
  for (const [name, value] of Object.entries(changes)) {
    result.delete(name);
    for (const each of [value ?? []].flat()) if (each !== "") result.append(name, each);
  }
  return result;
}

/** Changes parameters of the query, and keeps the others. `replace` adds no entry to the history. */
export function changeQuery(changes: QueryChanges, { replace = false } = {}): void {
  go(changed(query, changes), replace);
}

/** The address of the console with a query. Omits the current parameters, which may belong to another view. */
export function addressOf(parameters: QueryChanges): string {
  return `/?${changed(new URLSearchParams(), parameters)}`.replace(/\?$/, "");
}

export function navigate(address: string): void {
  go(new URL(address, location.href).searchParams, false);
}

const pathOf = (of: URLSearchParams) => `${location.pathname}${of.size > 0 ? `?${of}` : ""}`;

function go(to: URLSearchParams, replace: boolean) {
  if (to.toString() === query.toString() || !mayLeave(() => go(to, replace))) return;
  const address = pathOf(to);
  if (replace) history.replaceState(null, "", address);
  else history.pushState(null, "", address);
  readLocation();
}

/** Replaces the current query, without keeping it in the history. */
export function replaceQuery(search: string): void {
  go(new URLSearchParams(search), true);
}

type LinkProps = Omit<AnchorHTMLAttributes<HTMLAnchorElement>, "href" | "onClick"> & { to: QueryChanges };

/** A link to a state of the console, which opens without loading the page, unless a modifier such as Ctrl is held. */
export function Link({ to, ...attributes }: LinkProps) {
  const address = addressOf(to);
  const follow = (event: MouseEvent) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    navigate(address);
  };
  return createElement("a", { ...attributes, href: address, onClick: follow });
}
