import { useEffect, useRef } from "react";
import { useMutation } from "urql";
import { MarkSeenDocument } from "../../generated/console.js";
import { serverTime } from "../data/server-time.js";

/** The time after which what is shown counts as seen, in milliseconds. */
const lookedAt = 10_000;

/**
 * Tells the gateway up to when the viewer has seen what happened, once the tab was visible
 * for ten seconds on end. `readAt` is the gateway's time at the latest read of what is
 * shown; undefined until there is any, and for those of whom nothing is kept.
 */
export function useMarkSeen(readAt: number | undefined): void {
  const [, markSeen] = useMutation(MarkSeenDocument);
  const latest = useRef(readAt);
  latest.current = readAt;
  const isShown = readAt !== undefined;
  useEffect(() => {
    if (!isShown) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const begin = () => {
      clearTimeout(timer);
      if (document.visibilityState !== "visible") return;
      const beganAt = serverTime();
      timer = setTimeout(() => {
        // Without a connection, what is shown is older than the look at it.
        const at = new Date(Math.min(beganAt, latest.current ?? beganAt)).toISOString();
        // If it fails, the next visit shows the same again.
        void markSeen({ at });
      }, lookedAt);
    };
    begin();
    document.addEventListener("visibilitychange", begin);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", begin);
    };
  }, [isShown, markSeen]);
}
