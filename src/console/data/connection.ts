import { useSyncExternalStore } from "react";

/** Whether events arrive: `back` is shown for a while after the connection was lost. */
export type ConnectionState = "connected" | "lost" | "back";

/**
 * A connection that is replaced within this time in milliseconds was not lost for the
 * reader.
 */
const unnoticed = 1_000;
const shownBack = 4_000;

const listeners = new Set<() => void>();
let state: ConnectionState = "connected";
let reconnections = 0;
let timer: ReturnType<typeof setTimeout> | undefined;

function change(next: ConnectionState): void {
  clearTimeout(timer);
  timer = undefined;
  if (state === next) return;
  state = next;
  for (const listener of listeners) listener();
}

/** Says that the connection has been lost. */
export function connectionLost(): void {
  if (state === "lost" || timer !== undefined) return;
  timer = setTimeout(() => change("lost"), unnoticed);
}

/** Says that there is a connection. */
export function connected(): void {
  if (state !== "lost") {
    change("connected");
    return;
  }
  change("back");
  timer = setTimeout(() => change("connected"), shownBack);
}

/** Says that there is a connection again, however short the time without one was. */
export function reconnected(): void {
  reconnections += 1;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Whether events arrive. */
export function useConnection(): ConnectionState {
  return useSyncExternalStore(subscribe, () => state);
}

/** How often there was a connection again: events before that may be missing. */
export function useReconnections(): number {
  return useSyncExternalStore(subscribe, () => reconnections);
}
