/** The maximum pause before another attempt, in milliseconds. */
const longestPause = 10_000;

const waiting = new Set<() => void>();
let attempts = 0;
let timer: ReturnType<typeof setTimeout> | undefined;

/** The pause before another attempt, in milliseconds; random, so that not all readers try at the same time. */
export const pauseBefore = (attempt: number): number =>
  Math.min(500 * 2 ** attempt, longestPause) * (0.7 + 0.3 * Math.random());

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
