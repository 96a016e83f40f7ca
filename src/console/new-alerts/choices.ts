import { useSyncExternalStore } from "react";
import { Listeners } from "../listeners.js";
import { localTexts } from "../storage.js";

/** How this browser tells of new alerts, beside the number in its tab. */
const waysToTell = ["notification", "sound"] as const;

type WayToTell = (typeof waysToTell)[number];

const storageKey = (way: WayToTell) => `console.newAlerts.${way}`;
const listeners = new Listeners();

/** Whether a way to tell of new alerts was chosen in this browser. */
export const isChosen = (way: WayToTell): boolean => localTexts.getItem(storageKey(way)) !== null;

/** Chooses a way to tell of new alerts, or no longer. All tabs follow. */
export function choose(way: WayToTell, isOn: boolean): void {
  if (isOn) localTexts.setItem(storageKey(way), "on");
  else localTexts.removeItem(storageKey(way));
  listeners.notify();
}

function subscribe(listener: () => void) {
  const remove = listeners.add(listener);
  window.addEventListener("storage", listener);
  return () => {
    remove();
    window.removeEventListener("storage", listener);
  };
}

/** Whether a way to tell of new alerts is chosen. */
export const useIsChosen = (way: WayToTell): boolean => useSyncExternalStore(subscribe, () => isChosen(way));
