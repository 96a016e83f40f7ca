/**
 * What became of an attempt to send. `retry` is "always" after no answer, a temporary
 * error or one that the operator of the gateway has to mend; "few times" if the target
 * refused; "never" if another attempt cannot succeed. `reason` is shown to users and in
 * logs: it never quotes an answer's body, an address of the gateway or a secret, and has
 * at most 200 characters.
 */
export type SendOutcome =
  | { kind: "sent" }
  | { kind: "failed"; reason: string; retry: "always" | "few times" | "never"; retryAfterMs?: number };

/**
 * The code of a system's error in parentheses, to follow a reason; empty if there is
 * none.
 */
export function inParentheses(code: unknown): string {
  return typeof code === "string" && /^[A-Z0-9_]{1,60}$/.test(code) ? ` (${code})` : "";
}
