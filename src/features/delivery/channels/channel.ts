import type { Backoff } from "../../../platform/network/retry-delay.js";
import type { TraceHeaders } from "../../../platform/telemetry/tracing.js";
import type { DeliveryContent } from "../outbox/delivery-content.js";

export interface SendingLimits {
  /** The maximum number of alerts or outages of a queue in one message. */
  maxPerMessage: number;
  maxSendMs: number;
  /** The minimum pause between messages of a queue, in milliseconds. */
  pauseMs: number;
  /** Most queues have few deliveries, except those whose messages sum up many. */
  queuesPerRun: number;
  /** Whether messages count for MAX_MESSAGES_PER_DAY. */
  isCounted: boolean;
  /** If it differs from that of notifications. */
  backoff?: Backoff;
}

/** About all of the deliveries, which belong to one queue. `traceHeaders` continue the trace. */
export type SendMessage = (
  deliveries: readonly DeliveryContent[],
  signal: AbortSignal,
  traceHeaders: TraceHeaders,
) => Promise<SendOutcome>;

export interface Sender extends SendingLimits {
  send: SendMessage;
}

/**
 * `reason` appears in logs and to users: at most 200 characters, without a body, an address of ours or a
 * secret.
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
