import type { ReadStatement } from "../../database/statement-text.js";
import type { Transact } from "../../database/transaction.js";
import type { PrismaClient } from "../../generated/prisma/client.js";
import type { ListWorkspaces } from "../../leases/workspace-turns.js";
import type { Backoff } from "../../platform/retry-delay.js";
import type { Logger } from "../../platform/telemetry/log.js";
import type { TraceHeaders, Tracing } from "../../platform/telemetry/tracing.js";
import type { SendOutcome } from "../channels/channel.js";
import type { DeliveryContent } from "./delivery-content.js";
import type { DeliveryMetrics } from "./delivery-metrics.js";

/** Sends the deliveries of one channel. */
export interface Sender {
  /** The maximum number of alerts or outages of a queue in one message. */
  maxPerMessage: number;
  /** The maximum duration of sending a message, in milliseconds. */
  maxSendMs: number;
  /** The minimum pause between messages of a queue, in milliseconds. */
  pauseMs: number;
  /**
   * The maximum number of queues that share a place. Most queues have few deliveries,
   * except those whose messages sum up many.
   */
  queuesPerRun: number;
  /** Whether messages count for MAX_MESSAGES_PER_DAY. */
  isCounted: boolean;
  /**
   * The growth of a failing target's pauses, if it differs from that of notifications.
   */
  backoff?: Backoff;
  /**
   * Sends one message about all of the deliveries, which belong to one queue.
   * `traceHeaders` are for targets that continue the trace.
   */
  send(
    deliveries: readonly DeliveryContent[],
    signal: AbortSignal,
    traceHeaders: TraceHeaders,
  ): Promise<SendOutcome>;
}

/** The dependencies of `DeliveryDispatcher`. */
export interface DispatcherOptions {
  prisma: PrismaClient;
  transact: Transact;
  read: ReadStatement;
  listWorkspaces: ListWorkspaces;
  /** Senders by channel. Channels that are not set up have none. */
  senders: Readonly<Partial<Record<string, Sender>>>;
  metrics: DeliveryMetrics;
  tracing: Tracing | undefined;
  maxMessagesPerDay: number;
  /** Whether the gateway is serving requests. Messages give way to requests. */
  isBusy: () => boolean;
  now: () => Date;
  /** A facility is online for this time after its last heartbeat, in seconds. */
  heartbeatTimeout: number;
  log: Logger;
}
