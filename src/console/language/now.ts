import { useSyncExternalStore } from "react";

const interval = 15_000;
let now = new Date();

function subscribe(onChange: () => void): () => void {
  const tick = () => {
    now = new Date();
    onChange();
  };
  const timer = setInterval(tick, interval);
  // A hidden page's timers sleep.
  document.addEventListener("visibilitychange", tick);
  return () => {
    clearInterval(timer);
    document.removeEventListener("visibilitychange", tick);
  };
}

/** The time, a quarter of a minute old at most. */
export function useNow(): Date {
  return useSyncExternalStore(subscribe, () => now);
}
