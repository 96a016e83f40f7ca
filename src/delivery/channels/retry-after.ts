const maxRetryAfterMs = 3_600_000;

/**
 * The three forms of a date that RFC 9110 has: that of today, that of RFC 850, and that
 * of `asctime`, which does not say that it is in GMT.
 */
const datesInGmt =
  /^(?:[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4}|[A-Z][a-z]{5,8}, \d{2}-[A-Z][a-z]{2}-\d{2}) \d{2}:\d{2}:\d{2} GMT$/;
const asctime = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/;

/**
 * How long a response asks to wait before the next request, an hour at most; undefined if
 * it does not say.
 */
export function retryAfterMs(headers: Headers, now: Date): number | undefined {
  const value = headers.get("retry-after")?.trim() ?? "";
  const delay = /^\d+$/.test(value) ? Number(value) * 1000 : timeOf(value) - now.getTime();
  return Number.isNaN(delay) ? undefined : Math.min(Math.max(delay, 0), maxRetryAfterMs);
}

/** JavaScript itself takes texts for dates that are none, such as -5. */
function timeOf(text: string): number {
  if (datesInGmt.test(text)) return Date.parse(text);
  return asctime.test(text) ? Date.parse(`${text} GMT`) : Number.NaN;
}
