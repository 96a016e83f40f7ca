import type { ConfiguredChannels } from "../delivery/alert-deliveries.js";
import { emailSender } from "../delivery/channels/email-sender.js";
import { feedServerSender } from "../delivery/channels/feed-server-sender.js";
import { SmsChannel } from "../delivery/channels/sms-channel.js";
import { smsSender } from "../delivery/channels/sms-sender.js";
import { WebhookChannel } from "../delivery/channels/webhook-channel.js";
import { webhookSender } from "../delivery/channels/webhook-sender.js";
import { dueDigests } from "../delivery/due-digests.js";
import { DeliveryMetrics } from "../delivery/outbox/delivery-metrics.js";
import { feedServerChannel } from "../delivery/outbox/delivery-state.js";
import { DeliveryDispatcher } from "../delivery/outbox/dispatcher.js";
import type { Sender } from "../delivery/outbox/dispatcher-options.js";
import { answerSignInLinkRequest } from "../delivery/sign-in-link-mails.js";
import type { Environment } from "../environment.js";
import { leaseStep } from "../leases/due-rows.js";
import type { GatewayServices } from "../operation/gateway-services.js";
import { NetworkAddresses } from "../platform/network-addresses.js";
import type { Infrastructure } from "./infrastructure.js";
import type { Runtime } from "./runtime.js";

/** The channels that the settings set up, besides webhooks. */
export const configuredChannels = ({ SMTP_URL, TWILIO_ACCOUNT_SID }: Environment): ConfiguredChannels => ({
  email: SMTP_URL !== undefined,
  sms: TWILIO_ACCOUNT_SID !== undefined,
});

/** Whether people sign in by links that the gateway mails: without an issuer. */
export const mailsSignInLinks = (environment: Environment): boolean =>
  configuredChannels(environment).email && environment.AUTH_ISSUER === undefined;

/**
 * Adds the worker that sends pending deliveries to webhooks, e-mail addresses, phone
 * numbers and the feed server.
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
  const senders = await openSenders(runtime, services, publicUrl);
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
  // Any instance writes deliveries with these events, or this instance retries them. The
  // worker finds all others by polling now and then.
  for (const topic of ["alertRaised", "cameraStatusChanged", "facilityHeartbeat"] as const) {
    events.listen({ topic }, ({ workspaceId, ids, traceparent }) => {
      if (tracing && traceparent !== undefined && topic === "alertRaised")
        tracing.rememberRecording(ids, traceparent);
      mayHaveWork(workspaceId);
      worker.wake();
    });
  }
  const wake = (workspaceId: string) => workers.wake(workspaceId);
  if (configuredChannels(environment).email)
    workers.add("queueing daily digests", leaseStep(database, now, dueDigests(database.transact, wake)));
  if (mailsSignInLinks(environment))
    workers.add("answering requests for sign-in links", () =>
      answerSignInLinkRequest(database, now(), { maxMessagesPerDay, onQueued: wake }),
    );
}

/** The time that messages in transit have to finish when the gateway closes. */
const closingMs = 5_000;

/** The senders of the configured channels. */
async function openSenders(
  { environment, now, disposers }: Runtime,
  services: GatewayServices,
  publicUrl: () => string,
): Promise<Record<string, Sender>> {
  const { links } = services;
  const webhooks = new WebhookChannel({
    addresses: new NetworkAddresses(environment.WEBHOOK_ALLOWED_NETWORKS ?? [], { resolver: "dns" }),
    now,
  });
  disposers.defer(() => webhooks.close());
  const senders: Record<string, Sender> = { WEBHOOK: webhookSender(webhooks, links) };
  if (environment.FEED_SERVER_URL)
    senders[feedServerChannel] = feedServerSender(environment.FEED_SERVER_URL, publicUrl);
  const { SMTP_URL, MAIL_FROM, TWILIO_ACCOUNT_SID, TWILIO_AUTH_TOKEN, TWILIO_FROM, TWILIO_URL } = environment;
  if (SMTP_URL && MAIL_FROM) {
    const { EmailChannel } = await import("../delivery/channels/email-channel.js");
    const email = new EmailChannel({ url: SMTP_URL, from: MAIL_FROM });
    disposers.defer(() => email.close());
    senders.EMAIL = emailSender(email, services, publicUrl);
  }
  if (TWILIO_ACCOUNT_SID && TWILIO_AUTH_TOKEN && TWILIO_FROM) {
    const sms = new SmsChannel({
      accountSid: TWILIO_ACCOUNT_SID,
      authToken: TWILIO_AUTH_TOKEN,
      from: TWILIO_FROM,
      url: TWILIO_URL,
    });
    senders.SMS = smsSender(sms, links, publicUrl);
  }
  return senders;
}
