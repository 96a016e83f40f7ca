import type { ReadStatement } from "../../database/statement-text.js";
import type { PrismaClient } from "../../generated/prisma/client.js";
import type { ListWorkspaces } from "../../platform/queues/workspace-turns.js";
import type { Logger } from "../../platform/telemetry/log.js";
import type { TraceHeaders, Tracing } from "../../platform/telemetry/tracing.js";
import type { SendOutcome } from "../channels/channel.js";
import type { DeliveryContent } from "./delivery-content.js";
import type { DeliveryMetrics } from "./delivery-metrics.js";

/** Sends the deliveries of one channel. */
export interface Sender {
  /** How many alerts or outages of a queue one message may tell of. */
  maxPerMessage: number;
  /** How long a message may take, in milliseconds. */
  maxSendMs: number;
  /** How soon the next message of a queue may follow, in milliseconds. */
  pauseMs: number;
  /** Whether messages count for MAX_MESSAGES_PER_DAY. */
  isCounted: boolean;
  /**
   * Sends one message about all of the deliveries, which are of one queue; `traceHeaders`
   * are for targets that continue the trace.
   */
  send(
    deliveries: readonly DeliveryContent[],
    signal: AbortSignal,
    traceHeaders: TraceHeaders,
  ): Promise<SendOutcome>;
}

/** What a `DeliveryDispatcher` works with. */
export interface DispatcherOptions {
  prisma: PrismaClient;
  read: ReadStatement;
  listWorkspaces: ListWorkspaces;
  /** By channel; those of channels that are not set up are missing. */
  senders: Readonly<Partial<Record<string, Sender>>>;
  metrics: DeliveryMetrics;
  tracing: Tracing | undefined;
  maxMessagesPerDay: number;
  /** Whether requests are being served, which messages give way to. */
  isBusy: () => boolean;
  now: () => Date;
  log: Logger;
}
