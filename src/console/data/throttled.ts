import { useEffect, useEffectEvent, useMemo, useRef } from "react";

/** Runs a function again and again, an interval after the last time. */
export function useInterval(run: () => void, interval: number): void {
  const onTime = useEffectEvent(run);
  useEffect(() => {
    const timer = setInterval(() => onTime(), interval);
    return () => clearInterval(timer);
  }, [interval]);
}

/** Runs a function at most once per interval, and once after the last request. */
export function useThrottled(run: () => void, interval: number): () => void {
  const latest = useRef(run);
  latest.current = run;
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  // Use the monotonic clock: the time of day may be set back.
  const lastRun = useRef(Number.NEGATIVE_INFINITY);
  useEffect(() => () => clearTimeout(timer.current), []);
  return useMemo(
    () => () => {
      if (timer.current !== undefined) return;
      timer.current = setTimeout(
        () => {
          timer.current = undefined;
          lastRun.current = performance.now();
          latest.current();
        },
        Math.max(0, lastRun.current + interval - performance.now()),
      );
    },
    [interval],
  );
}
