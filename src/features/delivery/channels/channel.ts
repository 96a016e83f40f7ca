import type { Backoff } from "../../../platform/network/retry-delay.js";
import type { TraceHeaders } from "../../../platform/telemetry/tracing.js";
import type { DeliveryContent } from "../outbox/delivery-content.js";

export interface SendingLimits {
  /** The maximum number of alerts or outages of a queue in one message. */
  maxPerMessage: number;
  /** The maximum duration of sending a message, in milliseconds. */
  maxSendMs: number;
  /** The minimum pause between messages of a queue, in milliseconds. */
  pauseMs: number;
  /** The maximum number of queues that share a slot. Most have few deliveries, unless messages sum up many. */
  queuesPerRun: number;
  /** Whether messages count for MAX_MESSAGES_PER_DAY. */
  isCounted: boolean;
  /** Whether messages show pictures, and wait a little for those that are still taken. */
  showsPictures?: boolean;
  /** The growth of a failing target's pauses, if it differs from that of notifications. */
  backoff?: Backoff;
}

/** Sends one message about deliveries of one queue. `traceHeaders` are for targets that continue the trace. */
export type SendMessage = (
  deliveries: readonly DeliveryContent[],
  signal: AbortSignal,
  traceHeaders: TraceHeaders,
) => Promise<SendOutcome>;

/** Sends the deliveries of one channel. */
export interface Sender extends SendingLimits {
  send: SendMessage;
}

/**
 * The outcome of an attempt to send. `retry` is "always" after silence, a temporary error or an error that the operator
 * of the gateway must fix; "few times" if the target refused; "never" if another attempt cannot succeed. `reason`
 * appears in logs and to users. It has at most 200 characters, and never quotes the body of a response, an address of
 * the gateway or a secret.
 */
export type SendOutcome =
  | { kind: "sent" }
  | { kind: "failed"; reason: string; retry: "always" | "few times" | "never"; retryAfterMs?: number };

/** The code of a system error in parentheses, as the end of a reason; empty if there is no code. */
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
