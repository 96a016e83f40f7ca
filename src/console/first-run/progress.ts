import { useSyncExternalStore } from "react";
import { localTexts } from "../storage.js";

const storageKey = "console.first-run";
const listeners = new Set<() => void>();

function change(run: () => void): void {
  run();
  for (const listener of listeners) listener();
}

/** Shows the steps until the reader leaves them, also after the first facility. */
export const beginFirstRun = (): void => change(() => localTexts.setItem(storageKey, "begun"));

/** No longer shows the steps in this browser. */
export const leaveFirstRun = (): void => change(() => localTexts.removeItem(storageKey));

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Whether the reader has begun to set up an empty workspace in this browser. */
export const useIsFirstRun = (): boolean =>
  useSyncExternalStore(subscribe, () => localTexts.getItem(storageKey) !== null);
