const maxRetryAfterMs = 3_600_000;

/** How long a response asks to wait before the next request, an hour at most; undefined if it does not say. */
export function retryAfterMs(headers: Headers, now: Date): number | undefined {
  const value = headers.get("retry-after")?.trim() ?? "";
  const delay = /^\d{1,10}$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now.getTime();
  return Number.isNaN(delay) ? undefined : Math.min(Math.max(delay, 0), maxRetryAfterMs);
}
