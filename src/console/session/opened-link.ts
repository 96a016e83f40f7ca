import { useSyncExternalStore } from "react";
import { Listeners } from "../listeners.js";

const prefix = "#sign-in=";
const listeners = new Listeners();
let code = takeCode();

/** Takes the code of a sign-in link out of the address, which no longer shows it. */
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

/** The code of the sign-in link that was opened in this tab; undefined without one. Used only when the reader asks. */
export const useLinkCode = (): string | undefined => useSyncExternalStore(listeners.add, () => code);
