import { useSyncExternalStore } from "react";
import { Listeners } from "../listeners.js";
import { localTexts } from "../storage.js";

const storageKey = "console.first-run";
const left = "left";
const listeners = new Listeners();

/** No longer shows the steps in this browser. */
export function leaveFirstRun(): void {
  localTexts.setItem(storageKey, left);
  listeners.notify();
}

/** Whether the reader has left the steps in this browser, or none was left to take. */
export const useHasLeftFirstRun = (): boolean =>
  useSyncExternalStore(listeners.add, () => localTexts.getItem(storageKey) === left);
