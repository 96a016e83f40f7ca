import { useSyncExternalStore } from "react";
import { Listeners } from "../listeners.js";

const prefix = "#sign-in=";
const listeners = new Listeners();
let code = takeCode();

function takeCode() {
  if (!location.hash.startsWith(prefix)) return undefined;
  const taken = location.hash.slice(prefix.length);
  history.replaceState(null, "", location.pathname + location.search);
  return taken;
}

function change(next: string | undefined) {
  code = next;
  listeners.notify();
}

// A link that is opened in a tab of the console does not load the page again.
window.addEventListener("hashchange", () => {
  const taken = takeCode();
  if (taken !== undefined) change(taken);
});

export const forgetLink = (): void => change(undefined);

/** Nothing uses it before the reader asks for that. */
export const useLinkCode = (): string | undefined => useSyncExternalStore(listeners.add, () => code);
