/** How the delay between retries grows. */
export interface Backoff {
  firstMs: number;
  maxMs: number;
  /**
   * Shortens each delay at random by up to half, so that clients which failed together do
   * not retry together.
   */
  jitter?: boolean;
}

/**
 * Milliseconds to wait after this many failures in a row: the delay doubles with each of
 * them.
 */
export function retryDelay(failures: number, { firstMs, maxMs, jitter = false }: Backoff): number {
  const delay = Math.min(firstMs * 2 ** (failures - 1), maxMs);
  return jitter ? delay * (0.5 + Math.random() / 2) : delay;
}
