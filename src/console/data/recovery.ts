import { type Backoff, retryDelay } from "../../platform/network/retry-delay.js";

const backoff: Backoff = { firstMs: 500, maxMs: 10_000, jitter: { from: 0.7, to: 1 } };
const waiting = new Set<() => void>();
let attempts = 0;
let timer: ReturnType<typeof setTimeout> | undefined;

/** The pause before another attempt, in milliseconds. The first is attempt 0. */
export const pauseBefore = (attempt: number): number => retryDelay(attempt + 1, backoff);

/**
 * Makes another attempt to reach the gateway: after a pause, or as soon as it may succeed. The returned
 * function cancels the attempt.
 */
export function tryAgainLater(attempt: () => void): () => void {
  waiting.add(attempt);
  timer ??= setTimeout(tryAgainNow, pauseBefore(attempts));
  return () => {
    waiting.delete(attempt);
  };
}

/** Makes all waiting attempts now. */
export function tryAgainNow(): void {
  clearTimeout(timer);
  timer = undefined;
  attempts += 1;
  const due = [...waiting];
  waiting.clear();
  for (const attempt of due) attempt();
}

/** Records an answer of the gateway. After the next failure, pauses are short again. */
export function answered(): void {
  attempts = 0;
}

window.addEventListener("online", tryAgainNow);
