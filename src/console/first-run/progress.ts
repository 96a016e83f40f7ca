import { useSyncExternalStore } from "react";
import { Listeners } from "../listeners.js";
import { localTexts } from "../storage.js";

const storageKey = "console.first-run";
const listeners = new Listeners();

function change(run: () => void) {
  run();
  listeners.notify();
}

/** Shows the steps until the reader leaves them, also after the first facility. */
export const beginFirstRun = (): void => change(() => localTexts.setItem(storageKey, "begun"));

/** No longer shows the steps in this browser. */
export const leaveFirstRun = (): void => change(() => localTexts.removeItem(storageKey));

/** Whether the reader has begun to set up an empty workspace in this browser. */
export const useIsFirstRun = (): boolean =>
  useSyncExternalStore(listeners.add, () => localTexts.getItem(storageKey) !== null);
