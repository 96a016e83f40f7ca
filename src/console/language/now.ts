import { useSyncExternalStore } from "react";
import { onServerTimeChange, serverTime } from "../data/server-time.js";
import { Listeners } from "../listeners.js";

const interval = 15_000;
const listeners = new Listeners();
let now = new Date(serverTime());
let stop: (() => void) | undefined;

function tick(): void {
  now = new Date(serverTime());
  listeners.notify();
}

/** One timer serves all components that show the time. */
function start(): () => void {
  const timer = setInterval(tick, interval);
  const ignoreServer = onServerTimeChange(tick);
  // Timers of a hidden page sleep.
  document.addEventListener("visibilitychange", tick);
  return () => {
    clearInterval(timer);
    ignoreServer();
    document.removeEventListener("visibilitychange", tick);
  };
}

function subscribe(listener: () => void): () => void {
  const remove = listeners.add(listener);
  stop ??= start();
  return () => {
    remove();
    if (!listeners.isEmpty) return;
    stop?.();
    stop = undefined;
  };
}

/** The gateway's time, at most a quarter of a minute old. */
export function useNow(): Date {
  return useSyncExternalStore(subscribe, () => now);
}

/**
 * The end of the current step of the gateway's time, such as an hour, in milliseconds
 * since 1970. For components that follow the time, but not each tick.
 */
export function useStepOfTime(milliseconds: number): number {
  return useSyncExternalStore(subscribe, () => Math.floor(now.getTime() / milliseconds + 1) * milliseconds);
}
