import { useSyncExternalStore } from "react";
import { Listeners } from "../listeners.js";

/** Whether events arrive. After a lost connection, `back` is shown for a while. */
type ConnectionState = "connected" | "lost" | "back";

/** The time in milliseconds within which a new connection replaces a lost one without the reader noticing. */
const unnoticed = 1_000;
const shownBack = 4_000;

const listeners = new Listeners();
let state: ConnectionState = "connected";
let reconnections = 0;
let timer: ReturnType<typeof setTimeout> | undefined;

function change(next: ConnectionState) {
  clearTimeout(timer);
  timer = undefined;
  if (state === next) return;
  state = next;
  listeners.notify();
}

export function connectionLost(): void {
  if (state === "lost" || timer !== undefined) return;
  timer = setTimeout(() => change("lost"), unnoticed);
}

export function connected(): void {
  if (state !== "lost") {
    change("connected");
    return;
  }
  change("back");
  timer = setTimeout(() => change("connected"), shownBack);
}

/** Records that there is a connection again, even after a very short loss. */
export function reconnected(): void {
  reconnections += 1;
  listeners.notify();
}

/** Whether the gateway is known to be out of reach. */
export const isOffline = (): boolean => state === "lost" || !navigator.onLine;

export function useConnection(): ConnectionState {
  return useSyncExternalStore(listeners.add, () => state);
}

/** The number of reconnections. Events before the last one may be missing. */
export function useReconnections(): number {
  return useSyncExternalStore(listeners.add, () => reconnections);
}
