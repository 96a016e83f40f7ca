/** How long to wait at most before another attempt, in milliseconds. */
const longestPause = 10_000;

const waiting = new Set<() => void>();
let attempts = 0;
let timer: ReturnType<typeof setTimeout> | undefined;

/**
 * How long to wait before the next of several attempts, in milliseconds; not all readers
 * at the same time.
 */
export const pauseBefore = (attempt: number): number =>
  Math.min(500 * 2 ** attempt, longestPause) * (0.7 + 0.3 * Math.random());

/**
 * Has something that could not reach the gateway tried once more: after a pause, or as
 * soon as it may work again. What it returns prevents that.
 */
export function tryAgainLater(attempt: () => void): () => void {
  waiting.add(attempt);
  timer ??= setTimeout(tryAgainNow, pauseBefore(attempts));
  return () => {
    waiting.delete(attempt);
  };
}

/** Has everything tried again that waits for it. */
export function tryAgainNow(): void {
  clearTimeout(timer);
  timer = undefined;
  attempts += 1;
  const due = [...waiting];
  waiting.clear();
  for (const attempt of due) attempt();
}

/** Says that the gateway has answered: after the next failure the pauses begin anew. */
export function answered(): void {
  attempts = 0;
}

window.addEventListener("online", tryAgainNow);
