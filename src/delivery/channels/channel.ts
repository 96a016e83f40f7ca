/**
 * The outcome of an attempt to send. `retry` is "always" after silence, a temporary error
 * or an error that the operator of the gateway must fix; "few times" if the target
 * refused; "never" if another attempt cannot succeed. `reason` appears in logs and to
 * users. It has at most 200 characters, and never quotes the body of an answer, an
 * address of the gateway or a secret.
 */
export type SendOutcome =
  | { kind: "sent" }
  | { kind: "failed"; reason: string; retry: "always" | "few times" | "never"; retryAfterMs?: number };

/**
 * The code of a system error in parentheses, as the end of a reason; empty if there is no
 * code.
 */
export function inParentheses(code: unknown): string {
  return typeof code === "string" && /^[A-Z0-9_]{1,60}$/.test(code) ? ` (${code})` : "";
}

/** A failed attempt to send. */
export const failed = (
  retry: "always" | "few times" | "never",
  reason: string,
  retryAfterMs?: number,
): SendOutcome => ({ kind: "failed", retry, reason, ...(retryAfterMs !== undefined && { retryAfterMs }) });

/** Statuses below 500 that invite a retry: time-out, too early, too many requests. */
export const temporaryStatuses: readonly number[] = [408, 425, 429];
