import { leaseStep } from "../../../engine/leases/due-rows.js";
import type { GatewayServices } from "../../../engine/operation/gateway-services.js";
import type { Environment } from "../../../engine/settings/environment.js";
import type { Sender } from "../../../features/delivery/channels/channel.js";
import {
  type ChannelParts,
  channelNames,
  configuredChannels,
  deliveryChannels,
} from "../../../features/delivery/channels/delivery-channels.js";
import { feedServerSender } from "../../../features/delivery/channels/feed-server-sender.js";
import { dueDigests } from "../../../features/delivery/due-digests.js";
import { DeliveryMetrics } from "../../../features/delivery/outbox/delivery-metrics.js";
import { feedServerChannel } from "../../../features/delivery/outbox/delivery-state.js";
import { DeliveryDispatcher } from "../../../features/delivery/outbox/dispatcher.js";
import { serveSignInLinkRequest } from "../../../features/delivery/sign-in-link-mails.js";
import type { Infrastructure } from "../infrastructure.js";
import type { Runtime } from "../runtime.js";

/** Whether people sign in by links that the gateway mails: without an issuer. */
export const mailsSignInLinks = (environment: Environment): boolean =>
  configuredChannels(environment).has("EMAIL") && environment.AUTH_ISSUER === undefined;

/**
 * Adds the worker that sends pending deliveries to webhooks, e-mail addresses, phone numbers and the feed
 * server.
 */
export async function addDeliveries(
  runtime: Runtime,
  infrastructure: Infrastructure,
  services: GatewayServices,
  publicUrl: () => string,
): Promise<void> {
  const { environment, log, now, disposers } = runtime;
  const { database, workers, events, registry } = infrastructure;
  const { prisma, read, listWorkspaces } = database;
  const metrics = new DeliveryMetrics(registry, prisma, now);
  const senders = await openSenders({ environment, services, publicUrl, disposers });
  const { tracing } = services;
  const { MAX_MESSAGES_PER_DAY: maxMessagesPerDay } = environment;
  const dispatcher = new DeliveryDispatcher({
    prisma,
    transact: database.transact,
    read,
    listWorkspaces,
    senders,
    metrics,
    tracing,
    maxMessagesPerDay,
    isBusy: () => services.operations.areInUse,
    now,
    heartbeatTimeout: environment.HEARTBEAT_TIMEOUT,
    log,
  });
  const mayHaveWork = (workspaceId: string) => dispatcher.mayHaveWork(workspaceId);
  const worker = workers.add("sending notifications", (its) => dispatcher.step(its), {
    mayHaveWork,
    closingMs,
  });
  disposers.defer(() => worker.close());
  // Any instance may write deliveries with these events, or this one retries them. Polling finds all others.
  for (const topic of ["alertRaised", "cameraStatusChanged", "facilityHeartbeat"] as const) {
    events.listen({ topic }, ({ workspaceId, ids, traceparent }) => {
      if (tracing && traceparent !== undefined && topic === "alertRaised")
        tracing.rememberRecording(ids, traceparent);
      mayHaveWork(workspaceId);
      worker.wake();
    });
  }
  const wake = (workspaceId: string) => workers.wake(workspaceId);
  if (configuredChannels(environment).has("EMAIL"))
    workers.add("queueing daily digests", leaseStep(database, now, dueDigests(database.transact, wake)));
  if (mailsSignInLinks(environment))
    workers.add("answering requests for sign-in links", () =>
      serveSignInLinkRequest(database, now(), { maxMessagesPerDay, onQueued: wake }),
    );
}

/** The time that messages in transit have to finish when the gateway closes. */
const closingMs = 5_000;

async function openSenders(parts: ChannelParts): Promise<Record<string, Sender>> {
  const { FEED_SERVER_URL } = parts.environment;
  const senders: Record<string, Sender> = {};
  if (FEED_SERVER_URL) senders[feedServerChannel] = feedServerSender(FEED_SERVER_URL, parts.publicUrl);
  for (const channel of channelNames) {
    const { sender, limits } = deliveryChannels[channel];
    const send = await sender(parts);
    if (send) senders[channel] = { ...limits, send };
  }
  return senders;
}
