/** The growth of the delay between retries. */
export interface Backoff {
  firstMs: number;
  maxMs: number;
  /** Shortens each delay at random by up to half, so that clients that failed together do not retry together. */
  jitter?: boolean;
}

/** The delay in milliseconds after n failures in a row. Each failure doubles it. */
export function retryDelay(failures: number, { firstMs, maxMs, jitter = false }: Backoff): number {
  const delay = Math.min(firstMs * 2 ** (failures - 1), maxMs);
  return jitter ? delay * (0.5 + Math.random() / 2) : delay;
}
