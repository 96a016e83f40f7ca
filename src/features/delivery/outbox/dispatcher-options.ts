import type { ReadStatement } from "../../../engine/database/statement-text.js";
import type { Transact } from "../../../engine/database/transaction.js";
import type { ListWorkspaces } from "../../../engine/leases/workspace-turns.js";
import type { PrismaClient } from "../../../generated/prisma/client.js";
import type { Logger } from "../../../platform/telemetry/log.js";
import type { Tracing } from "../../../platform/telemetry/tracing.js";
import type { Sender } from "../channels/channel.js";
import type { DeliveryMetrics } from "./delivery-metrics.js";

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
