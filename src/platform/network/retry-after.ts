const maxRetryAfterMs = 3_600_000;

/** The date formats of RFC 9110: the current one, that of RFC 850, and that of `asctime`, which implies GMT. */
const datesInGmt =
  /^(?:[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4}|[A-Z][a-z]{5,8}, \d{2}-[A-Z][a-z]{2}-\d{2}) \d{2}:\d{2}:\d{2} GMT$/;
const asctime = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/;

/**
 * The delay before the next request that a response asks for, at most an hour; undefined if the response names none.
 */
export function retryAfterMs(headers: Headers, now: Date): number | undefined {
  const value = headers.get("retry-after")?.trim() ?? "";
  const delay = /^\d+$/.test(value) ? Number(value) * 1000 : timeOf(value) - now.getTime();
  return Number.isNaN(delay) ? undefined : Math.min(Math.max(delay, 0), maxRetryAfterMs);
}

/** JavaScript would parse some texts that are not dates, such as -5. */
function timeOf(text: string): number {
  if (datesInGmt.test(text)) return Date.parse(text);
  return asctime.test(text) ? Date.parse(`${text} GMT`) : Number.NaN;
}
