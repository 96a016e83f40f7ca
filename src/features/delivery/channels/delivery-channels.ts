import type { GatewayServices } from "../../../engine/operation/gateway-services.js";
import type { Environment } from "../../../engine/settings/environment.js";
import { type AlertRule, type Camera, Prisma } from "../../../generated/prisma/client.js";
import type { DisposerStack } from "../../../platform/disposer-stack.js";
import { NetworkAddresses } from "../../../platform/network/network-addresses.js";
import { DeliveryChannel } from "../outbox/delivery-state.js";
import type { SendingLimits, SendMessage } from "./channel.js";
import { emailSender } from "./email-sender.js";
import { SmsChannel } from "./sms-channel.js";
import { smsSender } from "./sms-sender.js";
import { WebhookChannel } from "./webhook-channel.js";
import { webhookSender } from "./webhook-sender.js";

export interface ChannelParts {
  environment: Environment;
  services: GatewayServices;
  publicUrl: () => string;
  disposers: DisposerStack;
}

/** All that distinguishes a channel of notifications. */
interface ChannelDefinition {
  /** The description in the schema. */
  words: string;
  limits: SendingLimits;
  targetsOf: {
    /** The column of a rule with its target or targets. */
    rule: "notificationUrl" | "emails" | "phoneNumbers";
    /** The column of a rule that turns its targets on. */
    enabledBy?: "notificationEnabled";
    /** The column of a camera with targets of its own. */
    camera?: "emailAddresses";
    /** Whether targets are URLs. Those of one host share its slots. */
    areUrls?: true;
    ignoreCase?: true;
    /** Whether they hear of observations, too. */
    hearObservations?: true;
  };
  isConfigured(environment: Environment): boolean;
  /** Opens the channel if it is configured. */
  sender(parts: ChannelParts): SendMessage | undefined | Promise<SendMessage | undefined>;
}

const minuteMs = 60_000;
/** The limits of messages to people, which sum up many alerts. */
const summed = { maxPerMessage: 1_000, queuesPerRun: 2, isCounted: true };

export const deliveryChannels: Readonly<Record<DeliveryChannel, ChannelDefinition>> = {
  WEBHOOK: {
    words: "An HTTP request to the URL in `AlertRule.apiNotification`, signed if there is a secret.",
    limits: {
      maxPerMessage: 1,
      maxSendMs: 10_000,
      pauseMs: 0,
      queuesPerRun: 16,
      isCounted: false,
      showsPictures: true,
    },
    targetsOf: {
      rule: "notificationUrl",
      enabledBy: "notificationEnabled",
      areUrls: true,
      hearObservations: true,
    },
    isConfigured: () => true,
    sender: ({ environment, services: { now, links }, disposers }) => {
      const allowed = environment.WEBHOOK_ALLOWED_NETWORKS ?? [];
      const addresses = new NetworkAddresses(allowed, { resolver: "dns" });
      const webhooks = new WebhookChannel({ addresses, now });
      disposers.defer(() => webhooks.close());
      return webhookSender(webhooks, links);
    },
  },
  EMAIL: {
    words: "An email to an address in `AlertRule.emails` or `Camera.emailAddresses`, or to a person.",
    limits: { ...summed, maxSendMs: 40_000, pauseMs: minuteMs, showsPictures: true },
    targetsOf: { rule: "emails", camera: "emailAddresses", ignoreCase: true },
    isConfigured: ({ SMTP_URL }) => SMTP_URL !== undefined,
    sender: async ({ environment, services, publicUrl, disposers }) => {
      const { SMTP_URL: url, MAIL_FROM: from } = environment;
      if (!url || !from) return undefined;
      const { EmailChannel } = await import("./email-channel.js");
      const email = new EmailChannel({ url, from });
      disposers.defer(() => email.close());
      return emailSender(email, services, publicUrl);
    },
  },
  SMS: {
    words: "A text message to a number in `AlertRule.phoneNumbers`.",
    limits: { ...summed, maxSendMs: 10_000, pauseMs: 5 * minuteMs },
    targetsOf: { rule: "phoneNumbers" },
    isConfigured: ({ TWILIO_ACCOUNT_SID }) => TWILIO_ACCOUNT_SID !== undefined,
    sender: ({ environment, services: { links }, publicUrl }) => {
      const { TWILIO_ACCOUNT_SID: accountSid, TWILIO_AUTH_TOKEN: authToken } = environment;
      const { TWILIO_FROM: from, TWILIO_URL: url } = environment;
      if (!accountSid || !authToken || !from) return undefined;
      return smsSender(new SmsChannel({ accountSid, authToken, from, url }), links, publicUrl);
    },
  },
};

export const channelNames = Object.values(DeliveryChannel);

/** Whether a stored channel is one of those that this version knows. */
export const isChannel = (channel: string): channel is DeliveryChannel => channel in deliveryChannels;

export type ConfiguredChannels = ReadonlySet<string>;

export const configuredChannels = (environment: Environment): ConfiguredChannels =>
  new Set(channelNames.filter((channel) => deliveryChannels[channel].isConfigured(environment)));

/** What distinguishes a target from others of its channel. */
export const targetKey = (channel: DeliveryChannel, target: string): string =>
  deliveryChannels[channel].targetsOf.ignoreCase ? target.toLowerCase() : target;

export function targetsOfRule(channel: DeliveryChannel, rule: AlertRule): string[] {
  const { rule: column, enabledBy } = deliveryChannels[channel].targetsOf;
  return enabledBy && !rule[enabledBy] ? [] : [rule[column] ?? []].flat();
}

export function targetsOfCamera(channel: DeliveryChannel, camera: Camera): string[] {
  const { camera: column } = deliveryChannels[channel].targetsOf;
  return column ? camera[column] : [];
}

const textOf = (channel: DeliveryChannel) => Prisma.raw(`'${channel}'`);
const columnOf = (table: string, column: string) => Prisma.raw(`"${table}"."${column}"`);

/**
 * Selects the targets, as "channel" and "name", of an active `rule` and its `camera`, through channels that
 * are set up, each once.
 */
export function namedTargets(channels: ConfiguredChannels): Prisma.Sql {
  const named = channelNames
    .filter((channel) => channels.has(channel))
    .map((channel) => {
      const { rule, enabledBy, camera, ignoreCase, hearObservations } = deliveryChannels[channel].targetsOf;
      const isEnabled = enabledBy ? Prisma.sql`AND ${columnOf("rule", enabledBy)}` : Prisma.empty;
      const ofCamera = camera ? Prisma.sql`|| ${columnOf("camera", camera)}` : Prisma.empty;
      const key = ignoreCase ? Prisma.sql`lower(target."name" COLLATE "C")` : Prisma.sql`target."name"`;
      const isHeard = hearObservations ? Prisma.empty : Prisma.sql`WHERE rule."observation" IS NOT TRUE`;
      return Prisma.sql`(SELECT DISTINCT ON (${key}) ${textOf(channel)} AS "channel", target."name"
        FROM unnest(array_remove(CASE WHEN rule."status" = 'ACTIVE' ${isEnabled} THEN ARRAY[]::text[] || ${columnOf("rule", rule)} ELSE '{}' END ${ofCamera}, NULL)) AS target("name")
        ${isHeard} ORDER BY ${key}, target."name")`;
    });
  return Prisma.join(named, " UNION ALL ");
}

/** A case for each channel of a kind in SQL, or the result for all others. */
const perChannel = (
  channel: Prisma.Sql,
  flag: "areUrls" | "ignoreCase",
  result: Prisma.Sql,
  otherwise: Prisma.Sql,
): Prisma.Sql => {
  const flagged = channelNames.filter((name) => deliveryChannels[name].targetsOf[flag]).map(textOf);
  return Prisma.sql`CASE WHEN ${channel} IN (${Prisma.join(flagged)}) THEN ${result} ELSE ${otherwise} END`;
};

/** The key of a target in SQL. */
export const targetIdOf = (channel: Prisma.Sql, target: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`md5(${channel} || ' ' || ${perChannel(channel, "ignoreCase", Prisma.sql`lower(${target} COLLATE "C")`, target)})::uuid`;

/** The host and port of a webhook, or the name of any other channel, in SQL. */
export const hostOf = (channel: Prisma.Sql, target: Prisma.Sql): Prisma.Sql =>
  perChannel(
    channel,
    "areUrls",
    Prisma.sql`coalesce(lower(substring(${target} from '^[^:]+://([^/?#]+)') COLLATE "C"), ${target})`,
    channel,
  );
