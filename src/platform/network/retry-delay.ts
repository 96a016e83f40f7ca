/** The growth of the delay between retries. */
export interface Backoff {
  firstMs: number;
  maxMs: number;
  /**
   * The range of the random factor that each delay is multiplied by, up to the maximum, so that what failed
   * together is not retried together.
   */
  jitter?: { from: number; to: number };
}

/** The delay in milliseconds after n failures in a row. Each failure doubles it. */
export function retryDelay(failures: number, { firstMs, maxMs, jitter }: Backoff): number {
  const delay = Math.min(firstMs * 2 ** (failures - 1), maxMs);
  if (!jitter) return delay;
  return Math.min(delay * (jitter.from + (jitter.to - jitter.from) * Math.random()), maxMs);
}
